"""The time lines of the trials of a cell, small enough to travel in the page.

Where all of them fit the budget, each slot of 10 ms is there. Else 10 ms are kept within half a second
of the fault, of the ends of interruptions and of what happened, and 100 ms elsewhere, where nothing
happens that the eye would miss; then fewer trials. What was left out is said beside the chart.
"""

import base64
import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import count
from fivenines.report.charts.live import safe
from fivenines.report.moments import Moment, moments
from fivenines.results import layout

BUDGET = 600_000
"""So many bytes the time lines of a page may take, about."""

BEFORE_MS = 3000.0
"""So much is shown before the fault."""

_COARSE, _NEAR_MS = 100, 500.0
_BYTES_A_VALUE, _BYTES_A_TRIAL = 0.75, 1200
"""What a count costs, compressed and written as base64, and the words of a trial; measured."""

Label = Callable[[Any], str]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Plan:
    """What fits: whether all slots of 10 ms are kept, and how many trials of a cell."""

    fine: bool
    trials: int

    def note(self, kept: int, of: int) -> str:
        """What a reader is told of it, beside the chart."""
        steps = "Counted in steps of 10 ms"
        if not self.fine:
            steps += " within half a second of what happened, of 100 ms elsewhere"
        left = f" {kept} of {count(of, 'trial')} are here, to keep the file small." if kept < of else ""
        return f"{steps}.{left}"


def plan(cells: Sequence[Sequence[TrialMeasures]], budget: int = BUDGET) -> Plan:
    """What of these trials, by cells, fits the budget."""
    most = max((len(trials) for trials in cells), default=0)
    if sum(_cost(trial, True) for trials in cells for trial in trials) <= budget:
        return Plan(True, most)
    costs = [[_cost(trial, False) for trial in trials] for trials in cells]
    while most > 1 and sum(sum(each[:most]) for each in costs) > budget:
        most -= 1
    return Plan(False, most)


def view(trial: TrialMeasures) -> tuple[float, float]:
    """What is shown of a trial, in ms of the trial."""
    assert trial.availability and trial.record.windows
    return max(0.0, trial.availability.fault_at - BEFORE_MS), trial.record.windows.end


def packed(
    trials: Sequence[TrialMeasures],
    planned: Plan,
    about: Callable[[TrialMeasures], str],
    label: Label,
    tops: Mapping[str, float] | None = None,
) -> str:
    """The first trials of a cell, so many as fit: JSON, compressed, as base64.

    `about` is the sentence on a trial, `label` that on an interruption; `tops` are the largest counts of
    100 ms in the charts that have the same scale. `fivenines.timeline` reads it.
    """
    kept = trials[: planned.trials]
    found = {
        "note": planned.note(len(kept), len(trials)),
        "tops": dict(tops or {}),
        "trials": [_trial(one, planned.fine, about(one), label) for one in kept],
    }
    data = gzip.compress(safe(found).encode(), compresslevel=6, mtime=0)
    return base64.b64encode(data).decode()


def _cost(trial: TrialMeasures, fine: bool) -> float:
    first, blocks = _blocks(trial)
    near = blocks if fine else int(_near(trial, first, blocks).sum())
    slots = near * (_COARSE // layout.SLOT_MS) + blocks - near
    return 2 * slots * _BYTES_A_VALUE + _BYTES_A_TRIAL


def _blocks(trial: TrialMeasures) -> tuple[int, int]:
    """Where the first block of 100 ms begins, in ms of the trial, and how many there are."""
    start, end = view(trial)
    first = int(start // _COARSE) * _COARSE
    return first, max(0, int((end - first) // _COARSE))  # the last, incomplete one is left out


def _trial(trial: TrialMeasures, fine: bool, about: str, label: Label) -> dict[str, Any]:
    assert trial.availability
    at = trial.availability.fault_at
    start, end = view(trial)
    happened = moments(trial, since=BEFORE_MS)
    found = trial.interruptions
    fault = trial.record.fault
    return {
        "id": trial.record.id,
        "about": about,
        "fault": f"{fault.kind} {fault.role}" if fault else "fault",
        "from": _seconds(start - at),
        "to": _seconds(end - at),
        "marks": [[round(one.t, 3), one.text, one.fault] for one in happened],
        "panels": {
            what: {
                "steps": _steps(trial, counts, fine),
                "gaps": [
                    [_seconds(one.gap.start - at), _seconds(one.gap.end - at), label(one)] for one in gaps
                ],
            }
            for what, counts, gaps in (
                ("writes", trial.timeline.writes, found.writes),
                ("reads", trial.timeline.reads, found.reads),
            )
        },
    }


def _seconds(ms: float) -> float:
    return round(ms / 1000, 4)


def _steps(trial: TrialMeasures, counts: npt.NDArray[Any], fine: bool) -> list[list[Any]]:
    """Stretches of [seconds from the fault, width of a slot in ms, successes in each slot]."""
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
    """Which blocks lie within a second of something."""
    starts = first + np.arange(size) * float(_COARSE)
    found = np.zeros(size, bool)
    for edge in _edges(trial):
        found |= (starts + _COARSE > edge - _NEAR_MS) & (starts < edge + _NEAR_MS)
    return found


def _edges(trial: TrialMeasures) -> list[float]:
    """The fault, the ends of interruptions and what happened, in ms of the trial; those far apart only."""
    assert trial.availability
    at, found = trial.availability.fault_at, trial.interruptions
    gaps = [edge for one in (*found.writes, *found.reads) for edge in (one.gap.start, one.gap.end)]
    events: list[Moment] = moments(trial, since=BEFORE_MS)
    times = sorted([at, *gaps, *(at + 1000 * one.t for one in events)])
    kept: list[float] = []
    for time in times:
        if not kept or time - kept[-1] > _NEAR_MS / 2:
            kept.append(time)
    return kept
