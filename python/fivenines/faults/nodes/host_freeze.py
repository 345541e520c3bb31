"""Fault `host-freeze`: send SIGSTOP to all processes of a host, SIGCONT later.

The kernel of the host still acknowledges packets and accepts connections, which a machine that stands still
does not: add a `partition` in a `sequence` for that.
"""

from typing import Literal

import psutil
from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes.process import all_in_state
from fivenines.servers.cluster.topology import Topology


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
        stopped = _signalled(context, hosts, freeze=True)
        verified = bool(stopped) and all_in_state(stopped, stopped=True)
        for server in target.servers:
            if server.process is not None:
                server.process.frozen = True
        detail = f"SIGSTOP to {len(stopped)} processes of the host" + (
            "" if verified else ", not all stopped"
        )
        return Injection(hosts, target.role, moment, verified, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        resumed = _signalled(context, injection.hosts, freeze=False)
        for server in injection.servers:
            if server.process is not None:
                server.process.frozen = False
        if not resumed:
            return Recovery(True, "no process to resume: all were killed meanwhile", moment)
        verified = all_in_state(resumed, stopped=False)
        detail = f"SIGCONT to {len(resumed)} processes of the host" + (
            "" if verified else ", not all resumed"
        )
        return Recovery(verified, detail, moment)


def _signalled(context: FaultContext, hosts: tuple[str, ...], *, freeze: bool) -> list[psutil.Process]:
    """Stop or resume all processes of these hosts; return them."""
    found = [context.lab.hosts[name].processes for name in hosts]
    return [process for host in found for process in (host.freeze_all() if freeze else host.thaw_all())]
