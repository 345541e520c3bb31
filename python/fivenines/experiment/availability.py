"""The section `availability:` of an experiment: how often faults are assumed to happen."""

from typing import Annotated

from pydantic import Field

from fivenines.faults.settings import FaultSettings
from fivenines.plugins import kinds
from fivenines.settings import Settings
from fivenines.spelling import nearest
from fivenines.units import Duration


class AvailabilitySettings(Settings):
    """Assumptions by which measured outages become an availability; nothing is assumed by default."""

    mtbf: dict[str, Annotated[Duration, Field(gt=0)]] = Field(
        default_factory=dict,
        description="mean time between two faults of a kind, as in `kill: 90d`; a fault's own mtbf wins",
    )

    def problems_by_key(self) -> dict[str, str]:
        """What is wrong with keys of `mtbf`, by the key."""
        return {
            kind: f"availability.mtbf: unknown fault {kind!r}{nearest(kind, self.known())}"
            for kind in self.mtbf
            if kind not in self.known()
        }

    @staticmethod
    def known() -> list[str]:
        """The kinds of faults that there are."""
        found = kinds("fivenines.faults", FaultSettings, "fault")
        return sorted(kind for kind in found if kind != "none")
