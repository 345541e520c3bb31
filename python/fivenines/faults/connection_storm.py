"""Fault `connection-storm`: many clients connect at once, as after a restart of an application's servers."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.core import core_binary
from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.load.commands import account, described, endpoint_flags, secret
from fivenines.servers.base import Server
from fivenines.units import Duration

_PATIENCE = 15.0
"""Seconds that the storm may take to be in, and that its administrator may take to get in after it."""


class ConnectionStormSettings(FaultSettings):
    """So many new clients log in at once, ask next to nothing, and stay connected for a while."""

    fault: Literal["connection-storm"] = Field(description="many connections at once")
    connections: Annotated[int, Field(ge=1, le=20_000)] = Field(
        400, description="how many; a server of the lab takes 300 by default (max_connections)"
    )
    duration: Duration = Field(5.0, description="how long they stay, or try to get in")


class ConnectionStorm(Fault[ConnectionStormSettings]):
    """By `fivenines-core load --burst` on the client's host; verified by the server's own count."""

    settings_type = ConnectionStormSettings

    def inject(self, context: FaultContext) -> Injection:
        node = context.solution.target("primary")
        before = _connected(node) or 0
        storm = context.client.spawn_outside(self._command(context, node), log="storm.out", env=secret(node))
        moment = now()
        wanted = self.settings.connections
        most = 0

        def arrived() -> bool:
            nonlocal most
            found = _connected(node)
            # a server that has no place left for its administrator is full
            most = max(most, wanted if found is None else found - before)
            return most >= min(wanted, 0.9 * _room(node, before))

        full = context.settles(arrived, _PATIENCE)
        detail = f"{wanted} connect at once, {most} more than before were in"
        if not storm.alive:
            raise FiveninesError(f"the storm ended at once: {storm.log_tail(4)}")
        return Injection((context.client.name,), "client", moment, full, detail, (), (storm, node))

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        storm, node = injection.held
        members = storm.members()
        moment = now()
        storm.kill()
        gone = storm.gone(members) and context.settles(
            lambda: not node.alive or _connected(node) is not None, _PATIENCE
        )
        return Recovery(gone, "all have hung up" if gone else "the server is still full", moment)

    def _command(self, context: FaultContext, node: Server) -> list[str]:
        from fivenines.workloads.script import Script  # noqa: PLC0415  (its data can be of any kind)

        folder = context.client.node / "data" / "storm"
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / "storm.sql"
        script.write_text("SELECT 1;\n")
        command = [str(core_binary()), "load", *account(node)]
        endpoints = context.access.endpoints()
        command += endpoint_flags(endpoints.write, (), endpoints.find)
        command += ["--spread", endpoints.spread]
        command += ["--connections", str(self.settings.connections), "--burst"]
        command += ["--think-time", "1h", "--duration", f"{self.settings.duration + 60:g}s"]
        asked = Script(workload="script", files=[str(script)])
        return [*command, "--out", str(folder), *described(asked)]


def _connected(node: Server) -> int | None:
    """Clients that are logged in on a node; None when not even its administrator gets in."""
    try:
        return node.clients()
    except Exception:
        return None


def _room(node: Server, before: int) -> int:
    """How many more connections the server can take."""
    try:
        return max(1, node.most_clients() - before)
    except Exception:
        return 0
