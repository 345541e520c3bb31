"""Fault `host-freeze`: send SIGSTOP to all processes of a host, SIGCONT later.

The kernel of the host still acknowledges packets and accepts connections, which a machine that stands still
does not: add a `partition` in a `sequence` for that.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.frozen import resumed, stopped
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.member import Member


class HostFreezeSettings(NodeFaultSettings):
    """Stop all processes of a server's host with SIGSTOP, and resume them later: Patroni and etcd, too.

    Connections stay open but silent.
    """

    fault: Literal["host-freeze"] = Field(description="stop all processes of a server's host with SIGSTOP")
    target: targets.NodeTarget = "primary"
    duration: Duration | None = Field(
        5.0, description="time until the processes resume (SIGCONT); null: they stay stopped"
    )

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.machines == "virtual-machines":
            # A frozen machine can be fenced by its power switch only; the lab's fencing asks the machine.
            return ["a virtual machine cannot be frozen as a whole: use freeze, partition or host-kill"]
        return super().problems_with(topology)


class HostFreeze(Fault[HostFreezeSettings]):
    """Verified by the state of all processes in /proc: T, and not T after the end."""

    settings_type = HostFreezeSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        hosts = tuple(server.name for server in target.servers)
        moment = now()
        verified, detail = stopped(
            [process for name in hosts for process in context.lab.hosts[name].processes.freeze_all()], _WHOSE
        )
        _mark(target.servers, frozen=True)
        return Injection(hosts, target.role, moment, verified, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        signalled = [
            process for name in injection.hosts for process in context.lab.hosts[name].processes.thaw_all()
        ]
        _mark(injection.servers, frozen=False)
        return resumed(signalled, moment, _WHOSE)


_WHOSE = " of the host"


def _mark(servers: Sequence[Member], *, frozen: bool) -> None:
    """Note whether servers stand still: no answer of theirs is waited for then."""
    for server in servers:
        if server.process is not None:
            server.process.frozen = frozen
