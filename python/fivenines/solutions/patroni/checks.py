"""What users cannot set for a Patroni cluster."""

from typing import TYPE_CHECKING

from fivenines.solutions.checks import Checks
from fivenines.solutions.streaming_needs import problems_with_streaming

if TYPE_CHECKING:
    from fivenines.solutions.patroni.settings import PatroniSettings


class PatroniChecks(Checks):
    """Also refuses settings with which a standby cannot follow; Patroni gives each standby a slot."""

    settings: "PatroniSettings"

    def refused(self) -> dict[tuple[str, ...], str]:
        own = self.settings
        return {**problems_with_streaming(own.server, own.members - 1, slots=True), **super().refused()}
