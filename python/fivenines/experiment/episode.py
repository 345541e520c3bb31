"""The life of one single fault in a trial: strike, time, end, the return of the nodes, its record."""

import threading
import time

from fivenines.errors import FiveninesError
from fivenines.experiment.readmission import POLL, Readmission, Return
from fivenines.faults.base import Fault, Mended, Strike
from fivenines.faults.scene import Scene
from fivenines.faults.settings import FaultSettings
from fivenines.results.records import FaultRecord
from fivenines.servers.base import Server
from fivenines.waiting import wait_until


class Episode:
    """One fault, to be run in a thread of its own.

    Args:
        fault: what is to happen.
        scene: where.
        readmission: brings nodes back.
        mtbf: seconds between two such faults in production.
    """

    def __init__(
        self,
        fault: Fault[FaultSettings],
        scene: Scene,
        readmission: Readmission,
        mtbf: float | None = None,
    ) -> None:
        self.fault = fault
        self.mtbf = mtbf
        self.failed_ns: int | None = None
        self.failure = ""
        self.struck: Strike | None = None
        self._scene = scene
        self._readmission = readmission
        self._mended: Mended | None = None
        self._mending_failure = ""
        self._returns: dict[str, Return] = {}
        self._done = threading.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen: it ended, or could not strike, or never ends."""
        return self._done.is_set()

    def run(self, moment: float, early_end: threading.Event) -> None:
        """Wait until `moment` (seconds of CLOCK_MONOTONIC), strike, and see it through to its end.

        `early_end` cancels a strike that has not come yet, and ends one at work at once.
        """
        try:
            if early_end.wait(max(0.0, moment - time.monotonic())):
                return
            self._strike()
            if self.struck is not None and (lasts := self._lasts(self.struck)) is not None:
                self._see_through(self.struck, lasts, early_end)
        finally:
            self._done.set()

    @property
    def servers(self) -> tuple[Server, ...]:
        """The servers that it hit."""
        return self.struck.servers if self.struck else ()

    def record(self, started_ns: int) -> FaultRecord | None:
        """What happened, in ms since the start of the load; None before the strike."""
        settings, struck = self.fault.settings, self.struck
        if struck is None:
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
            node=struck.hosts[0] if struck.hosts else "",
            nodes=list(struck.hosts),
            role=struck.role,
            at=_ms(struck.monotonic_ns, started_ns) or 0.0,
            verified=struck.verified,
            detail=struck.detail,
            restarted=_ms(min(moments, default=None), started_ns),
            rejoined=(whole if self._returns else None),
            rejoined_at=_ms(max(back), started_ns) if whole else None,
            rejoin_detail="; ".join(one.reason for one in self._returns.values() if one.reason),
            mtbf=self.mtbf,
            **self._end(started_ns),
        )

    def fell_out(self, name: str, reason: str) -> None:
        """Note that a node which had come back is no member any more."""
        if name in self._returns:
            self._returns[name].reason = reason
            self._returns[name].rejoined_ns = None

    def _end(self, started_ns: int) -> dict[str, object]:
        if self._mending_failure:
            return {"ended_verified": False, "ended_detail": self._mending_failure}
        if self._mended is None:
            return {}
        returned = self.fault.downs and bool(self._returns)
        down = [one.name for one in self.servers if returned and not one.alive]
        said = [self._mended.detail, f"{', '.join(down)} did not start" if down else ""]
        return {
            "ended": _ms(self._mended.monotonic_ns, started_ns),
            "ended_verified": self._mended.verified and not down,
            "ended_detail": "; ".join(filter(None, said)),
        }

    def _lasts(self, struck: Strike) -> float | None:
        return self.fault.settings.lasts if struck.lasts is None else struck.lasts

    def _strike(self) -> None:
        try:
            self.struck = struck = self.fault.strike(self._scene)
        except Exception as error:
            self.failed_ns, self.failure = time.monotonic_ns(), _words(error)
            return
        for count in (self._readmission.held, self._readmission.busy):
            count.update(server.name for server in struck.servers)

    def _see_through(self, struck: Strike, lasts: float, early_end: threading.Event) -> None:
        awaited = self.fault.downs and self._scene.solution.record in struck.servers
        early_end.wait(max(0.0, struck.monotonic_ns / 1e9 + lasts - time.monotonic()))
        try:
            if awaited:
                self._await_successor(struck)
            self._mended = self.fault.mend(self._scene, struck)
        except Exception as error:
            self._mending_failure = _words(error)
        self._readmission.held.subtract(server.name for server in struck.servers)
        try:
            self._returns = self._readmission.bring_back(struck.servers)
        except Exception as error:
            reason = _words(error)
            self._returns = {server.name: Return(reason=reason) for server in struck.servers}
        self._readmission.busy.subtract(server.name for server in struck.servers)

    def _await_successor(self, struck: Strike) -> None:
        """A dead primary is restarted only once somebody else is primary, if anybody can become it."""
        manager, solution = self._scene.manager, self._scene.solution
        others = [node for node in solution.nodes if node not in struck.servers and node.alive]
        managed = manager is not None and manager.promotes and manager.alive
        if not others or not (managed or solution.replaces()):
            return
        wait_until(
            lambda: "" if solution.primary() else "nobody was promoted", self._readmission.left(),
            f"{struck.servers[0].name} was not restarted", POLL,
        )  # fmt: skip


def _ms(monotonic_ns: int | None, started_ns: int) -> float | None:
    return None if monotonic_ns is None else round((monotonic_ns - started_ns) / 1e6, 3)


def _words(error: Exception) -> str:
    text = str(error).strip()
    return text if isinstance(error, FiveninesError) and text else f"{type(error).__name__}: {text}"
