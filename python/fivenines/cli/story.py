"""What a campaign's events mean for a person: lines that stay, and one line that says where it is.

Free of any terminal, so that it can be tested: `progress` shows it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fivenines import locks
from fivenines.experiment.duet_plan import Block
from fivenines.experiment.plan import Trial
from fivenines.results.records import CellKey, Settled, TrialRecord
from fivenines.runner.progress import (
    CampaignFinished,
    CampaignStarted,
    CellSettled,
    DataSet,
    EnginePull,
    Progress,
    TrialBroken,
    TrialFinished,
    TrialLive,
    TrialPhase,
    TrialStarted,
)
from fivenines.units import about

Clock = Callable[[], float]


@dataclass
class Story:
    """Follows one campaign; `tell` returns the lines that stay on the screen."""

    clock: Clock = time.monotonic
    total: int = 0
    done: int = 0
    expected: float = 0.0
    headline: str = "starting"
    status: str = ""
    finished: bool = False
    _durations: list[float] = field(default_factory=list)
    _trial_began: float | None = None
    _cells: dict[str, str] = field(default_factory=dict)

    def tell(self, event: Progress) -> list[str]:
        """Take in an event; the lines to print now and keep."""
        match event:
            case CampaignStarted(total, expected_seconds, at_most):
                self.total, self.expected = total, expected_seconds
                most = "at most " if at_most else ""
                return [f"{most}{total} {_trials(total)} to do, {most}{_left(expected_seconds)}"]
            case EnginePull(_, message, fraction) | DataSet(message, fraction):
                what = f"engine {event.engine}" if isinstance(event, EnginePull) else "data set"
                self.status = f"{what}: {message}{_percent(fraction)}"
                return self._waiting(message)
            case TrialStarted(trial, index):
                self._trial_began = self.clock()
                self._cells[trial.id] = _work_text(trial)
                self.headline = f"trial {index} of {self.total}: {self._cells[trial.id]}"
                self.status = "set-up"
            case TrialPhase(_, phase, expected_seconds):
                self.status = (
                    f"{phase} ({_seconds(expected_seconds)})" if expected_seconds else phase
                )
            case TrialLive(_, t, tps, qps, errors):
                counted = "no errors" if errors == 0 else f"{errors} errors"
                self.status = f"{t:.0f} s under load: {tps:.0f} tps, {qps:.0f} qps, {counted}"
            case TrialFinished(record):
                self._end_of_trial(record.seconds)
                self.status = ""
                cell = self._cells.get(record.id, "")
                if isinstance(record, TrialRecord):
                    cell = cell_text(record.cell)
                return [f"{record.id}  {cell}: done in {_seconds(record.seconds)}"]
            case TrialBroken(trial_id, reason, will_retry):
                return [self._broken(trial_id, reason, will_retry)]
            case CellSettled(settled):
                self._spare(settled.spared)
                return [_settled(settled)]
            case CampaignFinished():
                self.finished = True
                self.status = ""
        return []

    def seconds_left(self) -> float | None:
        """About how long it still takes: what trials took so far, else what was expected."""
        if not self.total:
            return None
        each = self.expected / self.total
        if self._durations:
            each = sum(self._durations) / len(self._durations)
        running = self.clock() - self._trial_began if self._trial_began is not None else 0.0
        return max(0.0, (self.total - self.done) * each - min(running, each))

    def left(self) -> str:
        """The time left, in words."""
        seconds = self.seconds_left()
        return "" if seconds is None or self.finished else _left(seconds) + " left"

    def _waiting(self, message: str) -> list[str]:
        """Nothing more will be told until it is over, so it stays on the screen."""
        return [self.status] if message.startswith(locks.WAITING) else []

    def _end_of_trial(self, seconds: float | None) -> None:
        if seconds is not None:
            self._durations.append(seconds)
        self.done += 1
        self._trial_began = None

    def _spare(self, trials: int) -> None:
        if self.total:
            self.expected *= (self.total - trials) / self.total
        self.total -= trials

    def _broken(self, trial_id: str, reason: str, will_retry: bool) -> str:
        if not will_retry:
            self._end_of_trial(None)
        then = "it is tried once more" if will_retry else "given up; its logs are kept"
        cell = self._cells.get(trial_id, "")
        return f"{trial_id}  {cell}: BROKEN: {reason} ({then})"


def cell_text(key: CellKey) -> str:
    """A cell in one line."""
    parts = [key.solution, key.workload, f"{key.connections} conn"]
    parts += [key.network] if key.network != "lan" else []
    parts += [key.fault] if key.fault != "none" else []
    return ", ".join(parts)


def _work_text(work: Trial | Block) -> str:
    """A trial's cell, or the solutions of a duet."""
    if isinstance(work, Block):
        return f"side by side: {' and '.join(cell.key.solution for cell in work.cells)}"
    return cell_text(work.cell.key)


def _settled(settled: Settled) -> str:
    """What became of a cell whose trials end early."""
    why = "settled" if settled.measured else "not measured, so that more trials would not tell it"
    return (
        f"{cell_text(settled.cell)}: {why} after {settled.trials} {_trials(settled.trials)}; "
        f"{settled.spared} spared, {_left(settled.seconds)}"
    )


def _trials(number: int) -> str:
    return "trial" if number == 1 else "trials"


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s"


def _left(seconds: float) -> str:
    return f"about {about(seconds)}"


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f" {fraction:.0%}"
