"""Cycles that close only in time: what a single copy that answers at once would never show.

A transaction that did not see what had been acknowledged before it began is the simplest one
(G-single-realtime, or -process if its own client had done it): a stale read. Such dependencies against the
order are counted at once, and then left out, as one of them would lie on many longer cycles. The others are
searched for as `cycles` does, with edges of time among those that are no rw; again, an rw edge that has been
found with time alone is left out of the search for cycles with several. A cycle that closes without time is
an anomaly of its own, and not counted here; one of a client is not counted as one of real time again.
"""

import time
from collections.abc import Iterator

import numpy as np

from fivenines.analysis.consistency.isolation.cycles import Cycle, Cycles, Paths, Search, renumbered
from fivenines.analysis.consistency.isolation.graph import (
    KINDS,
    PROCESS,
    REAL_TIME,
    RW,
    WR,
    WW,
    Edges,
    components,
    inner,
)
from fivenines.analysis.consistency.isolation.history import History, Ints
from fivenines.analysis.consistency.isolation.time_order import (
    Ordered,
    by_process,
    by_real_time,
    with_whole_steps,
)

_AGAINST = {WW: "G0", WR: "G1c", RW: "G-single"}


def find_in_time(history: History, edges: Edges, limit: int, seconds: float) -> Cycles:
    """Find the cycles that have an edge of time.

    Args:
        history: its clients have one clock.
        edges: all dependencies.
        limit: maximum number of stored cycles of each kind.
        seconds: for each of both orders, the search for cycles with rw ends after this time, see
            `Cycles.searched`.
    """
    search = _Search(len(history.txns), edges, limit, seconds)
    search.run(by_process(history), PROCESS)
    search.run(by_real_time(history), REAL_TIME)
    return search.found


class _Search:
    """The search; `found` are the cycles."""

    def __init__(self, size: int, edges: Edges, limit: int, seconds: float) -> None:
        self._size, self._edges, self._limit, self._seconds = size, edges, limit, seconds
        self._seen: set[frozenset[int]] = set()
        # Pairs of transactions with a dependency against an order, or in both directions.
        calm = edges.chosen(edges.kind != RW)
        self._known = self._pairs(calm.target, calm.source)
        self.found = Cycles()

    def run(self, order: Ordered, kind: int) -> None:
        """Add the cycles of one order; `kind` is that of its edges."""
        cyclic = inner(self._edges.with_more(order.edges), order.size)
        own = cyclic.kind < PROCESS
        against = np.zeros(len(cyclic), dtype=np.bool_)
        against[own] = order.precedes(cyclic.target[own], cyclic.source[own])
        for of, name in _AGAINST.items():
            self._against(cyclic.chosen(against & (cyclic.kind == of)), name, kind)
        rest = inner(cyclic.chosen(~against), order.size)
        if not len(rest):
            return
        small, nodes = renumbered(rest)
        self._calm(small.chosen(small.kind != RW), nodes, kind)
        self._others(small, nodes, kind)

    def _against(self, edges: Edges, name: str, kind: int) -> None:
        """Add the dependencies against the order, by pairs of transactions."""
        pairs, first = np.unique(self._pairs(edges.source, edges.target), return_index=True)
        rows = first[~np.isin(pairs, self._known)]
        self._known = np.union1d(self._known, pairs)
        for row in rows[: self._limit]:
            edge = edges.edge(int(row))
            self.found.add(f"{name}-{KINDS[kind]}", [edge, (edge[1], edge[0], kind, -1, -1)], self._limit)
        if len(rows) > self._limit:
            self.found.counts[f"{name}-{KINDS[kind]}"] += len(rows) - self._limit

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

    def _others(self, edges: Edges, nodes: Ints, kind: int) -> None:
        """Add the cycles with rw: first those with a single one."""
        plain = Paths(edges.chosen(edges.kind != RW), len(nodes))
        deadline = time.monotonic() + self._seconds
        left = np.ones(len(edges), dtype=np.bool_)
        try:
            for row in self._counted(np.flatnonzero(edges.kind == RW)):
                edge = edges.edge(row)
                if back := plain.find(edge[1], edge[0], deadline):
                    left[row] = False
                    self._add("G-single", [edge, *back], nodes, kind)
            rest = inner(edges.chosen(left), len(nodes))
            if not len(rest):
                return
            small, again = renumbered(rest)
            search = Search(small, len(again), deadline)
            for row in self._counted(np.flatnonzero(small.kind == RW)):
                self._add(*search.through(small.edge(row)), nodes[again], kind)
        except TimeoutError:
            return

    def _counted(self, rows: Ints) -> Iterator[int]:
        """Yield the rows, and count those that were searched."""
        self.found.all += len(rows)
        for row in rows:
            yield int(row)
            self.found.searched += 1

    def _add(self, name: str, cycle: Cycle, nodes: Ints, kind: int) -> None:
        """Add a cycle, unless it needs no time or is known."""
        if not any(step[2] == kind for step in cycle):
            return
        named = [(int(nodes[step[0]]), int(nodes[step[1]]), *step[2:]) for step in cycle]
        whole = with_whole_steps(named)
        members = frozenset(step[0] for step in whole)
        if members not in self._seen:
            self._seen.add(members)
            self.found.add(f"{name}-{KINDS[kind]}", whole, self._limit)

    def _pairs(self, source: Ints, target: Ints) -> Ints:
        ints: Ints = source * self._size + target
        return ints
