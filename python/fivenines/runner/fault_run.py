"""The life of one single fault in a trial: injection, time, end, the return of the nodes, its record."""

import threading
import time

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Injection, Recovery
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings
from fivenines.results.records import FaultRecord
from fivenines.runner.node_recovery import POLL, NodeRecovery, Return
from fivenines.servers.base import Server
from fivenines.waiting import wait_until


class FaultRun:
    """One fault, to be run in a thread of its own.

    Args:
        fault: what is to happen.
        context: where.
        node_recovery: brings nodes back.
        mtbf: seconds between two such faults in production.
    """

    def __init__(
        self,
        fault: Fault[FaultSettings],
        context: FaultContext,
        node_recovery: NodeRecovery,
        mtbf: float | None = None,
    ) -> None:
        self.fault = fault
        self.mtbf = mtbf
        self.failed_ns: int | None = None
        self.failure = ""
        self.injection: Injection | None = None
        self._context = context
        self._node_recovery = node_recovery
        self._recovery: Recovery | None = None
        self._mending_failure = ""
        self._returns: dict[str, Return] = {}
        self._done = threading.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen: it ended, or could not be injected, or never ends."""
        return self._done.is_set()

    def run(self, moment: float, early_end: threading.Event) -> None:
        """Wait until `moment` (seconds of CLOCK_MONOTONIC), inject, and see it through to its end.

        `early_end` cancels an injection that has not come yet, and ends one at work at once.
        """
        try:
            if early_end.wait(max(0.0, moment - time.monotonic())):
                return
            self._inject()
            if self.injection is not None and (lasts := self._lasts(self.injection)) is not None:
                self._see_through(self.injection, lasts, early_end)
        finally:
            self._done.set()

    @property
    def servers(self) -> tuple[Server, ...]:
        """The servers that it hit."""
        return self.injection.servers if self.injection else ()

    def record(self, started_ns: int) -> FaultRecord | None:
        """What happened, in ms since the start of the load; None before the injection."""
        settings, injection = self.fault.settings, self.injection
        if injection is None:
            if self.failed_ns is None:
                return None
            target = str(getattr(settings, "target", ""))
            return FaultRecord(
                kind=settings.fault, node="", role=target, at=_ms(self.failed_ns, started_ns) or 0.0,
                verified=False, detail=self.failure, mtbf=self.mtbf,
            )  # fmt: skip
        moments = [one.restarted_ns for one in self._returns.values() if one.restarted_ns]
        back = [one.rejoined_ns for one in self._returns.values() if one.rejoined_ns]
        whole = bool(self._returns) and len(back) == len(self._returns)
        return FaultRecord(
            kind=settings.fault,
            node=injection.hosts[0] if injection.hosts else "",
            nodes=list(injection.hosts),
            role=injection.role,
            at=_ms(injection.monotonic_ns, started_ns) or 0.0,
            verified=injection.verified,
            detail=injection.detail,
            restarted=_ms(min(moments, default=None), started_ns),
            rejoined=(whole if self._returns else None),
            rejoined_at=_ms(max(back), started_ns) if whole else None,
            rejoin_detail="; ".join(one.reason for one in self._returns.values() if one.reason),
            mtbf=self.mtbf,
            **self._end(started_ns),
        )

    def fell_out(self, name: str, reason: str) -> None:
        """Note that a node which had come back is not a member any more."""
        if name in self._returns:
            self._returns[name].reason = reason
            self._returns[name].rejoined_ns = None

    def _end(self, started_ns: int) -> dict[str, object]:
        if self._mending_failure:
            return {"ended_verified": False, "ended_detail": self._mending_failure}
        if self._recovery is None:
            return {}
        returned = self.fault.downs and bool(self._returns)
        down = [one.name for one in self.servers if returned and not one.alive]
        said = [self._recovery.detail, f"{', '.join(down)} did not start" if down else ""]
        return {
            "ended": _ms(self._recovery.monotonic_ns, started_ns),
            "ended_verified": self._recovery.verified and not down,
            "ended_detail": "; ".join(filter(None, said)),
        }

    def _lasts(self, injection: Injection) -> float | None:
        return self.fault.settings.lasts if injection.lasts is None else injection.lasts

    def _inject(self) -> None:
        try:
            self.injection = injection = self.fault.inject(self._context)
        except Exception as error:
            self.failed_ns, self.failure = time.monotonic_ns(), _words(error)
            return
        for count in (self._node_recovery.held, self._node_recovery.busy):
            count.update(server.name for server in injection.servers)

    def _see_through(self, injection: Injection, lasts: float, early_end: threading.Event) -> None:
        awaited = self.fault.downs and self._context.solution.primary_of_record in injection.servers
        early_end.wait(max(0.0, injection.monotonic_ns / 1e9 + lasts - time.monotonic()))
        try:
            if awaited:
                self._await_successor(injection)
            self._recovery = self.fault.recover(self._context, injection)
        except Exception as error:
            self._mending_failure = _words(error)
        self._node_recovery.held.subtract(server.name for server in injection.servers)
        try:
            self._returns = self._node_recovery.recover(injection.servers)
        except Exception as error:
            reason = _words(error)
            self._returns = {server.name: Return(reason=reason) for server in injection.servers}
        self._node_recovery.busy.subtract(server.name for server in injection.servers)

    def _await_successor(self, injection: Injection) -> None:
        """A dead primary is restarted only once somebody else is primary, if anybody can become it."""
        manager, solution = self._context.manager, self._context.solution
        others = [node for node in solution.nodes if node not in injection.servers and node.alive]
        managed = manager is not None and manager.promotes and manager.alive
        if not others or not (managed or solution.replaces()):
            return
        wait_until(
            lambda: "" if solution.primary() else "nobody was promoted", self._node_recovery.left(),
            f"{injection.servers[0].name} was not restarted", POLL,
        )  # fmt: skip


def _ms(monotonic_ns: int | None, started_ns: int) -> float | None:
    return None if monotonic_ns is None else round((monotonic_ns - started_ns) / 1e6, 3)


def _words(error: Exception) -> str:
    text = str(error).strip()
    return text if isinstance(error, FiveninesError) and text else f"{type(error).__name__}: {text}"
