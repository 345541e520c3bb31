"""No fault: the undisturbed run."""

from random import Random
from typing import Literal

from pydantic import Field

from fivenines.faults.settings import FaultSettings, Step


class NoFaultSettings(FaultSettings):
    """Nothing is broken; the trial ends after the steady window."""

    fault: Literal["none"] = Field("none", description="nothing is broken")

    def schedule(self, _random: Random) -> list[Step]:
        return []
