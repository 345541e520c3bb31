"""Faults of external clusters, injected by custom commands (hooks).

Verified from outside: the server no longer answers, or it has been restarted.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from fivenines.base.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.base import Server

if TYPE_CHECKING:
    from fivenines.servers.external.server import ExternalServer

Hook = Callable[[str, Server], str]

# Start times that differ by more than these seconds belong to different starts: servers round them.
_ANOTHER_START = 3.0


class Hooked(Fault[FaultSettings]):
    """Run one hook to inject the fault, and another one to end it.

    Args:
        settings: the settings of the fault in the experiment.
        inject_hook: name of the hook that injects the fault.
        recover_hook: name of the hook that ends it; empty: no action is needed, or a restart ends it.
        run: runs a hook, by its name, for a server; returns a message for the record.
    """

    settings_type = FaultSettings

    # Seconds until a hook must show an effect.
    patience: ClassVar[float] = 10.0

    def __init__(self, settings: FaultSettings, inject_hook: str, recover_hook: str, run: "Hook") -> None:
        super().__init__(settings)
        self._inject_hook = inject_hook
        self._recover_hook = recover_hook
        self._run = run

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(str(getattr(self.settings, "target", "primary")), context)
        if not target.servers:
            raise FiveninesError(f"the target {target.role} has no server")
        servers: list[ExternalServer] = list(target.servers)  # type: ignore[arg-type]
        before = {server.name: server.born() for server in servers}
        moment = now()
        messages: list[str] = []
        context.solution.each(lambda server: messages.append(self._run(self._inject_hook, server)), servers)
        verified = context.settles(
            lambda: all(_took_effect(server, before[server.name]) for server in servers), self.patience
        )
        detail = "; ".join(messages) + ("" if verified else "; but the server answers as before")
        return Injection(target.hosts, target.role, moment, verified, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if not self._recover_hook:
            return Recovery(True, "", moment)
        messages: list[str] = []
        servers: list[ExternalServer] = list(injection.servers)  # type: ignore[arg-type]
        context.solution.each(lambda server: messages.append(self._run(self._recover_hook, server)), servers)
        answers = context.settles(lambda: all(server.answers() for server in servers), self.patience)
        detail = "; ".join(messages) + ("" if answers else "; but the server does not answer")
        return Recovery(answers, detail, moment)


class HookedEnd(Hooked):
    """Fault of an external cluster that ends with the hook `restart`."""

    stops_servers = True


def _took_effect(server: "ExternalServer", before: float | None) -> bool:
    now_born = server.born()
    return now_born is None or (before is not None and abs(now_born - before) > _ANOTHER_START)
