"""Fault `host-kill`: cut a host off the network, then kill all its processes.

The host's page cache survives, so data that was written but not flushed is not lost. The fault `power-loss`
tests durability. In an SSH lab whose inventory has `power_off` and `power_on`, the machine is switched off.
"""

from typing import Literal

import psutil
from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.network.cuts import Pairs, all_links, all_reach, none_reaches
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes import look
from fivenines.servers.base import Server


class HostKillSettings(NodeFaultSettings):
    """Kill all processes of a host and silence its network; peers and clients receive not even a reset.

    The page cache survives, so use `power-loss` to test durability. An SSH lab whose inventory has
    `power_off` and `power_on` switches the machine off instead.
    """

    fault: Literal["host-kill"] = Field(description="kill all processes of a host; its page cache survives")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time until the network is restored and the server starts; null: never"
    )


class HostKill(Fault[HostKillSettings]):
    """Verified when all processes of the host have ended and test packets do not arrive."""

    settings_type = HostKillSettings
    stops_servers = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        if not target.servers:
            raise FiveninesError(f"the target {target.role} has no node")
        if context.lab.power.available:
            return _power_off(context, target)
        pairs = all_links(context.lab, [server.name for server in target.servers])
        seen = look.look_at(*(server.process for server in target.servers))
        moment = now()
        # The network is cut first, so that dying processes cannot close their connections.
        context.lab.network.cut(pairs)
        killed = _kill_all(seen, target, context)
        ended = all(server.process is None or server.process.gone(killed) for server in target.servers)
        for server in target.servers:
            # A host that reboots loses the addresses that were added at run time.
            server.host.addresses.keep_only_own()
        silent = none_reaches(context.lab, pairs)
        detail = f"network cut, SIGKILL to {len(killed)} processes of the host"
        detail += "" if ended else ", not all have ended"
        detail += "" if silent else ", but it still answers"
        names = tuple(server.name for server in target.servers)
        verified = ended and silent and bool(killed)
        return Injection(names, target.role, moment, verified, detail, target.servers, pairs)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if context.lab.power.available:
            context.lab.power.on(injection.hosts)
            detail, reachable = "machine switched on", True
        else:
            pairs: Pairs = injection.state
            context.lab.network.heal(pairs)
            reachable = all_reach(context.lab, pairs)
            detail = "network restored" if reachable else "network restored, but no packet arrives"
        for server in injection.servers:
            if isinstance(server, Server):
                context.access.start_on(server)
        return Recovery(reachable, detail, moment)


def _power_off(context: FaultContext, target: targets.Target) -> Injection:
    """Switch the machines of an SSH lab off with the commands of its inventory."""
    seen = look.look_at(*(server.process for server in target.servers))
    moment = now()
    off = context.lab.power.off(target.hosts)
    processes = [process for host in seen for process in host.members]
    ended = all(server.process is None or server.process.gone(processes) for server in target.servers)
    detail = f"switched off {', '.join(target.hosts)}"
    detail += "" if off and ended else ", but not all processes have ended"
    verified = off and ended and bool(processes)
    return Injection(target.hosts, target.role, moment, verified, detail, target.servers)


def _kill_all(seen: list[look.Look], target: targets.Target, context: FaultContext) -> list[psutil.Process]:
    """Send SIGKILL to all server processes at once, then to all other processes of the hosts."""
    killed = look.kill(seen)
    for server in target.servers:
        others = context.lab.hosts[server.name].processes.kill_all()
        killed += [process for process in others if process not in killed]
    return killed
