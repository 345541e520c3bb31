"""Fault `slow-cpu`: take CPU time away from a server's host, as a busy neighbour or a spent budget does."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration, Fraction
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.faults.severity import Unit
from fivenines.servers.cluster.topology import Topology

# Longest time in seconds until a process must have waited.
_PATIENCE = 5.0

# The smallest quota of a period of 0.1 s that Linux accepts is 1 ms.
_MOST = 0.99


class SlowCpuSettings(NodeFaultSettings):
    """Limit the CPU time of all processes of a server's host, with control groups.

    They share what is left of one core, in periods of 0.1 s: with `taken: 90%` they run for 10 ms, and then
    stand still until the next period.
    """

    fault: Literal["slow-cpu"] = Field(description="take CPU time away from a server's host")
    target: targets.NodeTarget = "primary"
    taken: Annotated[Fraction, Field(gt=0, le=_MOST)] = Field(
        0.9, description="share of one core that the host's processes do not get, up to 99%"
    )
    duration: Duration | None = Field(
        5.0, description="time until the host has its CPU time again; null: it stays slow"
    )

    severities: ClassVar[Mapping[str, Unit]] = {"taken": "share"}

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.machines == "virtual-machines":
            return ["the CPU of a virtual machine cannot be taken away: use `limits: {cpus: …}`"]
        left = 1 - self._least()
        if topology.cpus is not None and left >= topology.cpus:
            return [f"{left:g} of a core would be left, and `limits` leave {topology.cpus:g}: raise `taken`"]
        return super().problems_with(topology)

    def _least(self) -> float:
        """Return the smallest share that is taken."""
        if self.severity is None or self.severity.problem(self.severities):
            return self.taken
        return self.severity.ends(self.severities)[0]


class SlowCpu(Fault[SlowCpuSettings]):
    """Verified once processes had to wait for CPU time; after the end none has to."""

    settings_type = SlowCpuSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        if not target.servers:
            raise FiveninesError(f"the target {target.role} has no server")
        hosts = tuple(server.name for server in target.servers)
        left = 1 - self.settings.taken
        moment = now()
        for name in hosts:
            context.lab.hosts[name].take_cpu(left)
        before = _periods(context, hosts)
        verified = context.settles(lambda: _periods(context, hosts)[1] > before[1], _PATIENCE)
        detail = f"the processes of the host share {100 * left:.3g} % of a core"
        detail += "" if verified else ", and none had to wait"
        return Injection(hosts, target.role, moment, verified, detail, target.servers, before)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        for name in injection.hosts:
            context.lab.hosts[name].give_cpu_back()
        wanted, waited = _periods(context, injection.hosts)
        wanted, waited = wanted - injection.state[0], waited - injection.state[1]
        return Recovery(True, f"processes had to wait in {waited} of {wanted} periods of 0.1 s", moment)


def _periods(context: FaultContext, hosts: tuple[str, ...]) -> tuple[int, int]:
    """Return in how many periods the processes of all these hosts wanted CPU time, and had to wait."""
    counts = [context.lab.hosts[name].cpu_periods() for name in hosts]
    return sum(wanted for wanted, _ in counts), sum(waited for _, waited in counts)
