"""The faults of one trial: each is injected at its moment, ends, and its nodes become members again."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from fivenines.base import plugins
from fivenines.base.threads import Background
from fivenines.faults.base import Fault
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import FaultSettings, Step
from fivenines.results.records import Event, FaultRecord
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.member import Member
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.faults.life import words
from fivenines.trial.faults.node_recovery import NodeRecovery
from fivenines.trial.faults.run import FaultRun
from fivenines.trial.reporter import Reporter

# Interval of the automatic remediation in seconds.
_ON_CALL = 0.5

# Interval in seconds of the check for nodes that a failover has left behind.
_FOR_STRAYS = 2.0


class FaultRunner:
    """Runs all faults of a trial, each in a separate thread, and the automatic remediation.

    Args:
        settings: the fault of the cell, which may consist of several.
        deployed: the deployment that faults disturb.
        started_ns: the start of the load on CLOCK_MONOTONIC, t = 0 of all records.
        deadline: moment in seconds of CLOCK_MONOTONIC until which nodes may come back.
        seed: of the trial; all random choices follow from it.
        patience: longest wait for a node in seconds, where the deadline is far away.
        tell: called with each event in chronological order, as soon as it is known.
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
        self._threads: list[Background] = []
        self._call_over = threading.Event()
        self._on_call: Background | None = None
        self._repaired: set[str] = set()
        self._suspected: set[str] = set()
        self._next_look = 0.0
        self._unavailable: dict[str, str] = {}

    def begin(self) -> None:
        """Inject the fault now, or its steps at their times from now; return at once."""
        moment = time.monotonic()
        in_turn: list[tuple[float, FaultRun]] = []
        for step, run in zip(self.steps, self.runs, strict=True):
            if step.in_turn:
                in_turn.append((step.at, run))
            else:
                self._threads.append(Background(target=run.run, args=(moment + step.at, self._early_end)))
        if in_turn:
            self._threads.append(Background(target=self._take_turns, args=(in_turn,)))
        self._on_call = Background(target=self._stay_on_call)
        for thread in (*self._threads, self._on_call):
            thread.start()
        if self._reporter is not None:
            self._reporter.start()

    def end_early(self, why: str = "") -> None:
        """End running faults now, and inject no more; `why` is given unless a user requested it."""
        self._context.why_ended = why
        self._early_end.set()

    def hurry(self, deadline: float) -> None:
        """Set the deadline for the return of nodes after the end of the load (CLOCK_MONOTONIC, s)."""
        self.node_recovery.hurry(deadline)

    @property
    def over(self) -> bool:
        """Return whether no fault is running or due."""
        return all(run.over for run in self.runs)

    @property
    def injecting(self) -> bool:
        """Return whether a fault is being injected: its time is known afterwards."""
        return any(run.injecting for run in self.runs)

    def recovered(self) -> bool:
        """Return whether no fault or failover is in progress and every node is a member.

        Nodes that a fault keeps down for good do not count. Queries each node.
        """
        return self.over and not self._not_recovered()

    def finish(self) -> None:
        """Wait until all nodes are members again, or known not to return."""
        for thread in self._threads:
            thread.join(self.node_recovery.left() + 30.0)
        self.dismiss()
        if self._on_call is not None:
            self._look_for_unexpected_primaries()

    def dismiss(self) -> None:
        """Stop the automatic remediation after a last check: later failures are left alone."""
        self._call_over.set()
        if self._on_call is not None:
            self._on_call.join(self.node_recovery.left() + 30.0)
        if self._reporter is not None:
            self._reporter.stop()

    def abandon(self) -> None:
        """Stop remediation and reports, however the trial ended."""
        self._call_over.set()
        if self._reporter is not None:
            self._reporter.stop()

    def confirm(self) -> None:
        """Check again after settling: a node that joined may have dropped out since."""
        for name, reason in self.node_recovery.reasons(self._involved()).items():
            if reason and name not in self._unavailable:
                self._unavailable[name] = reason
                # It had returned from the faults before the last one that hit it.
                hit = [run for run in self.runs if any(server.name == name for server in run.servers)]
                if hit:
                    max(hit, key=lambda run: run.begun_ns).fell_out(name, reason)

    def unexpected_primaries(self) -> dict[str, str]:
        """Return the nodes that did not come back, and why."""
        return dict(self._unavailable)

    def records(self) -> list[FaultRecord]:
        """Return the records of all faults, in ms since the start of the load, in the order of injection."""
        planned = {"planned": len(self.runs)}
        result = [run.record(self._started_ns) for run in self.runs]
        made = (item.model_copy(update=planned) for item in result if item is not None)
        return sorted(made, key=lambda item: item.at)

    def events(self) -> list[Event]:
        """Return the events of faults and what followed, including the failover manager's steps."""
        result: list[Event] = []
        for record in self.records():
            detail = f"{record.kind}: {record.detail}"
            result.append(Event(t=record.at, kind="fault", node=record.node, detail=detail))
            if record.ended is not None:
                detail = f"{record.kind}: {record.ended_detail}".removesuffix(": ")
                result.append(Event(t=record.ended, kind="ended", node=record.node, detail=detail))
        for event in [*self._noted, *self._deployed.events()]:
            t = round((event.monotonic_ns - self._started_ns) / 1e6, 3)
            result.append(Event(t=t, kind=event.kind, node=event.node, detail=event.detail))
        return sorted(result, key=lambda event: event.t)

    def _take_turns(self, runs: Sequence[tuple[float, FaultRun]]) -> None:
        """Run faults one after the other, each after a pause once the cluster has recovered."""
        why = ""
        try:
            for number, (pause, run) in enumerate(runs):
                why = self._await_recovery(runs[number - 1][1]) if number else ""
                if why:
                    break
                run.run(time.monotonic() + pause, self._early_end)
        except Exception as error:
            why = words(error)
        left = [run for _, run in runs if not run.begun_ns]
        for run in left:
            run.cancel()
        if left:
            self._note("skipped", "", f"{len(left)} of {len(runs)} faults: {why or 'the load ended'}")

    def _await_recovery(self, before: FaultRun) -> str:
        """Wait until failover is over and every node is a member; return why that will not happen."""
        while (why := self._not_recovered()) and not self._early_end.wait(_ON_CALL):
            if before.gave_up:
                return before.gave_up
        return why or ("the load ended" if self._early_end.is_set() else "")

    def _not_recovered(self) -> str:
        """Return why the cluster has not recovered now; empty if it has."""
        if self.node_recovery.manager_at_work:
            return "the failover manager is at work"
        free = [node for node in self._deployed.solution.members if self.node_recovery.held[node.name] <= 0]
        if why := "; ".join(filter(None, self.node_recovery.reasons(free).values())):
            return why
        manager = self._deployed.manager
        return (
            "" if manager is None or manager.settled else "the failover manager has not ended its operations"
        )

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
        """Run the automatic remediation: help a group without majority, restart fenced nodes."""
        while not self._call_over.wait(_ON_CALL):
            self._on_call_step()
        self._on_call_step()

    def _on_call_step(self) -> None:
        try:
            for action in self._deployed.solution.membership.remediate():
                node, _, detail = action.partition(": ")
                self._note("bootstrapped", node, detail)
        except Exception as error:
            self._note("failed", "", f"{type(error).__name__}: {error}")
        # Which nodes a fault keeps down is not known while it is injected.
        if self.injecting:
            return
        if lost := [*self._dead_by_fencing(), *self._unexpected()]:
            self._repaired.update(node.name for node in lost)
            self.node_recovery.busy.update(node.name for node in lost)
            self.node_recovery.recover(lost)
            self.node_recovery.busy.subtract(node.name for node in lost)

    def _dead_by_fencing(self) -> list[Member]:
        """Return the nodes that the manager has fenced and no process has restarted."""
        fenced = self._reported("fenced")
        dead = [node for node in self._idle() if node.name in fenced and not node.alive]
        return dead if dead and self._deployed.solution.roles.primary() else []

    def _unexpected(self) -> list[Member]:
        """Return nodes that a failover left behind, if seen twice, as a manager takes a moment for all
        nodes.
        """
        if not self._reported("promoted") or time.monotonic() < self._next_look:
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
        """Return the nodes that no fault keeps down."""
        members = self._deployed.solution.members
        return [node for node in members if self.node_recovery.busy[node.name] <= 0]

    def _reported(self, kind: str) -> set[str]:
        """Return the nodes of the manager's events of this kind."""
        return {event.node for event in self._deployed.events() if event.kind == kind}

    def _involved(self) -> list[Member]:
        names = {server.name for run in self.runs for server in run.servers}
        names |= self._repaired
        return [node for node in self._deployed.solution.members if node.name in names]

    def _look_for_unexpected_primaries(self) -> None:
        reasons = self.node_recovery.reasons(self._involved())
        down_on_purpose = {
            server.name
            for run in self.runs
            if run.fault.stops_servers and run.fault.settings.lasts is None
            for server in run.servers
        }
        for record in self.records():
            if record.rejoin_detail and not record.rejoined:
                reasons |= {name: record.rejoin_detail for name in record.nodes if reasons.get(name)}
        self._unavailable = {
            name: "not restarted" if name in down_on_purpose else reason
            for name, reason in reasons.items()
            if reason
        }
