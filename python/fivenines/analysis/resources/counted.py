"""All counters of a trial's servers in the steady window, summed over nodes; computed on demand and cached.

There are hundreds of names, so figures are arrays in the order of the names. Both the gain (`gain_between`,
for cumulative counters) and the mean (for gauges) are computed; the caller chooses. A node without samples in
the window makes the sum unknown.

A counter that a node's sample lacks was 0 (`layout.TABLES`). A counter that no sample of the trial has is
unknown: it may have been 0 throughout, or its name may be misspelt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from fivenines.analysis.availability.availability import steady_window
from fivenines.analysis.figure_cache import Kind, cached
from fivenines.analysis.resources.counters import pivoted
from fivenines.analysis.resources.series import Series, gain_between, mean_between, summed
from fivenines.analysis.tables import by_trial
from fivenines.results.store import StoredTrial

# Row counters of servers, without those of temporary tables.
ROWS = (
    "Innodb_rows_inserted",
    "Innodb_rows_updated",
    "Innodb_rows_deleted",
    "pg_stat_database.tup_inserted",
    "pg_stat_database.tup_updated",
    "pg_stat_database.tup_deleted",
)

Floats = npt.NDArray[np.float64]

# All counters: many more than those that reports draw.
_ALL = "SELECT trial, node AS who, t_ms, name, value FROM rows ORDER BY trial, node, t_ms"


@dataclass(frozen=True)
class Counted:
    """Counters of one trial: `gained` and `means` (NaN: unknown) for each of `names`; `seconds` of the
    window.

    `rows`: rows changed (inserted, updated, deleted) on the node that changed most. A replica changes them
    again, or counts none, so the sum over the nodes would depend on the kind of replication.
    """

    seconds: float = 0.0
    names: list[str] = field(default_factory=list)
    gained: Floats = field(default_factory=lambda: np.zeros(0))
    means: Floats = field(default_factory=lambda: np.zeros(0))
    rows: float | None = None

    def gain(self, name: str) -> float | None:
        """Return the gain of a counter in the window."""
        return self._of(self.gained, name)

    def mean(self, name: str) -> float | None:
        """Return the mean in the window of the sum over all nodes."""
        return self._of(self.means, name)

    def _of(self, values: Floats, name: str) -> float | None:
        if name not in self.names:
            return None
        value = float(values[self.names.index(name)])
        return None if np.isnan(value) else value


def counted(trial: StoredTrial) -> Counted:
    """Return the counters of one trial."""
    return next(cached(COUNTED, [trial]))


def names_counted(trials: Sequence[StoredTrial]) -> list[str]:
    """Return the counters that any of these trials has, in the order of their names."""
    return sorted({name for item in cached(COUNTED, trials) for name in item.names})


def _compute(trials: Sequence[StoredTrial]) -> list[Counted]:
    # One trial at a time: a table of all counters is long, and of many trials too long for memory.
    return [_of_trial(trial) for trial in trials]


COUNTED = Kind("counted", Counted, _compute)


def _of_trial(trial: StoredTrial) -> Counted:
    start, end = steady_window(trial.record)
    rows = by_trial([trial], "counters", _ALL).get(trial.folder.name)
    if rows is None or end <= start:
        return Counted()
    samples = pivoted(rows)
    names = sorted(samples)
    each = [list(samples[name].values()) for name in names]
    gains = [_sum(item, start, end, mean=False) for item in each]
    means = [_sum(item, start, end, mean=True) for item in each]
    changed = [gain_between(item, start, end) for item in summed(samples, ROWS).values()]
    rows_changed = [item for item in changed if item is not None]
    return Counted(
        (end - start) / 1000,
        names,
        np.array(gains),
        np.array(means),
        max(rows_changed) if rows_changed and len(rows_changed) == len(changed) else None,
    )


def _sum(nodes: Sequence[Series], start: float, end: float, *, mean: bool) -> float:
    of = mean_between if mean else gain_between
    result = [of(node, start, end) for node in nodes]
    return float("nan") if any(item is None for item in result) else float(sum(item or 0 for item in result))
