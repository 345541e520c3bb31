"""What users cannot set for a hot standby."""

from typing import TYPE_CHECKING

from fivenines.solutions.checks import Checks
from fivenines.solutions.streaming_needs import problems_with_streaming

if TYPE_CHECKING:
    from fivenines.solutions.hot_standby.settings import HotStandbySettings


class HotStandbyChecks(Checks):
    """Also refuses settings with which a standby cannot follow."""

    settings: "HotStandbySettings"

    def refused(self) -> dict[tuple[str, ...], str]:
        own = self.settings
        return {**problems_with_streaming(own.server, own.standbys, slots=own.slots), **super().refused()}
