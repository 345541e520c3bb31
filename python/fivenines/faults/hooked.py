"""Faults of servers that others run, by the user's own commands (hooks).

Verified by what can be seen from here: the server does not answer any more, or it has been started again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.servers.base import Server

if TYPE_CHECKING:
    from fivenines.servers.external import ExternalServer

Hook = Callable[[str, Server], str]

_ANOTHER_START = 3.0
"""Seconds by which the moments of two starts differ: what servers tell of them is rounded."""


class Hooked(Fault[FaultSettings]):
    """One hook injects it, another one ends it.

    Args:
        settings: the fault as the experiment asks for it.
        strike_by: name of the hook that breaks it.
        mend_by: name of the hook that ends it; empty: nothing has to be done, or a restart does it.
        run: runs a hook, by its name, for a server; gives what is to be told about it.
    """

    settings_type = FaultSettings

    patience: ClassVar[float] = 10.0
    """Seconds until a hook must have shown an effect."""

    def __init__(self, settings: FaultSettings, strike_by: str, mend_by: str, run: "Hook") -> None:
        super().__init__(settings)
        self._strike_by = strike_by
        self._mend_by = mend_by
        self._run = run

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(str(getattr(self.settings, "target", "primary")), context)
        if not target.servers:
            raise FiveninesError(f"no server is at {target.role}")
        servers: list[ExternalServer] = list(target.servers)  # type: ignore[arg-type]
        before = {server.name: server.born() for server in servers}
        moment = now()
        told: list[str] = []
        context.solution.each(lambda one: told.append(self._run(self._strike_by, one)), servers)
        seen = context.settles(
            lambda: all(_is_hit(server, before[server.name]) for server in servers), self.patience
        )
        detail = "; ".join(told) + ("" if seen else "; but it answers as before")
        return Injection(target.hosts, target.role, moment, seen, detail, target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        if not self._mend_by:
            return Recovery(True, "", moment)
        told: list[str] = []
        servers: list[ExternalServer] = list(injection.servers)  # type: ignore[arg-type]
        context.solution.each(lambda one: told.append(self._run(self._mend_by, one)), servers)
        back = context.settles(lambda: all(server.answers() for server in servers), self.patience)
        detail = "; ".join(told) + ("" if back else "; but it does not answer")
        return Recovery(back, detail, moment)


class HookedEnd(Hooked):
    """Its end is a restart of the servers, by the hook `restart`."""

    downs = True


def _is_hit(server: "ExternalServer", before: float | None) -> bool:
    now_born = server.born()
    return now_born is None or (before is not None and abs(now_born - before) > _ANOTHER_START)
