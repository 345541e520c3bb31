"""Cycles that close only in time: what a single copy that answers at once would never show.

A transaction that did not see what had been acknowledged before it began is the simplest one
(G-single-realtime, or -process if its own client had done it): a stale read. Those are counted at once. The
others are searched for as `cycles` does, with edges of time among those that are no rw. A cycle that closes
without time is an anomaly of its own, and not counted here; one of a client is not counted as one of real
time again.
"""

import time

import numpy as np

from fivenines.analysis.consistency.isolation.cycles import Cycle, Cycles, Paths, Search, renumbered
from fivenines.analysis.consistency.isolation.graph import (
    KINDS,
    PROCESS,
    REAL_TIME,
    RW,
    WR,
    Edges,
    components,
    inner,
)
from fivenines.analysis.consistency.isolation.history import Flags, History, Ints
from fivenines.analysis.consistency.isolation.time_order import (
    Ordered,
    by_process,
    by_real_time,
    without_moments,
)


def find_in_time(history: History, edges: Edges, limit: int, seconds: float) -> Cycles:
    """Find the cycles that have an edge of time.

    Args:
        history: its clients have one clock.
        edges: all dependencies.
        limit: maximum number of stored cycles of each kind.
        seconds: the search for cycles with rw that are no stale reads ends after this time, see
            `Cycles.searched`.
    """
    search = _Search(history, edges, limit, time.monotonic() + seconds)
    search.run(by_process(history), PROCESS)
    search.run(by_real_time(history), REAL_TIME)
    return search.found


class _Search:
    """The search; `found` are the cycles."""

    def __init__(self, history: History, edges: Edges, limit: int, deadline: float) -> None:
        self._size = len(history.txns)
        self._edges, self._limit, self._deadline = edges, limit, deadline
        self._seen: set[frozenset[int]] = set()
        # Pairs of transactions that show a stale read, as one number each.
        self._stale = np.zeros(0, dtype=np.int64)
        self.found = Cycles()

    def run(self, order: Ordered, kind: int) -> None:
        """Add the cycles of one order; `kind` is that of its edges."""
        cyclic = inner(self._edges.with_more(order.edges), order.size)
        if not len(cyclic):
            return
        anti = cyclic.chosen(cyclic.kind == RW)
        stale = order.precedes(anti.target, anti.source)
        self._stale_reads(anti.chosen(stale), kind)
        small, nodes = renumbered(cyclic)
        self._calm(small.chosen(small.kind != RW), nodes, kind)
        self._others(small, nodes, order, kind)

    def _stale_reads(self, anti: Edges, kind: int) -> None:
        """Add the pairs of an rw edge against the order."""
        pairs, first = np.unique(self._pairs(anti.source, anti.target), return_index=True)
        new = ~np.isin(pairs, self._stale)
        self._stale = np.union1d(self._stale, pairs)
        name = f"G-single-{KINDS[kind]}"
        rows = first[new]
        for row in rows[: self._limit]:
            edge = anti.edge(int(row))
            self.found.add(name, [edge, (edge[1], edge[0], kind, -1, -1)], self._limit)
        if len(rows) > self._limit:
            self.found.counts[name] += len(rows) - self._limit

    def _calm(self, edges: Edges, nodes: Ints, kind: int) -> None:
        """Add a cycle without rw for each component that has an edge of time."""
        labels = components(edges, len(nodes))
        within = edges.chosen(labels[edges.source] == labels[edges.target])
        marked = np.flatnonzero(within.kind == kind)
        if not len(marked):
            return
        _, first = np.unique(labels[within.source[marked]], return_index=True)
        paths = Paths(within, len(nodes))
        for row in marked[first]:
            edge = within.edge(int(row))
            back = paths.find(edge[1], edge[0], float("inf"))
            assert back is not None, "both ends are in one component"
            cycle = [edge, *back]
            self._add("G1c" if any(step[2] == WR for step in cycle) else "G0", cycle, nodes, kind)

    def _others(self, edges: Edges, nodes: Ints, order: Ordered, kind: int) -> None:
        """Add the cycles with rw that are longer than a stale read."""
        anti = edges.chosen(edges.kind == RW)
        left: Flags = ~order.precedes(nodes[anti.target], nodes[anti.source])
        anti = anti.chosen(left)
        self.found.all += len(anti)
        search = Search(edges, len(nodes), self._deadline)
        for row in range(len(anti)):
            try:
                name, cycle = search.through(anti.edge(row))
            except TimeoutError:
                return
            self.found.searched += 1
            self._add(name, cycle, nodes, kind)

    def _add(self, name: str, cycle: Cycle, nodes: Ints, kind: int) -> None:
        """Add a cycle, unless it needs no time or is known."""
        if not any(step[2] == kind for step in cycle):
            return
        named = [(int(nodes[step[0]]), int(nodes[step[1]]), *step[2:]) for step in cycle]
        whole = without_moments(named, self._size)
        members = frozenset(step[0] for step in whole)
        if members not in self._seen:
            self._seen.add(members)
            self.found.add(f"{name}-{KINDS[kind]}", whole, self._limit)

    def _pairs(self, source: Ints, target: Ints) -> Ints:
        ints: Ints = source * self._size + target
        return ints
