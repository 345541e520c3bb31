"""Fault `kill`: SIGKILL of all server processes of one node, as the kernel's OOM killer would."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from fivenines.faults.base import Fault, Strike, now
from fivenines.faults.settings import FaultSettings
from fivenines.units import Duration

if TYPE_CHECKING:
    from fivenines.solutions.base import Solution
    from fivenines.solutions.settings import SolutionSettings


class KillSettings(FaultSettings):
    """All server processes of a node end at once; its host and network stay."""

    fault: Literal["kill"] = Field(description="SIGKILL of all of a node's server processes")
    target: Literal["primary", "replica"] = Field("primary", description="the role that is hit")
    restart_after: Duration | None = Field(
        5.0, description="time from the fault to the restart of the node; null: never restarted"
    )


class Kill(Fault[KillSettings]):
    """Verified by the ends of all processes that the server had."""

    settings_type = KillSettings

    def strike(self, solution: "Solution[SolutionSettings]") -> Strike:
        role = self.settings.target
        node = solution.target(role)
        assert node.process is not None
        moment = now()
        hit = node.process.kill()
        gone = node.process.gone(hit)
        left = [process.pid for process in hit if process.is_running()]
        detail = f"SIGKILL to {len(hit)} processes" if gone else f"processes {left} are still there"
        return Strike(node, role, moment, gone and bool(hit), detail)

    @property
    def mend_after(self) -> float | None:
        return self.settings.restart_after
