"""A single fault in a trial: runs it through its states, and records it."""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.faults.base import Fault, Injection
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.results.records import FaultRecord
from fivenines.servers.member import Member
from fivenines.trial.faults.life import AtWork, Life, Planned, Recovered, Refused, Returned
from fivenines.trial.faults.node_recovery import POLL, NodeRecovery


class FaultRun:
    """A fault that runs in a separate thread.

    Args:
        fault: the fault.
        context: the deployment that it disturbs.
        node_recovery: brings nodes back.
        mtbf: seconds between two such faults in production.
        changed: called when it was injected, refused or ended.
    """

    def __init__(
        self,
        fault: Fault[FaultSettings],
        context: FaultContext,
        node_recovery: NodeRecovery,
        mtbf: float | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.fault = fault
        self.mtbf = mtbf
        self._context = context
        self._node_recovery = node_recovery
        self._changed = changed
        self.injecting = False
        self._lives: list[Life] = [Planned(fault, context)]
        # One injection; a fault that goes from server to server has one for each turn.
        self._done = threading.Event()

    @property
    def over(self) -> bool:
        """Return whether the fault is over: it ended, could not be injected, or never ends."""
        return self._done.is_set()

    @property
    def begun_ns(self) -> int:
        """Return when it was injected, or refused, in ns of CLOCK_MONOTONIC; 0 before that."""
        life = self._lives[0]
        if isinstance(life, Planned):
            return 0
        return life.monotonic_ns if isinstance(life, Refused) else life.injection.monotonic_ns

    @property
    def gave_up(self) -> str:
        """Return why a node of it will not become a member again; empty if it did, or still may."""
        life = self._life
        if not self.over or not isinstance(life, Recovered):
            return ""
        return "; ".join(item.reason for item in life.returns.values() if item.reason)

    @property
    def servers(self) -> tuple[Member, ...]:
        """Return the servers that it hit."""
        return tuple(server for injection in self._injections for server in injection.servers)

    @property
    def _life(self) -> Life:
        """Return the current state."""
        return self._lives[-1]

    @property
    def _injections(self) -> list[Injection]:
        return [life.injection for life in self._lives if isinstance(life, AtWork | Recovered)]

    def run(self, moment: float, early_end: threading.Event) -> None:
        """Wait until `moment` (seconds of CLOCK_MONOTONIC), inject the fault, and run it to its end.

        `early_end` cancels an injection that is not due yet, and ends a running fault at once.
        """
        try:
            if not early_end.wait(max(0.0, moment - time.monotonic())):
                self._live(Planned(self.fault, self._context), early_end)
        finally:
            self._done.set()

    def cancel(self) -> None:
        """Inject nothing: what had to come before did not end."""
        self._done.set()

    def _live(self, planned: Planned, early_end: threading.Event) -> None:
        self.injecting = True
        step: Life = planned.inject()
        self._lives = [step]
        if isinstance(step, AtWork):
            self._hold(step.injection)
        self.injecting = False
        while isinstance(step, AtWork):
            self._changed()
            returned = self._see_through(step, early_end)
            if returned is None:
                return
            step = returned.follow(self.fault, self._context)
            if isinstance(step, AtWork):
                self._hold(step.injection)
                self._lives.append(step)
            else:
                self._lives[-1] = step
        self._changed()

    def _hold(self, injection: Injection) -> None:
        """Keep the automatic remediation from the nodes that were hit."""
        names = [server.name for server in injection.servers]
        self._node_recovery.held.update(names)
        self._node_recovery.busy.update(names)

    def _see_through(self, at_work: AtWork, early_end: threading.Event) -> Returned | None:
        """End the fault when it is due, and bring its nodes back; return None if it never ends."""
        injection, recovery = at_work.injection, self._node_recovery
        names = [server.name for server in injection.servers]
        if (lasts := at_work.lasts) is None:
            return None
        awaited = (
            self.fault.stops_servers and self._context.solution.roles.primary_of_record in injection.servers
        )
        early_end.wait(max(0.0, injection.monotonic_ns / 1e9 + lasts - time.monotonic()))
        recovered = at_work.recover(partial(self._await_successor, injection, awaited))
        self._lives[-1] = recovered
        self._changed()
        recovery.held.subtract(names)
        self._lives[-1] = returned = recovered.bring_back(recovery)
        recovery.busy.subtract(names)
        return returned

    def fell_out(self, name: str, reason: str) -> None:
        """Record that a returned node is no longer a member."""
        for life in self._lives:
            if isinstance(life, Returned):
                life.fell_out(name, reason)

    def record(self, started_ns: int) -> FaultRecord | None:
        """Return what happened, in ms since the start of the load; None before the injection."""
        settings, life = self.fault.settings, self._life
        if isinstance(life, Planned):
            return None
        if isinstance(life, Refused):
            return FaultRecord(
                kind=settings.fault,
                node="",
                role=str(getattr(settings, "target", "")),
                at=_ms(life.monotonic_ns, started_ns) or 0.0,
                verified=False,
                detail=life.reason,
                mtbf=self.mtbf,
            )
        injections = self._injections
        first = injections[0]
        hosts = [host for injection in injections for host in injection.hosts]
        # More may follow while its thread runs.
        ended = isinstance(life, Recovered) and (self.over or not life.injection.followed)
        return FaultRecord(
            kind=settings.fault,
            node=hosts[0] if hosts else "",
            nodes=hosts,
            role=first.role,
            at=_ms(first.monotonic_ns, started_ns) or 0.0,
            verified=all(injection.verified for injection in injections),
            detail=next((injection for injection in injections if not injection.verified), first).detail,
            mtbf=self.mtbf,
            hiccup=settings.harmless,
            **(self._end(started_ns) if ended else {}),
        )

    def _end(self, started_ns: int) -> dict[str, Any]:
        """Return the fields about the fault's end and its nodes' return."""
        lives = [live for live in self._lives if isinstance(live, Recovered)]
        life = lives[-1]
        returns = [item for each in lives for item in each.returns.values()]
        moments = [item.restarted_ns for item in life.returns.values() if item.restarted_ns]
        back = [item.rejoined_ns for item in returns if item.rejoined_ns]
        whole = bool(returns) and len(back) == len(returns)
        result: dict[str, Any] = {
            "restarted": _ms(min(moments, default=None), started_ns),
            "rejoined": whole if returns else None,
            "rejoined_at": _ms(max(back), started_ns) if whole else None,
            "rejoin_detail": "; ".join(item.reason for item in returns if item.reason),
        }
        if life.recovery is None:
            return result | {"ended_verified": False, "ended_detail": life.failure}
        down = self._not_started(life.injection.servers) if self.fault.stops_servers and returns else []
        missing = f"{', '.join(down)} did not start" if down else ""
        details = [life.failure or life.recovery.detail, missing]
        return result | {
            "ended": _ms(life.recovery.monotonic_ns, started_ns),
            "ended_verified": life.recovery.verified and not down and not life.failure,
            "ended_detail": "; ".join(filter(None, details)),
        }

    def _not_started(self, servers: Sequence[Member]) -> list[str]:
        stands_by = self._context.solution.roles.stands_by
        return [server.name for server in servers if not server.alive and not stands_by(server)]

    def _await_successor(self, injection: Injection, awaited: bool) -> None:
        """Wait until another node is primary before a dead primary is restarted, if any node can become
        it.

        A manager may also start the server again where it died. On a shared disk the other node has none.
        """
        manager, solution = self._context.manager, self._context.solution
        stands_by = solution.roles.stands_by
        others = [
            node
            for node in solution.nodes
            if node not in injection.servers and (node.alive or stands_by(node))
        ]
        managed = manager is not None and manager.promotes and manager.alive
        managed = managed or self._context.access.promotes
        if not awaited or not others or not (managed or solution.replaces()):
            return
        since = time.monotonic()
        while not solution.roles.primary():
            until = self._node_recovery.until(since)
            if time.monotonic() > until:
                raise FiveninesError(
                    f"{injection.servers[0].name} was not restarted within {until - since:.3g} s: "
                    "no node was promoted"
                )
            time.sleep(POLL)


def _ms(monotonic_ns: int | None, started_ns: int) -> float | None:
    return None if monotonic_ns is None else round((monotonic_ns - started_ns) / 1e6, 3)
