"""Pack the time lines of a cell's trials for the page, within a budget of bytes.

If all time lines fit the budget, they have steps of 10 ms. Otherwise steps are 10 ms within half a second of
the fault, of events and of the ends of interruptions, and 100 ms elsewhere. If that is still too much, fewer
trials are packed. A note next to the chart states what was left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import count
from fivenines.report.charts import live
from fivenines.report.moments import Moment, moments
from fivenines.results import layout

# The approximate size of all time lines of a page, in bytes.
BUDGET = 600_000

# The time before the fault that is shown.
BEFORE_MS = 3000.0

_COARSE, _NEAR_MS = 100, 500.0
# The measured size of a count and of a trial's words, compressed and in base64.
_BYTES_A_VALUE, _BYTES_A_TRIAL = 0.75, 1200

Label = Callable[[Any], str]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Plan:
    """What fits the budget: whether every step is 10 ms, and the number of trials of a cell."""

    fine: bool
    trials: int

    def note(self, packed: int, of: int) -> str:
        """Return the note next to the chart."""
        steps = "Counted in steps of 10 ms"
        if not self.fine:
            steps += " within half a second of an event, of 100 ms elsewhere"
        left = f" Shows {packed} of {count(of, 'trial')}, to keep the file small." if packed < of else ""
        return f"{steps}.{left}"


def plan(cells: Sequence[Sequence[TrialMeasures]], budget: int = BUDGET) -> Plan:
    """Return what fits the budget of the trials, which are grouped by cell."""
    most = max((len(trials) for trials in cells), default=0)
    if sum(_cost(trial, True) for trials in cells for trial in trials) <= budget:
        return Plan(True, most)
    costs = [[_cost(trial, False) for trial in trials] for trials in cells]
    while most > 1 and sum(sum(each[:most]) for each in costs) > budget:
        most -= 1
    return Plan(False, most)


def view(trial: TrialMeasures) -> tuple[float, float]:
    """Return start and end of the shown period, in ms of the trial."""
    assert trial.availability and trial.record.windows
    return max(0.0, trial.availability.fault_at - BEFORE_MS), trial.record.windows.end


def packed(
    trials: Sequence[TrialMeasures],
    planned: Plan,
    about: Callable[[TrialMeasures], str],
    label: Label,
    tops: Mapping[str, float] | None = None,
) -> str:
    """Return the first trials of a cell that fit, as compressed JSON in base64.

    `about` returns the sentence on a trial, `label` the text on an interruption. `tops` are the largest
    counts per 100 ms in the charts with the same scale. The page's `fivenines.timeline` reads the result.
    """
    first = trials[: planned.trials]
    content = {
        "note": planned.note(len(first), len(trials)),
        "tops": dict(tops or {}),
        "trials": [_trial(one, planned.fine, about(one), label) for one in first],
    }
    return live.packed(content)


def _cost(trial: TrialMeasures, fine: bool) -> float:
    first, blocks = _blocks(trial)
    near = blocks if fine else int(_near(trial, first, blocks).sum())
    slots = near * (_COARSE // layout.SLOT_MS) + blocks - near
    return 2 * slots * _BYTES_A_VALUE + _BYTES_A_TRIAL


def _blocks(trial: TrialMeasures) -> tuple[int, int]:
    """Return the start of the first block of 100 ms, in ms of the trial, and the number of blocks."""
    start, end = view(trial)
    first = int(start // _COARSE) * _COARSE
    return first, max(0, int((end - first) // _COARSE))  # the last, incomplete one is left out


def _trial(trial: TrialMeasures, fine: bool, about: str, label: Label) -> dict[str, Any]:
    assert trial.availability
    at = trial.availability.fault_at
    start, end = view(trial)
    events = moments(trial, since=BEFORE_MS)
    interruptions = trial.interruptions
    fault = trial.record.fault
    return {
        "id": trial.record.id,
        "about": about,
        "fault": f"{fault.kind} {fault.role}" if fault else "fault",
        "from": _seconds(start - at),
        "to": _seconds(end - at),
        "marks": [[round(one.t, 3), one.text, one.fault] for one in events],
        "panels": {
            what: {
                "steps": _steps(trial, counts, fine),
                "gaps": [
                    [_seconds(one.gap.start - at), _seconds(one.gap.end - at), label(one)] for one in gaps
                ],
            }
            for what, counts, gaps in (
                ("writes", trial.timeline.writes, interruptions.writes),
                ("reads", trial.timeline.reads, interruptions.reads),
            )
        },
    }


def _seconds(ms: float) -> float:
    return round(ms / 1000, 4)


def _steps(trial: TrialMeasures, counts: npt.NDArray[Any], fine: bool) -> list[list[Any]]:
    """Return segments of [seconds from the fault, width of a slot in ms, successes in each slot]."""
    assert trial.availability
    at, slot = trial.availability.fault_at, layout.SLOT_MS
    first, many = _blocks(trial)
    size = many * (_COARSE // slot)
    if not size:
        return []
    inside = (trial.timeline.slot >= first) & (trial.timeline.slot < first + size * slot)
    index = ((trial.timeline.slot[inside] - first) // slot).astype(np.int64)
    sums = np.bincount(index, weights=counts[inside], minlength=size).astype(np.int64)
    if not sums.any():
        return []
    blocks = sums.reshape(-1, _COARSE // slot)
    near = np.ones(many, bool) if fine else _near(trial, first, many)
    cuts = [0, *(np.flatnonzero(near[1:] != near[:-1]) + 1).tolist(), len(blocks)]
    return [
        [
            _seconds(first + low * _COARSE - at),
            slot if near[low] else _COARSE,
            (blocks[low:high].ravel() if near[low] else blocks[low:high].sum(axis=1)).tolist(),
        ]
        for low, high in pairwise(cuts)
    ]


def _near(trial: TrialMeasures, first: float, size: int) -> Mask:
    """Return a mask of the blocks near an event."""
    starts = first + np.arange(size) * float(_COARSE)
    near = np.zeros(size, bool)
    for edge in _edges(trial):
        near |= (starts + _COARSE > edge - _NEAR_MS) & (starts < edge + _NEAR_MS)
    return near


def _edges(trial: TrialMeasures) -> list[float]:
    """Return the times of faults, events and ends of interruptions, in ms of the trial, thinned out."""
    assert trial.availability
    at, both = trial.availability.fault_at, trial.interruptions
    gaps = [edge for one in (*both.writes, *both.reads) for edge in (one.gap.start, one.gap.end)]
    events: list[Moment] = moments(trial, since=BEFORE_MS)
    times = sorted([at, *gaps, *(at + 1000 * one.t for one in events)])
    edges: list[float] = []
    for time in times:
        if not edges or time - edges[-1] > _NEAR_MS / 2:
            edges.append(time)
    return edges
