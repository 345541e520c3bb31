"""Fault `stop`: shut a server down cleanly, as before maintenance. The failover manager is not notified."""

import time
from typing import Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.daemon import daemon
from fivenines.servers.member import Member


class StopSettings(NodeFaultSettings):
    """Shut the server of a node down cleanly: it flushes and closes all connections."""

    fault: Literal["stop"] = Field(description="shut a node's server down cleanly")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time from the fault to the restart of the server; null: no restart"
    )


class Stop(Fault[StopSettings]):
    """Verified when the server's processes have ended without SIGKILL."""

    settings_type = StopSettings
    stops_servers = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        clean, detail = shut_down(target.servers, context)
        return Injection(target.hosts, target.role, moment, clean, detail, target.servers)


# Seconds that a clean shutdown may take. Then the server is killed, and the fault is not verified.
# NDB's management nodes take 25 to 29 seconds on an idle machine, by signal and by command.
PATIENCE = 60.0


def shut_down(servers: tuple[Member, ...], context: FaultContext) -> tuple[bool, str]:
    """Stop these servers at once; return whether all ended by themselves, and details."""
    begun = time.monotonic()
    context.solution.each(lambda server: daemon(server).stop(PATIENCE), servers)
    seconds = time.monotonic() - begun
    if seconds >= PATIENCE:
        return False, f"still running after {PATIENCE:g} s, then killed"
    ended = all(not server.alive for server in servers)
    return ended, f"clean shutdown in {seconds:.2f} s"
