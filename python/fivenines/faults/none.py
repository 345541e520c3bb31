"""No fault: the undisturbed run."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.faults.base import Fault, Strike
from fivenines.faults.settings import FaultSettings

if TYPE_CHECKING:
    from fivenines.solutions.base import Solution
    from fivenines.solutions.settings import SolutionSettings


class NoFaultSettings(FaultSettings):
    """Nothing is broken; the trial ends after the steady window."""

    fault: Literal["none"] = Field("none", description="nothing is broken")


class NoFault(Fault[NoFaultSettings]):
    """Never strikes."""

    settings_type = NoFaultSettings

    @property
    def strikes(self) -> bool:
        return False

    def strike(self, solution: "Solution[SolutionSettings]") -> Strike:
        raise AssertionError("the fault `none` never strikes")

    @property
    def mend_after(self) -> float | None:
        return None
