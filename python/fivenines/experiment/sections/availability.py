"""The section `availability:` of an experiment: assumed frequencies of faults."""

from typing import Annotated

from pydantic import Field

from fivenines.base.plugins import kinds
from fivenines.base.settings import Settings
from fivenines.base.spelling import nearest
from fivenines.base.units import Duration
from fivenines.faults.settings import FaultSettings


class AvailabilitySettings(Settings):
    """Assumptions for computing an availability from measured outages; none by default."""

    mtbf: dict[str, Annotated[Duration, Field(gt=0)]] = Field(
        default_factory=dict,
        description="mean time between two faults of a kind, as `kill: 90d`; a fault's `mtbf` overrides it",
    )

    def problems_by_key(self) -> dict[str, str]:
        """Return the problem of each wrong key of `mtbf`."""
        return {
            kind: f"availability.mtbf: unknown fault {kind!r}{nearest(kind, self.known())}"
            for kind in self.mtbf
            if kind not in self.known()
        }

    @staticmethod
    def known() -> list[str]:
        """Return the kinds of faults, sorted."""
        found = kinds("fivenines.faults", FaultSettings, "fault")
        return sorted(kind for kind in found if kind != "none")
