"""Faults of servers that others run, by the user's own commands (hooks).

Verified by what can be seen from here: the server does not answer any more, or it has been started again.
"""

from typing import TYPE_CHECKING

from fivenines.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.base import Fault, Mended, Strike, now
from fivenines.faults.settings import FaultSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from fivenines.faults.scene import Scene
    from fivenines.servers.base import Server
    from fivenines.servers.elsewhere import Elsewhere

    Hook = Callable[[str, Server], str]

_PATIENCE = 10.0
"""Seconds until a hook must have shown an effect."""

_ANOTHER_START = 3.0
"""Seconds by which the moments of two starts differ: what servers tell of them is rounded."""


class Hooked(Fault[FaultSettings]):
    """One hook strikes, another one mends.

    Args:
        settings: the fault as the experiment asks for it.
        strike_by: name of the hook that breaks it.
        mend_by: name of the hook that ends it; empty: nothing has to be done, or a restart does it.
        run: runs a hook, by its name, for a server; gives what is to be told about it.
    """

    settings_type = FaultSettings

    def __init__(self, settings: FaultSettings, strike_by: str, mend_by: str, run: "Hook") -> None:
        super().__init__(settings)
        self._strike_by = strike_by
        self._mend_by = mend_by
        self._run = run

    def strike(self, scene: "Scene") -> Strike:
        target = targets.resolve(str(getattr(self.settings, "target", "primary")), scene)
        if not target.servers:
            raise FiveninesError(f"no server is at {target.role}")
        servers: list[Elsewhere] = list(target.servers)  # type: ignore[arg-type]
        before = {server.name: server.born() for server in servers}
        moment = now()
        told: list[str] = []
        scene.solution.each(lambda one: told.append(self._run(self._strike_by, one)), servers)
        seen = scene.settles(
            lambda: all(_is_hit(server, before[server.name]) for server in servers), _PATIENCE
        )
        detail = "; ".join(told) + ("" if seen else "; but it answers as before")
        return Strike(target.hosts, target.role, moment, seen, detail, target.servers)

    def mend(self, scene: "Scene", strike: Strike) -> Mended:
        moment = now()
        if not self._mend_by:
            return Mended(True, "", moment)
        told: list[str] = []
        servers: list[Elsewhere] = list(strike.servers)  # type: ignore[arg-type]
        scene.solution.each(lambda one: told.append(self._run(self._mend_by, one)), servers)
        back = scene.settles(lambda: all(server.answers() for server in servers), _PATIENCE)
        detail = "; ".join(told) + ("" if back else "; but it does not answer")
        return Mended(back, detail, moment)


class HookedEnd(Hooked):
    """Its end is a restart of the servers, by the hook `restart`."""

    downs = True


def _is_hit(server: "Elsewhere", before: float | None) -> bool:
    now_born = server.born()
    return now_born is None or (before is not None and abs(now_born - before) > _ANOTHER_START)
