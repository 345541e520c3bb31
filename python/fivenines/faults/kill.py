"""Fault `kill`: SIGKILL of all server processes of a node, as the kernel's OOM killer would."""

from typing import Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.lab import look
from fivenines.servers.member import Member
from fivenines.units import Duration


class KillSettings(NodeFaultSettings):
    """All server processes of a node end at once; its host and network stay."""

    fault: Literal["kill"] = Field(description="SIGKILL of all of a node's server processes")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time from the fault to the restart of the node; null: never restarted"
    )


class Kill(Fault[KillSettings]):
    """Verified by the ends of all processes that the servers had."""

    settings_type = KillSettings
    downs = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment, verified, detail = kill_servers(target.servers)
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers)


def kill_servers(servers: tuple[Member, ...]) -> tuple[int, bool, str]:
    """SIGKILL to all processes of these servers, at once: when; whether all have ended; in words."""
    seen = look.look_at(*(server.process for server in servers))
    moment = now()
    hit = look.kill(seen)
    gone = all(server.process is None or server.process.gone(hit) for server in servers)
    left = [process.pid for process in hit if process.is_running()] if not gone else []
    detail = f"processes {left} are still there" if left else f"SIGKILL to {len(hit)} processes"
    return moment, gone and bool(hit), detail
