"""Recovery point of a cluster that keeps its rows in memory: the time since its last global checkpoint.

Lag of the global checkpoint
    The time since the last completed checkpoint began. Commits before its beginning are on disk; later ones
    would be lost with all members of a node group. The lag grows from a checkpoint's duration by the distance
    of two checkpoints, and falls when a checkpoint completes. After the last one it grows until the load
    ends.

Data nodes log their checkpoints (table `incidents`), exact to the microsecond of their machine's clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.resources.series import Series
from fivenines.analysis.tables import by_trial
from fivenines.results.store import StoredTrial

# Name of the lag's series among counters.
LAG = "global_checkpoint_lag"

# Node name of the lag's series, which belongs to no single node.
WHOLE = "cluster"

_COMPLETED = "SELECT trial, t_ms, ms FROM rows WHERE kind = 'global checkpoint' ORDER BY trial, t_ms"
# Milliseconds between the peak and the fall of a line.
_STEP = 1e-3


@dataclass(frozen=True)
class Lag:
    """Lag in a window, in ms."""

    max: float
    mean: float


def lags(trials: Sequence[StoredTrial]) -> dict[str, Series]:
    """Return the lag over the time of each trial that has global checkpoints, by its folder's name."""
    ends = {item.folder.name: _end(item) for item in trials}
    return {
        trial: lag_of(rows["t_ms"].tolist(), rows["ms"].tolist(), ends[trial])
        for trial, rows in by_trial(trials, "incidents", _COMPLETED).items()
    }


def lag_of(completed: Sequence[float], took: Sequence[float], end: float) -> Series:
    """Return the lag from the first completed checkpoint to the end; all in ms, in the order of their
    moments.
    """
    times: list[float] = []
    values: list[float] = []
    began: float | None = None
    for t, ms in zip(completed, took, strict=True):
        if began is not None:
            times.append(t - _STEP)
            values.append(t - began)
        began = t - ms
        times.append(t)
        values.append(ms)
    if began is not None and end > times[-1]:
        times.append(end)
        values.append(end - began)
    return Series.of(times, values)


def lag_between(series: Series, start: float, end: float) -> Lag | None:
    """Return the largest lag and its mean over the time from `start` to `end`, of what is known of it."""
    if len(series) < 2:
        return None
    start, end = max(start, float(series.t[0])), min(end, float(series.t[-1]))
    if end <= start:
        return None
    inside = (series.t > start) & (series.t < end)
    t = np.concatenate(([start], series.t[inside], [end]))
    v = np.interp(t, series.t, series.v)
    return Lag(float(v.max()), float(np.trapezoid(v, t) / (end - start)))


def _end(trial: StoredTrial) -> float:
    return trial.record.windows.end if trial.record.windows else 0.0
