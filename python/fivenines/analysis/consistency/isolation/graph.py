"""The graph of dependencies between committed transactions (Adya 1999, chapter 3).

    ww  its append comes directly before the other's in the order of a key
    wr  the other read a version that ends with its append
    rw  it read a version directly behind which the other appended (anti-dependency)

Appends of committed transactions that no read shows come after all that were read; their order among
each other is unknown. So the reader of the longest list precedes them (rw), and so does the writer of its
last element (ww). At most `MOST_UNSEEN` of them count for each key, the earliest begun first: a thousand lost
appends and a thousand reads would otherwise give a million edges.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fivenines.analysis.consistency.isolation.history import ABSENT, OK, History, Ints

WW, WR, RW = 0, 1, 2
# Edges of time, see `time_order`.
PROCESS, REAL_TIME = 3, 4
KINDS = ("ww", "wr", "rw", "process", "realtime")
MOST_UNSEEN = 16

# From, to, kind, key, value: the appended element that shows the dependency.
Edge = tuple[int, int, int, int, int]


_Part = tuple[Ints, Ints, int, Ints, Ints]


@dataclass(frozen=True)
class Edges:
    """Arrays of equal length: from, to (transactions), kind, key, and the element that shows it."""

    source: Ints
    target: Ints
    kind: npt.NDArray[np.int8]
    key: Ints
    value: Ints

    def __len__(self) -> int:
        return len(self.source)

    def edge(self, row: int) -> Edge:
        """Return an edge as plain numbers."""
        return (
            int(self.source[row]),
            int(self.target[row]),
            int(self.kind[row]),
            int(self.key[row]),
            int(self.value[row]),
        )

    def with_more(self, other: "Edges") -> "Edges":
        """Return these edges and then others."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return Edges(*map(np.concatenate, columns))

    def chosen(self, rows: npt.NDArray[np.bool_] | Ints) -> "Edges":
        """Return the chosen edges."""
        return Edges(*(column[rows] for column in vars(self).values()))


def edges_of(history: History) -> Edges:
    """Return all dependencies of a transaction on another one."""
    orders = history.orders
    writer = orders.writer
    shown = np.flatnonzero((writer != ABSENT) & history.alive[writer] & ~orders.again)
    key = orders.key[shown]
    next_to = np.flatnonzero(key[1:] == key[:-1])
    before, after = shown[next_to], shown[next_to + 1]
    parts: list[_Part] = [
        (writer[before], writer[after], WW, orders.key[after], orders.value[after]),
        _read_from(history, shown),
        _read_before(history, shown),
        *_unseen(history, shown),
    ]
    source, target, key_of, value = (
        np.concatenate([part[column] for part in parts]) for column in (0, 1, 3, 4)
    )
    kind = np.concatenate([np.full(len(part[0]), part[2], dtype=np.int8) for part in parts])
    edges = Edges(source, target, kind, key_of, value)
    return edges.chosen(edges.source != edges.target)


def _read_from(history: History, shown: Ints) -> _Part:
    """wr: from the writer of the last element of each read to the reader."""
    orders, reads = history.orders, history.reads
    some = np.flatnonzero(reads.fits & (reads.n > 0))
    end = orders.start[reads.key[some]] + reads.n[some] - 1
    good = np.isin(end, shown)
    some, end = some[good], end[good]
    return orders.writer[end], reads.txn[some], WR, reads.key[some], orders.value[end]


def _read_before(history: History, shown: Ints) -> _Part:
    """rw: from each reader to the writer of the next committed element of the key."""
    orders, reads = history.orders, history.reads
    fitting = np.flatnonzero(reads.fits)
    end = orders.start[reads.key[fitting]] + reads.n[fitting]
    if not len(shown):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, RW, nothing, nothing
    at = np.searchsorted(shown, end)
    follows = shown[np.minimum(at, len(shown) - 1)]
    good = (at < len(shown)) & (orders.key[follows] == reads.key[fitting])
    reader, follows = reads.txn[fitting[good]], follows[good]
    return reader, orders.writer[follows], RW, orders.key[follows], orders.value[follows]


def _unseen(history: History, shown: Ints) -> list[_Part]:
    """rw and ww to committed appends that no read shows."""
    appends, reads, orders = history.appends, history.reads, history.orders
    unseen = np.flatnonzero((appends.place == ABSENT) & (history.outcome[appends.txn] == OK))
    unseen = unseen[np.lexsort((history.started[appends.txn[unseen]], appends.key[unseen]))]
    key = appends.key[unseen]
    rank = np.arange(len(key)) - np.searchsorted(key, key)
    unseen = unseen[rank < MOST_UNSEEN]
    key = appends.key[unseen]
    start = np.searchsorted(key, np.arange(len(history.keys) + 1))
    length = np.diff(orders.start)
    full = np.flatnonzero(reads.fits & (reads.n == length[reads.key]))
    row, partner = _product(start, reads.key[full])
    readers = reads.txn[full[row]]
    anti = unseen[partner]
    ends = np.searchsorted(shown, orders.start[1:]) - 1
    has = (ends >= 0) & (ends >= np.searchsorted(shown, orders.start[:-1]))
    keys = np.flatnonzero(has)
    row, partner = _product(start, keys)
    writers = orders.writer[shown[ends[keys[row]]]] if len(row) else row
    later = unseen[partner]
    return [
        (readers, appends.txn[anti], RW, appends.key[anti], appends.value[anti]),
        (writers, appends.txn[later], WW, appends.key[later], appends.value[later]),
    ]


def _product(start: Ints, keys: Ints) -> tuple[Ints, Ints]:
    """Return each entry of `keys` with each of its key's entries [start[key], start[key + 1])."""
    many = start[keys + 1] - start[keys]
    row = np.repeat(np.arange(len(keys)), many)
    offset = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
    return row, start[keys][row] + offset


def components(edges: Edges, size: int) -> Ints:
    """Return the strongly connected component of each of `size` transactions, as a number."""
    # A seventh of the start of `fivenines run`, and only a history of transactions needs it.
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    weights = np.ones(len(edges), dtype=np.int8)
    matrix = coo_array((weights, (edges.source, edges.target)), shape=(size, size)).tocsr()
    labels = connected_components(matrix, directed=True, connection="strong")[1]
    return labels.astype(np.int64)


def inner(edges: Edges, size: int) -> Edges:
    """Return the edges within strongly connected components: those that lie on a cycle."""
    labels = components(edges, size)
    return edges.chosen(labels[edges.source] == labels[edges.target])
