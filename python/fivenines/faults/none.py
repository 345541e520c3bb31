"""Fault `none`: an undisturbed run."""

from random import Random
from typing import Literal

from pydantic import Field

from fivenines.faults.settings import FaultSettings, Step


class NoFaultSettings(FaultSettings):
    """Inject no fault; the trial ends after the steady-state window."""

    fault: Literal["none"] = Field("none", description="inject no fault")

    def schedule(self, _random: Random) -> list[Step]:
        return []
