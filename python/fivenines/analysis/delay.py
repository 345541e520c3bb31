"""Replication delay: the truth, what servers say, and where what they say misleads.

The truth: how long ago the oldest acknowledged write was acknowledged that a node does not hold. From the
tables `ledger` (the acknowledgements) and `views` (what each node holds, asked of itself ten times a second,
beside the network). It is at least what a client can find stale there. Clients of the ledger write one after
another, so that a client's greatest id on a node says which of its writes the node lacks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fivenines.analysis.counters import split
from fivenines.analysis.series import Floats, Series, value_at
from fivenines.errors import FiveninesError
from fivenines.results.store import Column, StoredTrial, query

LATE_MS = 1000.0
"""A figure that says 0 misleads when the truth is above this."""

IN_MS = {"ms": 1.0, "s": 1000.0}
"""Units of time, in ms: figures in these can be compared with the truth."""

_TOLD = """
    SELECT trial, source, unit, node, t_ms, coalesce(value, 'nan'::DOUBLE) AS value
    FROM rows ORDER BY trial, source, node, t_ms
"""
_VIEWS = """
    SELECT trial, node, t_us, list_transform(seen, lambda id: coalesce(id, 0)) AS seen
    FROM rows ORDER BY trial, node, t_us
"""
_WRITES = """
    SELECT trial, client, id, completed_us FROM rows
    WHERE kind = 'write' AND outcome = 'ok' ORDER BY trial, client, id
"""


@dataclass(frozen=True)
class Figure:
    """One figure of the servers: its own name, its unit, and its samples for each node that lags."""

    source: str
    unit: str
    nodes: dict[str, Series]


@dataclass(frozen=True)
class Delays:
    """Of one trial: the truth in ms for each node, and what servers say."""

    truth: dict[str, Series] = field(default_factory=dict)
    told: list[Figure] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """A figure beside the truth at the same moments; all times in ms, counts are of samples.

    `zero` counts those that said 0 while the truth was above `LATE_MS`, `zero_worst` the worst truth then;
    `null` those that said NULL, and the worst truth then; `over` those that said at least `LATE_MS` more
    than the truth.
    """

    samples: int
    told: Floats
    truth: Floats
    zero: int = 0
    zero_worst: float = 0.0
    null: int = 0
    null_worst: float = 0.0
    over: int = 0

    @property
    def misled(self) -> bool:
        """Whether it said anything that was badly wrong, or said nothing while there was delay."""
        return bool(self.zero or self.over or (self.null and self.null_worst > LATE_MS))


def delays(trials: Sequence[StoredTrial]) -> dict[str, Delays]:
    """The delays of each trial by its id; a damaged table counts as absent."""
    told, views, writes = (
        _by_trial(trials, table, sql)
        for table, sql in (("delay", _TOLD), ("views", _VIEWS), ("ledger", _WRITES))
    )
    names = {trial.folder.name for trial in trials} & (told.keys() | views.keys())
    return {
        name: Delays(_truth(views.get(name), writes.get(name)), _figures(told.get(name)))
        for name in names
    }


def truth(
    t_us: Column, seen: Sequence[Sequence[int]], writes: Mapping[int, tuple[Column, Column]]
) -> Series:
    """The true delay of one node at each of its views.

    Args:
        t_us: moments of the views.
        seen: for each view the greatest id that the node holds of each client; 0: nothing yet.
        writes: for each client the ids of its acknowledged writes, ascending, and their moments in us.
    """
    times = np.asarray(t_us, dtype=np.float64)
    late = np.zeros(len(times))
    for client, (ids, completed) in writes.items():
        held = np.array([_held(view, client) for view in seen], dtype=np.int64)
        missing = np.searchsorted(ids, held, "right")
        moments = np.append(np.asarray(completed, dtype=np.float64), np.inf)[missing]
        late = np.maximum(late, np.where(np.isinf(moments), 0.0, times - moments))
    return Series(times / 1000, late / 1000)


def judge(figure: Series, unit: str, true: Series) -> Verdict:
    """A figure of one node beside the truth; of a figure that is no time only zeros and NULLs are judged."""
    actual = value_at(true, figure.t, 1500.0)
    known = ~np.isnan(actual)
    said, actual = figure.v[known], actual[known]
    null, late = np.isnan(said), actual > LATE_MS
    zero = (said == 0) & late
    in_ms = said * IN_MS.get(unit, np.nan)
    return Verdict(
        samples=len(said),
        told=said[~null],
        truth=actual,
        zero=int(zero.sum()),
        zero_worst=float(actual[zero].max(initial=0.0)),
        null=int(null.sum()),
        null_worst=float(actual[null].max(initial=0.0)),
        over=int((in_ms - actual >= LATE_MS).sum()),
    )


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Several nodes or trials as one."""
    return Verdict(
        samples=sum(one.samples for one in verdicts),
        told=np.concatenate([one.told for one in verdicts]),
        truth=np.concatenate([one.truth for one in verdicts]),
        zero=sum(one.zero for one in verdicts),
        zero_worst=max(one.zero_worst for one in verdicts),
        null=sum(one.null for one in verdicts),
        null_worst=max(one.null_worst for one in verdicts),
        over=sum(one.over for one in verdicts),
    )


def _held(view: Sequence[int], client: int) -> int:
    return int(view[client]) if client < len(view) else 0


def _by_trial(trials: Sequence[StoredTrial], table: str, sql: str) -> dict[str, dict[str, Column]]:
    try:
        return split(query(trials, table, sql), "trial")
    except FiveninesError:
        return {}


def _figures(columns: Mapping[str, Column] | None) -> list[Figure]:
    found = []
    for source, rows in split(columns, "source").items() if columns else ():
        nodes = {
            node: Series.of(part["t_ms"], part["value"])
            for node, part in split(rows, "node").items()
        }
        found.append(Figure(source, str(rows["unit"][0]), nodes))
    return found


def _truth(
    views: Mapping[str, Column] | None, writes: Mapping[str, Column] | None
) -> dict[str, Series]:
    if not views or not writes:
        return {}
    of_clients = {
        int(rows["client"][0]): (rows["id"], rows["completed_us"])
        for rows in split(writes, "client").values()
    }
    return {
        node: truth(rows["t_us"], list(rows["seen"]), of_clients)
        for node, rows in split(views, "node").items()
    }
