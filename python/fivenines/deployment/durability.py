"""Keeps every node at the durability of its role, while roles change.

Whoever changes them (an operator, MHA, Patroni, a person): each node is asked itself, every 100 ms,
beside the lab's network. A server starts with the strict one where roles differ. So a new primary has
its own at most a look and a statement after it takes writes, and each event says after how long.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fivenines.cluster.cluster import Cluster
from fivenines.cluster.events import ManagerEvent
from fivenines.errors import FiveninesError, brief
from fivenines.servers.base import Server
from fivenines.servers.roles import Company, RoleReader, RoleView
from fivenines.servers.session import Session
from fivenines.solutions.durability import DurabilitySettings, Kind
from fivenines.waiting import wait_until

EVERY = 0.1
"""Seconds between two looks at a node."""

_TIMEOUT = 1.0
"""Longest wait for an answer, in seconds: a frozen server holds up its own thread alone."""

_TAKES_EFFECT = 2.0
"""Longest time in seconds until a server says what it was told: PostgreSQL reloads in its own time."""

_AT_FIRST = 15.0
"""Longest time in seconds until all nodes have the durability of their first roles."""

_ASKED = 15.0
"""Longest time in seconds until every node has been asked once more; a frozen one only has to be asked."""


@dataclass
class _Known:
    """What was seen of a node last: its role, its durability; and what went wrong since.

    `at_ns`: when it was last seen well, or without a server. `asked_ns`: when the last look at it began that
    is over.
    """

    role: str = ""
    kind: Kind | None = None
    at_ns: int = 0
    asked_ns: int = 0
    wrong: str = ""
    silent: str = "it has not been asked yet"
    """Why nothing is known of it now; empty: it answers."""
    told: set[str] = field(default_factory=set)


class DurabilityKeeper:
    """One thread for each node, from `start` to `stop`.

    Args:
        cluster: deployed, its servers run.
        durability: what nodes of each role should have.
        company: when a primary is not alone, for `adaptive`.
    """

    def __init__(self, cluster: Cluster[Any], durability: DurabilitySettings, company: Company) -> None:
        self._cluster = cluster
        self._durability = durability
        self._company = company if durability.primary == "adaptive" else None
        self._known: dict[str, _Known] = {}
        self._events: list[ManagerEvent] = []
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin; returns when every node has what it should.

        Raises:
            FiveninesError: one has not; says why.
        """
        for node in self._cluster.nodes:
            self._known[node.name] = _Known()
            run = threading.Thread(target=self._watch, args=(node,), daemon=True)
            self._threads.append(run)
            run.start()
        wait_until(
            lambda: self.problem() or self._silent(),
            _AT_FIRST,
            f"{self._cluster.name}: no durability by role",
            0.02,
        )

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        for run in self._threads:
            run.join()

    def events(self) -> list[ManagerEvent]:
        """Every change of a role or of what it should have, and what was done."""
        return list(self._events)

    def require(self) -> None:
        """Make sure that every node that answers has the durability of its role as it is now.

        What was seen before says nothing of roles that have changed since.

        Raises:
            FiveninesError: one has not; says why.
        """
        now = time.monotonic_ns()
        wait_until(lambda: self._unasked(now), _ASKED, "durability by role is not known")
        wait_until(self.problem, _TIMEOUT + _TAKES_EFFECT, "durability does not follow the roles")

    def problem(self) -> str:
        """Which running node was seen without the durability of its role, and why; empty: none."""
        found = ((node.name, self._known[node.name].wrong) for node in self._cluster.nodes if node.alive)
        return next((f"{name}: {wrong}" for name, wrong in found if wrong), "")

    def _silent(self) -> str:
        found = ((name, known.silent) for name, known in self._known.items())
        return next((f"{name}: {silent}" for name, silent in found if silent), "")

    def _unasked(self, since_ns: int) -> str:
        """Who was not asked since a moment; empty: all were, whether they answered or not."""
        found = (name for name, known in self._known.items() if known.asked_ns < since_ns)
        return next((f"{name} was not asked" for name in found), "")

    def _watch(self, node: Server) -> None:
        reader, known = node.role_reader(self._company), self._known[node.name]
        asked = node.session(_TIMEOUT)
        while True:
            began_ns = time.monotonic_ns()
            try:
                if node.alive:
                    self._look(node, reader, asked, known)
                else:
                    known.at_ns = time.monotonic_ns()
            except FiveninesError as error:
                self._fail(node, known, str(error))
            except Exception as error:
                # it starts, ends or is frozen: whoever broke it tells of that
                known.silent = f"it does not answer: {brief(error)}"
            known.asked_ns = began_ns
            if self._over.wait(EVERY):
                break
        asked.close()

    def _look(self, node: Server, reader: RoleReader, asked: Session, known: _Known) -> None:
        view = reader.look(asked)
        known.silent, seen_ns = "", time.monotonic_ns()
        role = "primary" if view.primary else "standby"
        kind = self._durability.wanted(primary=view.primary, accompanied=view.accompanied)
        wanted = {**reader.always, **{name: str(value) for name, value in node.durability(kind).items()}}
        missing = {name: value for name, value in wanted.items() if view.settings[name] != value}
        if missing:
            known.wrong = known.wrong or f"as {role} it has not {_shown(missing)}"
            reader.change(asked, missing)
            view = _changed(lambda: reader.look(asked), wanted)
        if missing or (role, kind) != (known.role, known.kind):
            alone = ", no standby is there" if self._alone(view) else ""
            detail = f"{kind} as {role}{alone}: {_shown(view.settings)}{_late(missing, known)}"
            self._events.append(ManagerEvent(time.monotonic_ns(), "durability", node.name, detail))
        known.role, known.kind, known.at_ns, known.wrong = role, kind, seen_ns, ""

    def _alone(self, view: RoleView) -> bool:
        return self._company is not None and view.primary and not view.accompanied

    def _fail(self, node: Server, known: _Known, why: str) -> None:
        known.wrong = why
        if why not in known.told:
            known.told.add(why)
            now = time.monotonic_ns()
            self._events.append(ManagerEvent(now, "failed", node.name, f"durability: {why}"))


def _changed(look: Callable[[], RoleView], wanted: Mapping[str, str]) -> RoleView:
    """The server once it says what it was told to.

    Raises:
        FiveninesError: it says something else.
    """
    deadline = time.monotonic() + _TAKES_EFFECT
    while True:
        view = look()
        if all(view.settings[name] == value for name, value in wanted.items()):
            return view
        if time.monotonic() > deadline:
            raise FiveninesError(
                f"it was told {_shown(wanted)}, and says {_shown(view.settings)} {_TAKES_EFFECT:g} s later"
            )
        time.sleep(0.01)


def _late(missing: Mapping[str, str], known: _Known) -> str:
    """How long it may have had another one: since it was seen well, or without a server."""
    if not missing or not known.at_ns:
        return ""
    ms = (time.monotonic_ns() - known.at_ns) / 1e6
    return f"; otherwise for {ms:.0f} ms at most"


def _shown(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
