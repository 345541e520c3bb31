"""The faults of one trial: each is injected at its moment, ends, and its nodes become members again."""

import math
import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any

from fivenines import plugins
from fivenines.cluster.events import ManagerEvent
from fivenines.deployment.deployed import Deployed
from fivenines.faults.base import Fault
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings, Step
from fivenines.results.records import Event, FaultRecord
from fivenines.runner.fault_run import FaultRun
from fivenines.runner.node_recovery import NodeRecovery
from fivenines.runner.reporter import Reporter
from fivenines.servers.member import Member

_ON_CALL = 0.5
"""Seconds between two looks of the person on call."""

_FOR_STRAYS = 2.0
"""Seconds between two looks for nodes that a failover has left behind."""


class FaultRunner:
    """All faults of a trial, each in a thread of its own, and a person on call who sees after the rest.

    Args:
        settings: the fault of the cell, which may consist of several.
        deployed: what is disturbed.
        started_ns: the start of the load on CLOCK_MONOTONIC, t = 0 of all records.
        deadline: moment in seconds of CLOCK_MONOTONIC until which nodes may come back.
        seed: of the trial; all random choices follow from it.
        patience: longest wait for a node in seconds, where the deadline is far away.
        tell: told each event in the order of their moments, as soon as it is known.
    """

    def __init__(
        self,
        settings: FaultSettings,
        deployed: Deployed,
        started_ns: int,
        deadline: float,
        seed: int = 0,
        patience: float = math.inf,
        tell: Callable[[Event], None] | None = None,
    ) -> None:
        self.steps = settings.schedule(Random(seed))
        self._deployed = deployed
        self._started_ns = started_ns
        self._noted: list[ManagerEvent] = []
        self._reporter = Reporter(self.events, lambda: self.injecting, tell) if tell else None
        self._early_end = threading.Event()
        self._context = FaultContext(deployed, Random(seed), self._note, self._early_end)
        self.node_recovery = NodeRecovery(deployed, self._note, deadline, patience)
        self.runs = [self._run_of(step, settings.mtbf) for step in self.steps]
        self._threads: list[threading.Thread] = []
        self._call_over = threading.Event()
        self._on_call: threading.Thread | None = None
        self._repaired: set[str] = set()
        self._suspected: set[str] = set()
        self._next_look = 0.0
        self._away: dict[str, str] = {}

    def begin(self) -> None:
        """Inject now, or at the moments of the steps, which count from now; returns at once."""
        moment = time.monotonic()
        for step, run in zip(self.steps, self.runs, strict=True):
            self._threads.append(
                threading.Thread(target=run.run, args=(moment + step.at, self._early_end), daemon=True)
            )
        self._on_call = threading.Thread(target=self._stay_on_call, daemon=True)
        for thread in (*self._threads, self._on_call):
            thread.start()
        if self._reporter is not None:
            self._reporter.start()

    def end_early(self, why: str = "") -> None:
        """End what is at work now, and inject nothing more; `why`, where nobody asked for that."""
        self._context.why_ended = why
        self._early_end.set()

    def hurry(self, deadline: float) -> None:
        """The load is over: nodes may come back until this moment of CLOCK_MONOTONIC, and no longer."""
        self.node_recovery.hurry(deadline)

    @property
    def over(self) -> bool:
        """Whether no fault is at work any more, and none is to come."""
        return all(run.over for run in self.runs)

    @property
    def injecting(self) -> bool:
        """Whether one is being injected: its moment is known once that is over."""
        return any(run.injecting for run in self.runs)

    def recovered(self) -> bool:
        """Return whether no fault is at work, no failover goes on and every node is a member.

        Nodes that a fault holds for good do not count. Asks each node.
        """
        if not self.over or self.node_recovery.manager_at_work:
            return False
        free = [node for node in self._deployed.solution.members if self.node_recovery.held[node.name] <= 0]
        return not any(self.node_recovery.reasons(free).values())

    def finish(self) -> None:
        """Wait until all nodes are members again, or known not to be."""
        for thread in self._threads:
            thread.join(self.node_recovery.left() + 30.0)
        self.dismiss()
        if self._on_call is not None:
            self._look_for_unexpected_primaries()

    def dismiss(self) -> None:
        """Let the person on call go, after a last look: what breaks from now on is somebody else's affair."""
        self._call_over.set()
        if self._on_call is not None:
            self._on_call.join(self.node_recovery.left() + 30.0)
        if self._reporter is not None:
            self._reporter.stop()

    def abandon(self) -> None:
        """The trial is over, however it ended: nobody is on call any more, and nothing is told."""
        self._call_over.set()
        if self._reporter is not None:
            self._reporter.stop()

    def confirm(self) -> None:
        """Look once more, after the settling: a node that joined may have fallen out since."""
        for name, reason in self.node_recovery.reasons(self._involved()).items():
            if reason and name not in self._away:
                self._away[name] = reason
                for run in self.runs:
                    run.fell_out(name, reason)

    def unexpected_primaries(self) -> dict[str, str]:
        """The nodes that did not come back, and why."""
        return dict(self._away)

    def records(self) -> list[FaultRecord]:
        """What happened, in ms since the start of the load, in the order of the injections."""
        found = [run.record(self._started_ns) for run in self.runs]
        return sorted((one for one in found if one is not None), key=lambda one: one.at)

    def events(self) -> list[Event]:
        """The faults and what followed, the failover manager's steps among them."""
        found: list[Event] = []
        for record in self.records():
            detail = f"{record.kind}: {record.detail}"
            found.append(Event(t=record.at, kind="fault", node=record.node, detail=detail))
            if record.ended is not None:
                detail = f"{record.kind}: {record.ended_detail}".removesuffix(": ")
                found.append(Event(t=record.ended, kind="ended", node=record.node, detail=detail))
        for event in [*self._noted, *self._deployed.events()]:
            t = round((event.monotonic_ns - self._started_ns) / 1e6, 3)
            found.append(Event(t=t, kind=event.kind, node=event.node, detail=event.detail))
        return sorted(found, key=lambda event: event.t)

    def _run_of(self, step: Step, mtbf: float | None) -> FaultRun:
        kind: Any = plugins.implementation("fivenines.faults", Fault, step.fault)
        fault = self._deployed.solution.fault(step.fault) or kind(step.fault)
        return FaultRun(fault, self._context, self.node_recovery, step.fault.mtbf or mtbf, self._news)

    def _note(self, kind: str, node: str, detail: str) -> None:
        self._noted.append(ManagerEvent(time.monotonic_ns(), kind, node, detail))
        self._news()

    def _news(self) -> None:
        if self._reporter is not None:
            self._reporter.look()

    def _stay_on_call(self) -> None:
        """Do what a person would: help a group without majority, restart nodes that were fenced."""
        while not self._call_over.wait(_ON_CALL):
            self._on_call_step()
        self._on_call_step()

    def _on_call_step(self) -> None:
        try:
            for told in self._deployed.solution.on_call_step():
                node, _, detail = told.partition(": ")
                self._note("bootstrapped", node, detail)
        except Exception as error:
            self._note("failed", "", f"{type(error).__name__}: {error}")
        if lost := [*self._dead_by_fencing(), *self._unexpected()]:
            self._repaired.update(node.name for node in lost)
            self.node_recovery.busy.update(node.name for node in lost)
            self.node_recovery.recover(lost)
            self.node_recovery.busy.subtract(node.name for node in lost)

    def _dead_by_fencing(self) -> list[Member]:
        """Nodes that the manager has fenced, and that nobody has restarted."""
        fenced = self._told("fenced")
        dead = [node for node in self._idle() if node.name in fenced and not node.alive]
        return dead if dead and self._deployed.solution.primary() else []

    def _unexpected(self) -> list[Member]:
        """Nodes that a failover has left behind: seen twice, as a manager needs a moment for all."""
        if not self._told("promoted") or time.monotonic() < self._next_look:
            return []
        self._next_look = time.monotonic() + _FOR_STRAYS
        if self.node_recovery.manager_at_work:
            self._suspected = set()
            return []
        now = {
            node.name
            for node in self._idle()
            if node.alive and self.node_recovery.unexpected_primary_reason(node)
        }
        left, self._suspected = now & self._suspected, now
        return [node for node in self._deployed.solution.members if node.name in left]

    def _idle(self) -> list[Member]:
        """Nodes that no fault holds."""
        members = self._deployed.solution.members
        return [node for node in members if self.node_recovery.busy[node.name] <= 0]

    def _told(self, kind: str) -> set[str]:
        """The nodes of which the manager has told this."""
        return {one.node for one in self._deployed.events() if one.kind == kind}

    def _involved(self) -> list[Member]:
        names = {server.name for run in self.runs for server in run.servers}
        names |= self._repaired
        return [node for node in self._deployed.solution.members if node.name in names]

    def _look_for_unexpected_primaries(self) -> None:
        reasons = self.node_recovery.reasons(self._involved())
        kept_down = {
            server.name
            for run in self.runs
            if run.fault.stops_servers and run.fault.settings.lasts is None
            for server in run.servers
        }
        for record in self.records():
            if record.rejoin_detail and not record.rejoined:
                reasons |= {name: record.rejoin_detail for name in record.nodes if reasons.get(name)}
        self._away = {
            name: "not restarted" if name in kept_down else reason
            for name, reason in reasons.items()
            if reason
        }
