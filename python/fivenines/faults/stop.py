"""Fault `stop`: a clean shutdown, as before maintenance. Nobody tells the failover manager."""

import time
from typing import Literal

from pydantic import Field

from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.member import Member
from fivenines.units import Duration


class StopSettings(NodeFaultSettings):
    """The server of a node shuts down cleanly: it flushes, and says goodbye to clients and peers."""

    fault: Literal["stop"] = Field(description="clean shutdown of a node's server")
    target: targets.NodeTarget = "primary"
    restart_after: Duration | None = Field(
        5.0, description="time from the fault to the restart of the node; null: never restarted"
    )


class Stop(Fault[StopSettings]):
    """Verified by the end of the server's processes, without SIGKILL."""

    settings_type = StopSettings
    downs = True

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        clean, detail = shut_down(target.servers, context)
        return Injection(target.hosts, target.role, moment, clean, detail, target.servers)


PATIENCE = 60.0
"""Seconds that a clean shutdown may take before the server is killed, and the fault not verified.

NDB's management nodes take 25 to 29 on an idle machine, by a signal as by an order.
"""


def shut_down(servers: tuple[Member, ...], context: FaultContext) -> tuple[bool, str]:
    """Stop these servers at once; whether all ended by themselves, and in words."""
    begun = time.monotonic()
    context.solution.each(lambda server: server.stop(PATIENCE), servers)
    seconds = time.monotonic() - begun
    if seconds >= PATIENCE:
        return False, f"not down after {PATIENCE:g} s, and killed"
    ended = all(not server.alive for server in servers)
    return ended, f"clean shutdown, which took {seconds:.2f} s"
