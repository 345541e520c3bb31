"""The states of members that speak no SQL, as curves: 2 started, 1 starting or stopping, 0 not connected."""

from collections.abc import Sequence

import numpy as np

from fivenines.analysis.resources.series import Series
from fivenines.analysis.tables import Columns, by_trial, split
from fivenines.results.store import StoredTrial

# Name of the series among counters.
STATE = "member_state"

_CHANGES = "SELECT trial, t_us / 1000.0 AS t, node, state FROM rows ORDER BY trial, node, t"
_STEP = 1e-3
_LEVELS = {"started": 2.0, "not connected": 0.0, "not known": float("nan")}


def state_curves(trials: Sequence[StoredTrial]) -> dict[str, dict[str, Series]]:
    """Return the curve of each member, by trial."""
    ends = {item.folder.name: item.record.windows.end if item.record.windows else 0.0 for item in trials}
    return {
        trial: {node: _curve(rows, ends[trial]) for node, rows in split(columns, "node").items()}
        for trial, columns in by_trial(trials, "members", _CHANGES).items()
    }


def _curve(rows: Columns, end: float) -> Series:
    """Return a step line: each state from its time to that of the next state."""
    times: list[float] = []
    values: list[float] = []
    for t, state in zip(rows["t"].tolist(), rows["state"].tolist(), strict=True):
        level = _LEVELS.get(str(state), 1.0)
        if times:
            times.append(max(t - _STEP, times[-1]))
            values.append(values[-1])
        times.append(t)
        values.append(level)
    if times and end > times[-1]:
        times.append(end)
        values.append(values[-1])
    return Series(np.array(times), np.array(values))
