"""The fault of one trial: the strike at its moment, the restart later, the rejoin."""

import threading
import time
from dataclasses import dataclass, field, replace

from fivenines.errors import FiveninesError
from fivenines.faults.base import Fault, Strike
from fivenines.faults.settings import FaultSettings
from fivenines.results.records import Event, FaultRecord
from fivenines.solutions.deployed import Deployed
from fivenines.waiting import wait_until

_POLL = 0.25
"""Seconds between two looks at the nodes while the load runs: the controller must cost next to nothing."""


@dataclass(frozen=True)
class _Mending:
    """What became of the node after the fault; moments in ns of CLOCK_MONOTONIC."""

    restarted_ns: int | None = None
    rejoined_ns: int | None = None
    rejoined: bool | None = None
    detail: str = ""


@dataclass
class Disturbance:
    """Strikes when told; mends in a thread of its own, until `deadline` (CLOCK_MONOTONIC seconds)."""

    fault: Fault[FaultSettings]
    deployed: Deployed
    started_ns: int
    deadline: float
    _strike: Strike | None = None
    _mending: _Mending = field(default_factory=_Mending)
    _thread: threading.Thread | None = None

    def strike(self) -> None:
        """Break it now, and let it be mended later."""
        self._strike = self.fault.strike(self.deployed.solution)
        if self.fault.mend_after is not None:
            self._thread = threading.Thread(target=self._mend, daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Wait until the node is mended, or known not to be."""
        if self._thread is not None:
            self._thread.join(max(0.0, self.deadline - time.monotonic()) + 30.0)

    def confirm(self) -> None:
        """Look once more, after the settling: a node that joined may have fallen out since."""
        if self._strike is None or not self._mending.rejoined:
            return
        reason = self.deployed.solution.joined(self._strike.node)
        if reason:
            self._mending = replace(self._mending, rejoined=False, rejoined_ns=None, detail=reason)

    def stray(self) -> set[str]:
        """The names of nodes that did not come back."""
        away = self._strike is not None and not self._mending.rejoined
        return {self._strike.node.name} if away and self._strike is not None else set()

    def record(self) -> FaultRecord | None:
        """What happened, in ms since the start of the load."""
        if self._strike is None:
            return None
        strike, mending = self._strike, self._mending
        return FaultRecord(
            kind=self.fault.settings.fault,
            node=strike.node.name,
            role=strike.role,
            at=self._ms(strike.monotonic_ns),
            verified=strike.verified,
            detail=strike.detail,
            restarted=self._ms_or_none(mending.restarted_ns),
            rejoined=mending.rejoined,
            rejoined_at=self._ms_or_none(mending.rejoined_ns),
            rejoin_detail=mending.detail,
        )

    def events(self) -> list[Event]:
        """The fault and what followed, the failover manager's steps among them."""
        found: list[Event] = []
        if self._strike is not None:
            strike = self._strike
            node = strike.node.name
            found.append(
                Event(
                    t=self._ms(strike.monotonic_ns), kind="fault", node=node, detail=strike.detail
                )
            )
            if self._mending.restarted_ns is not None:
                found.append(
                    Event(t=self._ms(self._mending.restarted_ns), kind="restarted", node=node)
                )
            if self._mending.rejoined_ns is not None:
                found.append(
                    Event(t=self._ms(self._mending.rejoined_ns), kind="rejoined", node=node)
                )
        for told in self.deployed.manager.events() if self.deployed.manager else []:
            found.append(
                Event(
                    t=self._ms(told.monotonic_ns),
                    kind=told.kind,
                    node=told.node,
                    detail=told.detail,
                )
            )
        return sorted(found, key=lambda event: event.t)

    def _mend(self) -> None:
        assert self._strike is not None and self.fault.mend_after is not None
        node, solution = self._strike.node, self.deployed.solution
        moment = self._strike.monotonic_ns / 1e9 + self.fault.mend_after
        time.sleep(max(0.0, moment - time.monotonic()))
        self._mending = replace(self._mending, rejoined=False)
        try:
            self._await_successor()
            self._mending = replace(self._mending, restarted_ns=time.monotonic_ns())
            solution.rejoin(node)
            left = max(1.0, self.deadline - time.monotonic())
            wait_until(lambda: solution.joined(node), left, f"{node.name} did not rejoin", _POLL)
            self._mending = replace(self._mending, rejoined=True, rejoined_ns=time.monotonic_ns())
        except FiveninesError as error:
            self._mending = replace(self._mending, detail=str(error))
        except Exception as error:
            self._mending = replace(self._mending, detail=f"{type(error).__name__}: {error}")

    def _await_successor(self) -> None:
        """A dead primary is restarted only once somebody else is primary, if anybody can become it."""
        manager, solution = self.deployed.manager, self.deployed.solution
        assert self._strike is not None
        if self._strike.role != "primary" or manager is None or not manager.promotes:
            return
        left = max(1.0, self.deadline - time.monotonic())
        wait_until(
            lambda: "" if solution.primary() else "nobody was promoted", left,
            f"{self._strike.node.name} was not restarted", _POLL,
        )  # fmt: skip

    def _ms(self, monotonic_ns: int) -> float:
        return round((monotonic_ns - self.started_ns) / 1e6, 3)

    def _ms_or_none(self, monotonic_ns: int | None) -> float | None:
        return None if monotonic_ns is None else self._ms(monotonic_ns)
