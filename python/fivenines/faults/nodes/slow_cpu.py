"""Fault `slow-cpu`: take CPU time away from a server's host, as a busy neighbour or a spent budget does."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration, Fraction
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.faults.severity import Unit
from fivenines.servers.cluster.topology import Topology

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
            return ["slow-cpu: the CPU of a virtual machine cannot be taken away; use `limits: {cpus: …}`"]
        return super().problems_with(topology)


class SlowCpu(Fault[SlowCpuSettings]):
    """Verified by the kernel, which accepts limit and processes; the end by how often they had to wait."""

    settings_type = SlowCpuSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        hosts = tuple(server.name for server in target.servers)
        left = 1 - self.settings.taken
        moment = now()
        for name in hosts:
            context.lab.hosts[name].take_cpu(left)
        detail = f"the processes of the host share {left:.0%} of a core"
        return Injection(hosts, target.role, moment, True, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        periods = [context.lab.hosts[name].give_cpu_back() for name in injection.hosts]
        wanted, waited = (sum(counts) for counts in zip(*periods, strict=True))
        return Recovery(True, f"processes had to wait in {waited} of {wanted} periods of 0.1 s", moment)
