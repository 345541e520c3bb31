"""Fault `host-kill`: a host loses its power: its link is dead, then all its processes are."""

from typing import Literal

import psutil
from pydantic import Field

from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.cuts import Pairs, all_reach, none_reaches, with_everybody
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab import look
from fivenines.servers.base import Server
from fivenines.units import Duration


class HostKillSettings(NodeFaultSettings):
    """All processes of a host end and its link is dead: peers and clients hear nothing, not even a reset."""

    fault: Literal["host-kill"] = Field(description="power loss of a whole host")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time until the host is back and its server is started; null: never"
    )


class HostKill(Fault[HostKillSettings]):
    """Verified by the ends of all processes of the host, and by packets that do not arrive."""

    settings_type = HostKillSettings
    downs = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        if not target.servers:
            raise FiveninesError(f"no node is at {target.role}")
        if context.lab.has_power:
            return _power_off(context, target)
        pairs = with_everybody(context.lab, [server.name for server in target.servers])
        seen = look.look_at(*(server.process for server in target.servers))
        moment = now()
        # frames first: a dying process must not be able to say goodbye
        context.lab.cut(pairs)
        hit = _end_all(seen, target, context)
        gone = all(server.process is None or server.process.gone(hit) for server in target.servers)
        for server in target.servers:
            # an address that was given to it at run time is gone with its power
            server.host.keep_only_its_address()
        silent = none_reaches(context.lab, pairs)
        detail = f"link cut, SIGKILL to {len(hit)} processes of the host"
        detail += "" if gone else ", not all have ended"
        detail += "" if silent else ", but it still answers"
        names = tuple(server.name for server in target.servers)
        verified = gone and silent and bool(hit)
        return Injection(names, target.role, moment, verified, detail, target.servers, pairs)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if context.lab.has_power:
            context.lab.power_on(injection.hosts)
            said, back = "power back", True
        else:
            pairs: Pairs = injection.held
            context.lab.heal(pairs)
            back = all_reach(context.lab, pairs)
            said = "link back" if back else "link healed, but nothing arrives"
        for server in injection.servers:
            if isinstance(server, Server):
                context.access.start_on(server)
        return Recovery(back, said, moment)


def _power_off(context: FaultContext, target: targets.Target) -> Injection:
    """Of machines: by the commands that their owner has written for that."""
    ends = look.look_at(*(server.process for server in target.servers))
    moment = now()
    off = context.lab.power_off(target.hosts)
    hit = [one for seen in ends for one in seen.members]
    gone = all(server.process is None or server.process.gone(hit) for server in target.servers)
    detail = f"power taken from {', '.join(target.hosts)}"
    detail += "" if off and gone else ", but not all has ended"
    verified = off and gone and bool(hit)
    return Injection(target.hosts, target.role, moment, verified, detail, target.servers)


def _end_all(seen: list[look.Look], target: targets.Target, context: FaultContext) -> list[psutil.Process]:
    """SIGKILL to the server's processes at once, then to whatever else runs on the hosts."""
    hit = look.kill(seen)
    for server in target.servers:
        rest = context.lab.hosts[server.name].kill_all()
        hit += [one for one in rest if one not in hit]
    return hit
