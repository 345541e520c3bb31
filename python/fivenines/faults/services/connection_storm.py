"""Fault `connection-storm`: many clients connect at once, as after a restart of the application servers."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.load.commands import account, described, endpoint_flags, secret
from fivenines.servers.base import Server

# Seconds until all clients must have connected, and until an administrator can connect afterwards.
_PATIENCE = 15.0


class ConnectionStormSettings(FaultSettings):
    """Open many connections at once and keep them almost idle for a while."""

    fault: Literal["connection-storm"] = Field(description="open many connections at once")
    connections: Annotated[int, Field(ge=1, le=20_000)] = Field(
        400, description="number of connections; servers in the lab accept 300 by default (max_connections)"
    )
    duration: Duration = Field(5.0, description="time that the clients stay connected, or try to connect")


class ConnectionStorm(Fault[ConnectionStormSettings]):
    """Opened by `fivenines-core load --burst` on the client's host; verified by the server's count."""

    settings_type = ConnectionStormSettings

    def inject(self, context: FaultContext) -> Injection:
        node = context.solution.roles.target("primary")
        before = _connected(node) or 0
        storm = context.client.commands.spawn_outside(
            self._command(context, node), log="storm.out", env=secret(node)
        )
        moment = now()
        requested = self.settings.connections
        most = 0

        def arrived() -> bool:
            nonlocal most
            connected = _connected(node)
            # A server that refuses even its administrator has no free connection left.
            most = max(most, requested if connected is None else connected - before)
            return most >= min(requested, 0.9 * _room(node, before))

        full = context.settles(arrived, _PATIENCE)
        detail = f"{requested} clients connected at once, {most} connections more than before"
        if not storm.alive:
            raise FiveninesError(f"the connection storm ended at once: {storm.log_tail(4)}")
        return Injection((context.client.name,), "client", moment, full, detail, (), (storm, node))

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        storm, node = injection.state
        members = storm.members()
        moment = now()
        storm.kill()
        ended = storm.gone(members) and context.settles(
            lambda: not node.alive or _connected(node) is not None, _PATIENCE
        )
        detail = "all clients have disconnected" if ended else "the server still has no free connection"
        return Recovery(ended, detail, moment)

    def _command(self, context: FaultContext, node: Server) -> list[str]:
        from fivenines.load.workloads.script import Script  # noqa: PLC0415  (its data can be of any kind)

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
        workload = Script(workload="script", files=[str(script)])
        return [*command, "--out", str(folder), *described(workload)]


def _connected(node: Server) -> int | None:
    """Return the number of clients of a node; None if even its administrator cannot connect."""
    try:
        return node.introspection.clients()
    except Exception:
        return None


def _room(node: Server, before: int) -> int:
    """Return the number of connections that the server can still accept."""
    try:
        return max(1, node.introspection.most_clients() - before)
    except Exception:
        return 0
