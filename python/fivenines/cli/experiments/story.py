"""Turn a campaign's events into text: permanent lines, and a status line.

Independent of any terminal, so that tests can use it: `progress` shows the text.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fivenines.analysis.wording import count, milliseconds, number
from fivenines.base import locks
from fivenines.base.units import about
from fivenines.campaign.remaining import seconds_left
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.results.records import CellKey, Decided, Settled, TrialRecord
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    CampaignStopped,
    CellSettled,
    ClaimsDecided,
    DataSet,
    EnginePull,
    Figures,
    Progress,
    ResultDropped,
    TrialBroken,
    TrialEvent,
    TrialFinished,
    TrialLive,
    TrialPhase,
    TrialStarted,
    WorkerLost,
)

Clock = Callable[[], float]

# Longest line for an event of a trial, which fits 80 columns after the time of day.
_LONGEST = 68


@dataclass
class _UnderWay:
    """A running trial."""

    began: float
    status: str = "set-up"
    fault_at: float | None = None


@dataclass
class Story:
    """Follow one campaign; `take` returns the permanent lines."""

    clock: Clock = time.monotonic
    total: int = 0
    done: int = 0
    expected: float = 0.0
    headline: str = "starting"
    finished: bool = False
    _preparing: str = ""
    _longest: bool = False
    _at_once: int = 1
    _durations: list[float] = field(default_factory=list)
    _cells: dict[str, str] = field(default_factory=dict)
    _running: dict[str, _UnderWay] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """Return the current activity; with parallel trials, one per trial with its id."""
        if len(self._running) < 2:
            return next((one.status for one in self._running.values()), self._preparing)
        return "; ".join(f"{trial} {one.status}" for trial, one in self._running.items())

    def take(self, event: Progress) -> list[str]:
        """Process an event and return the permanent lines to print."""
        match event:
            case EnginePull() | DataSet():
                return self._fetched(event)
            case CampaignStarted() | CellSettled() | ClaimsDecided() | CampaignStopped() | CampaignFinished():
                return self._campaign(event)
            case TrialEvent():
                return [self._event(event)]
            case TrialFinished() | TrialBroken() | WorkerLost():
                return [self._ended(event)]
            case ResultDropped(worker, trial_id):
                return [f"{trial_id}  dropped a late result of {worker}, whose connection was lost"]
        self._under_way(event)
        return []

    def _ended(self, event: TrialFinished | TrialBroken | WorkerLost) -> str:
        match event:
            case TrialBroken(trial_id, reason, will_retry):
                return self._broken(trial_id, reason, will_retry)
            case WorkerLost(worker, trial_id, reason):
                self._running.pop(trial_id, None)
                return f"{trial_id}  {worker} is lost: {reason} (the trial runs again)"
        return self._finished(event)

    def _campaign(
        self, event: CampaignStarted | CellSettled | ClaimsDecided | CampaignStopped | CampaignFinished
    ) -> list[str]:
        match event:
            case CellSettled(settled):
                self._spare(settled.spared)
                return [_settled(settled)]
            case ClaimsDecided(decided):
                self._spare(decided.spared)
                return [_decided(decided)]
            case CampaignStarted(total, expected_seconds, _, at_most, longest, at_once):
                self.total, self.expected, self._longest = total, expected_seconds, longest
                self._at_once = at_once
                most = "at most " if at_most else ""
                time = "at most " if at_most or longest else ""
                parallel = f", {at_once} in parallel" if at_once > 1 else ""
                trials = f"{most}{count(total, 'trial')} to run{parallel}"
                return [f"{trials}, {time}{_left(expected_seconds)}"]
            case CampaignStopped(left, reason):
                return [f"stopped ({reason or 'on request'}): {count(left, 'trial')} left"]
        self.finished, self._preparing = True, ""
        return []

    def _fetched(self, event: EnginePull | DataSet) -> list[str]:
        what = f"engine {event.engine}" if isinstance(event, EnginePull) else "data set"
        self._preparing = f"{what}: {event.message}{_percent(event.fraction)}"
        return self._waiting(event.message)

    def _under_way(self, event: Progress) -> None:
        match event:
            case TrialStarted(trial, index, worker):
                self._running[trial.id] = _UnderWay(self.clock())
                self._cells[trial.id] = _work_text(trial)
                on = f" on {worker}" if worker else ""
                self.headline = f"trial {index} of {self.total}{on}: {self._cells[trial.id]}"
                self._preparing = ""
            case TrialPhase(trial_id, phase, seconds):
                self._do(trial_id, f"{phase} ({_seconds(seconds)})" if seconds else phase)
            case TrialLive(trial_id, t, tps, qps, errors):
                counted = "no errors" if errors == 0 else f"{errors} errors"
                figures = f"{tps:.0f} tps"
                figures += f", {qps:.0f} qps, {counted}" if len(self._running) < 2 else ""
                self._do(trial_id, f"{t:.0f} s under load: {figures}")

    def _do(self, trial_id: str, status: str) -> None:
        self._running.setdefault(trial_id, _UnderWay(self.clock())).status = status

    def seconds_left(self) -> float | None:
        """Estimate the remaining seconds from the trials so far, or else from the plan."""
        now = self.clock()
        running = sum(now - one.began for one in self._running.values()) / self._at_once
        return seconds_left(self.total, self.done, self.expected, self._durations, running, self._at_once)

    def left(self) -> str:
        """Format the remaining time."""
        seconds = self.seconds_left()
        # After the first trial, the estimate uses measured durations.
        most = "at most " if self._longest and not self._durations else ""
        return "" if seconds is None or self.finished else f"{most}{_left(seconds)} left"

    def _event(self, event: TrialEvent) -> str:
        """Format an event: its time counts from the load's start, after a fault from the fault."""
        under_way = self._running.setdefault(event.trial_id, _UnderWay(self.clock()))
        if under_way.fault_at is None:
            under_way.fault_at = event.t if event.kind == "fault" else None
            moment = f"{event.t / 1000:.2f} s"
        else:
            moment = f"+{(event.t - under_way.fault_at) / 1000:.2f} s"
        words = [event.kind, event.node, event.detail]
        text = f"{event.trial_id}  {moment}  {' '.join(word for word in words if word)}"
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} \N{HORIZONTAL ELLIPSIS}"

    def _waiting(self, message: str) -> list[str]:
        """Keep a message about waiting on the screen, as no event follows until the wait is over."""
        return [self.status] if message.startswith(locks.WAITING) else []

    def _end_of_trial(self, trial_id: str, seconds: float | None) -> None:
        if seconds is not None:
            self._durations.append(seconds)
        self.done += 1
        self._running.pop(trial_id, None)

    def _spare(self, trials: int) -> None:
        if self.total:
            self.expected *= (self.total - trials) / self.total
        self.total -= trials

    def _finished(self, event: TrialFinished) -> str:
        record = event.record
        self._end_of_trial(record.id, record.seconds)
        cell = self._cells.get(record.id, "")
        if isinstance(record, TrialRecord):
            cell = cell_text(record.cell)
        summary = figures_text(event.figures)
        done = f"done in {_seconds(record.seconds)}"
        return f"{record.id}  {cell}: {f'{summary}: {done}' if summary else done}"

    def _broken(self, trial_id: str, reason: str, will_retry: bool) -> str:
        if not will_retry:
            self._end_of_trial(trial_id, None)
        then = "will be retried once" if will_retry else "not retried; its logs are kept"
        cell = self._cells.get(trial_id, "")
        return f"{trial_id}  {cell}: BROKEN: {reason} ({then})"


def figures_text(figures: Figures) -> str:
    """Summarise a trial, as `1 254 tps, outage 3.2 s, nothing lost`; empty if nothing was measured."""
    parts = [f"{number(round(figures.tps))} tps"] if figures.tps is not None else []
    if figures.outage_ms is not None:
        least = "" if figures.back else "at least "
        outage = f"outage {least}{milliseconds(figures.outage_ms)}"
        parts.append(outage if figures.outage_ms else "no outage")
    if figures.failed:
        parts.append(f"{count(figures.failed, 'transaction')} failed")
    if figures.lost is not None:
        parts.append(f"{number(figures.lost)} lost" if figures.lost else "nothing lost")
    return ", ".join(parts)


def cell_text(key: CellKey) -> str:
    """Format a cell in one line."""
    parts = [key.solution, key.workload, f"{key.connections} conn"]
    parts += [key.network] if key.network != "lan" else []
    parts += [key.fault] if key.fault != "none" else []
    return ", ".join(parts)


def _work_text(work: Trial | Block) -> str:
    """Format a trial's cell, or the solutions of an interleaved block."""
    if isinstance(work, Block):
        return f"interleaved: {' and '.join(cell.key.solution for cell in work.cells)}"
    return cell_text(work.cell.key)


def _settled(settled: Settled) -> str:
    """Describe a cell whose trials end early."""
    why = "settled" if settled.measured else "no value measured, so more trials would not help"
    return (
        f"{cell_text(settled.cell)}: {why} after {count(settled.trials, 'trial')}; "
        f"{settled.spared} spared, {_left(settled.seconds)}"
    )


def _decided(decided: Decided) -> str:
    """Describe the early end of a part of a study."""
    why = "no claim needs more" if decided.why == "decided" else "the time of the part is over"
    return f"{why} after {decided.replications} of each; {decided.spared} spared, {_left(decided.seconds)}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s"


def _left(seconds: float) -> str:
    return f"about {about(seconds)}"


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f" {fraction:.0%}"
