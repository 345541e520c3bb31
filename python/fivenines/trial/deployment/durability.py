"""Keep every node at the durability of its role while roles change.

Roles may be changed by an operator, MHA, Patroni or a person. Each node is queried every 100 ms, outside the
lab's network. If roles differ in durability, a server starts with the strict one. So a new primary has the
durability of its role at most one query and one statement after it becomes writable; each event states the
delay.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fivenines.base.errors import FiveninesError, brief
from fivenines.base.threads import Background
from fivenines.base.waiting import wait_until
from fivenines.servers.base import Server
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.roles import Company, RoleReader, RoleView
from fivenines.servers.session import Session
from fivenines.solutions.durability import DurabilitySettings, Kind

# Seconds between two queries of a node.
EVERY = 0.1

# Longest wait for an answer, in seconds. A frozen server blocks only its own thread.
_TIMEOUT = 1.0

# Longest time in seconds until a server shows a changed setting; PostgreSQL reloads asynchronously.
_TAKES_EFFECT = 2.0

# Longest time in seconds until all nodes have the durability of their first roles.
_AT_FIRST = 15.0

# Longest time in seconds until every node was queried once more; a frozen node only has to be queried.
_QUERIED = 15.0


@dataclass
class _Known:
    """The last known state of a node: role, durability, and errors since.

    Attributes:
        at_ns: when the node was last seen with the right durability, or without a server.
        queried_ns: start of the last query that has ended.
    """

    role: str = ""
    kind: Kind | None = None
    at_ns: int = 0
    queried_ns: int = 0
    wrong: str = ""
    # Why the state of the node is unknown; empty: it answers.
    silent: str = "it has not been queried yet"
    reported: set[str] = field(default_factory=set)


class DurabilityKeeper:
    """Runs one thread for each node, from `start` to `stop`.

    Args:
        cluster: deployed, with running servers.
        durability: the durability of each role.
        company: condition under which a primary has a standby, for `adaptive`.
    """

    def __init__(self, cluster: Cluster[Any], durability: DurabilitySettings, company: Company) -> None:
        self._cluster = cluster
        self._durability = durability
        self._company = company if durability.primary == "adaptive" else None
        self._known: dict[str, _Known] = {}
        self._events: list[ManagerEvent] = []
        self._over = threading.Event()
        self._threads: list[Background] = []

    def start(self) -> None:
        """Start the threads; return when every node has its durability.

        Raises:
            FiveninesError: a node has not; with the reason.
        """
        for node in self._cluster.nodes:
            self._known[node.name] = _Known()
            run = Background(target=self._watch, args=(node,))
            self._threads.append(run)
            run.start()
        wait_until(
            lambda: self.problem() or self._silent(),
            _AT_FIRST,
            f"{self._cluster.name}: durability does not follow the roles",
            0.02,
        )

    def stop(self) -> None:
        """Stop the threads."""
        self._over.set()
        for run in self._threads:
            run.join()

    def events(self) -> list[ManagerEvent]:
        """Return every change of a role or of its durability, with the statements that were run."""
        return list(self._events)

    def require(self) -> None:
        """Check that every node that answers has the durability of its current role.

        Earlier observations do not count, as roles may have changed since.

        Raises:
            FiveninesError: a node has another durability; with the reason.
        """
        now = time.monotonic_ns()
        wait_until(lambda: self._unqueried(now), _QUERIED, "durability by role is not known")
        wait_until(self.problem, _TIMEOUT + _TAKES_EFFECT, "durability does not follow the roles")

    def problem(self) -> str:
        """Return a running node without the durability of its role, and why; empty if there is none."""
        reasons = ((node.name, self._known[node.name].wrong) for node in self._cluster.nodes if node.alive)
        return next((f"{name}: {wrong}" for name, wrong in reasons if wrong), "")

    def _silent(self) -> str:
        reasons = ((name, known.silent) for name, known in self._known.items())
        return next((f"{name}: {silent}" for name, silent in reasons if silent), "")

    def _unqueried(self, since_ns: int) -> str:
        """Return a node that was not queried since a moment; empty if all were, with or without an answer."""
        names = (name for name, known in self._known.items() if known.queried_ns < since_ns)
        return next((f"{name} was not queried" for name in names), "")

    def _watch(self, node: Server) -> None:
        reader, known = node.introspection.role_reader(self._company), self._known[node.name]
        session = node.sql.session(_TIMEOUT)
        while True:
            began_ns = time.monotonic_ns()
            try:
                if node.alive:
                    self._look(node, reader, session, known)
                else:
                    known.at_ns = time.monotonic_ns()
            except FiveninesError as error:
                self._fail(node, known, str(error))
            except Exception as error:
                # The server starts, ends or is frozen; the fault or the manager reports that.
                known.silent = f"it does not answer: {brief(error)}"
            known.queried_ns = began_ns
            if self._over.wait(EVERY):
                break
        session.close()

    def _look(self, node: Server, reader: RoleReader, session: Session, known: _Known) -> None:
        view = reader.look(session)
        known.silent, seen_ns = "", time.monotonic_ns()
        role = "primary" if view.primary else "standby"
        kind = self._durability.for_role(primary=view.primary, accompanied=view.accompanied)
        required = {**reader.always, **{name: str(value) for name, value in node.durability(kind).items()}}
        missing = {name: value for name, value in required.items() if view.settings[name] != value}
        if missing:
            known.wrong = known.wrong or f"as {role} it lacks {_shown(missing)}"
            reader.change(session, missing)
            view = _changed(lambda: reader.look(session), required)
        if missing or (role, kind) != (known.role, known.kind):
            alone = ", without a standby" if self._alone(view) else ""
            detail = f"{kind} as {role}{alone}: {_shown(view.settings)}{_late(missing, known)}"
            self._events.append(ManagerEvent(time.monotonic_ns(), "durability", node.name, detail))
        known.role, known.kind, known.at_ns, known.wrong = role, kind, seen_ns, ""

    def _alone(self, view: RoleView) -> bool:
        return self._company is not None and view.primary and not view.accompanied

    def _fail(self, node: Server, known: _Known, why: str) -> None:
        known.wrong = why
        if why not in known.reported:
            known.reported.add(why)
            now = time.monotonic_ns()
            self._events.append(ManagerEvent(now, "failed", node.name, f"durability: {why}"))


def _changed(look: Callable[[], RoleView], required: Mapping[str, str]) -> RoleView:
    """Return the state of the server once it shows the settings that were set.

    Raises:
        FiveninesError: it shows others.
    """
    deadline = time.monotonic() + _TAKES_EFFECT
    while True:
        view = look()
        if all(view.settings[name] == value for name, value in required.items()):
            return view
        if time.monotonic() > deadline:
            raise FiveninesError(
                f"{_shown(required)} was set, but the server shows {_shown(view.settings)} "
                f"{_TAKES_EFFECT:g} s later"
            )
        time.sleep(0.01)


def _late(missing: Mapping[str, str], known: _Known) -> str:
    """Return how long the node may have had another durability, since it was last seen right or down."""
    if not missing or not known.at_ns:
        return ""
    ms = (time.monotonic_ns() - known.at_ns) / 1e6
    return f"; otherwise for at most {ms:.0f} ms"


def _shown(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
