"""Fault `kill`: send SIGKILL to all server processes of a node, as the kernel's OOM killer does."""

from typing import Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab.processes import look
from fivenines.servers.member import Member


class KillSettings(NodeFaultSettings):
    """Kill all server processes of a node at once. Its host and network keep working."""

    fault: Literal["kill"] = Field(description="kill a node's server processes with SIGKILL")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time from the fault to the restart of the server; null: no restart"
    )


class Kill(Fault[KillSettings]):
    """Verified when all processes of the servers have ended."""

    settings_type = KillSettings
    stops_servers = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment, verified, detail = kill_servers(target.servers)
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers)


def kill_servers(servers: tuple[Member, ...]) -> tuple[int, bool, str]:
    """Send SIGKILL to all processes of these servers at once; return when, whether all ended, and details."""
    seen = look.look_at(*(server.process for server in servers))
    moment = now()
    killed = look.kill(seen)
    ended = all(server.process is None or server.process.gone(killed) for server in servers)
    left = [process.pid for process in killed if process.is_running()] if not ended else []
    detail = f"processes {left} are still running" if left else f"SIGKILL to {len(killed)} processes"
    return moment, ended and bool(killed), detail
