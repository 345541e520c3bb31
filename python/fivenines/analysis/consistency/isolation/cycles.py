"""Cycles in the graph of dependencies, a shortest one each, named after Adya 1999.

    G0        only ww
    G1c       ww and wr, at least one wr
    G-single  exactly one rw
    G-nonadjacent
              two rw or more, no two of them in a row: a long fork. Snapshot isolation excludes it, too
    G2-item   two rw or more, two of them in a row: write skew, which snapshot isolation permits

G0 and G1c are counted by strongly connected component of the graph of their edges, as Elle does; each
component is shown by one cycle. The others are counted by distinct shortest cycles, one for each rw edge
that lies on one: first with a single rw; without such a cycle, with no two rw in a row; else any. Edges
on a cycle of the same kind that was found before are left out.

A short cycle with two rw in a row can hide a longer one without, so the latter has a search of its own: a
node counts twice, as it was reached by rw or not, and no rw leads on from the former. Its shortest walk may
pass a transaction twice. Then one of the two parts has no two rw in a row, either.

Sources: A. Adya, Weak Consistency, 1999; A. Cerone and A. Gotsman, Analysing Snapshot Isolation, 2018, whose
theorem says that each cycle of a history under snapshot isolation has two rw in a row.
"""

import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from fivenines.analysis.consistency.isolation.graph import KINDS, RW, WR, WW, Edge, Edges, components, inner
from fivenines.analysis.consistency.isolation.history import Ints

Cycle = list[Edge]


@dataclass
class Cycles:
    """Cycles by kind: number, and first examples; `searched` of `all` rw edges were searched."""

    counts: dict[str, int] = field(default_factory=dict)
    cycles: dict[str, list[Cycle]] = field(default_factory=dict)
    searched: int = 0
    all: int = 0

    def add(self, kind: str, cycle: Cycle, limit: int) -> None:
        """Count a cycle, and store it while there are fewer than `limit`."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        kept = self.cycles.setdefault(kind, [])
        if len(kept) < limit:
            kept.append(cycle)


class Paths:
    """Shortest paths along some edges; adjacency as plain lists, as a search touches few nodes."""

    def __init__(self, edges: Edges, size: int) -> None:
        order = np.argsort(edges.source, kind="stable")
        self.edges = edges.chosen(order)
        self.start = np.searchsorted(self.edges.source, np.arange(size + 1)).tolist()
        self.target = self.edges.target.tolist()

    def find(self, source: int, goal: int, deadline: float) -> Cycle | None:
        """Return a shortest path of at least one edge; None if there is none.

        Raises:
            TimeoutError: the deadline (of time.monotonic) has passed.
        """
        came: dict[int, int] = {}
        queue = deque([source])
        while queue:
            if time.monotonic() > deadline:
                raise TimeoutError
            node = queue.popleft()
            for row in range(self.start[node], self.start[node + 1]):
                target = self.target[row]
                if target in came:
                    continue
                came[target] = row
                if target == goal:
                    return self._walk(came, source, goal)
                queue.append(target)
        return None

    def _walk(self, came: dict[int, int], source: int, goal: int) -> Cycle:
        path: Cycle = []
        node = goal
        while not path or node != source:
            edge = self.edges.edge(came[node])
            path.append(edge)
            node = edge[0]
        return path[::-1]


def find_cycles(edges: Edges, size: int, limit: int, seconds: float) -> Cycles:
    """Find the cycles among transactions 0 to size - 1.

    Args:
        edges: all dependencies.
        size: the number of transactions.
        limit: maximum number of stored cycles of each kind.
        seconds: the search for cycles with rw ends after this time, see `Cycles.searched`.
    """
    result = Cycles()
    cyclic = inner(edges, size)
    if not len(cyclic):
        return result
    small, nodes = renumbered(cyclic)
    _by_component(small.chosen(small.kind == WW), len(nodes), WW, "G0", limit, result)
    _by_component(small.chosen(small.kind != RW), len(nodes), WR, "G1c", limit, result)
    _anti(small, len(nodes), limit, time.monotonic() + seconds, result)
    for cycles in result.cycles.values():
        cycles[:] = [
            [(int(nodes[step[0]]), int(nodes[step[1]]), *step[2:]) for step in cycle] for cycle in cycles
        ]
    return result


def renumbered(edges: Edges) -> tuple[Edges, Ints]:
    """Return at most one edge between two nodes, renumbered from 0, and the nodes' former numbers.

    Of parallel edges the strongest stays, ww before wr before time before rw, as the cycle is named by the
    weakest.
    """
    nodes, ends = np.unique(np.concatenate([edges.source, edges.target]), return_inverse=True)
    source, target = ends[: len(edges)], ends[len(edges) :]
    order = np.argsort(np.where(edges.kind == RW, len(KINDS), edges.kind), kind="stable")
    _, first = np.unique((source * len(nodes) + target)[order], return_index=True)
    kept = order[first]
    result = Edges(source, target, edges.kind, edges.key, edges.value).chosen(kept)
    return result, nodes


def _by_component(edges: Edges, size: int, through: int, kind: str, limit: int, result: Cycles) -> None:
    """Add a cycle through an edge of the kind `through` in each component that has such an edge."""
    labels = components(edges, size)
    within = edges.chosen(labels[edges.source] == labels[edges.target])
    marked = np.flatnonzero(within.kind == through)
    if not len(marked):
        return
    _, first = np.unique(labels[within.source[marked]], return_index=True)
    paths = Paths(within, size)
    for n, row in enumerate(marked[first]):
        edge = within.edge(int(row)) if n < limit else None
        back = paths.find(edge[1], edge[0], float("inf")) if edge else None
        result.add(kind, [edge, *back] if edge and back else [], limit)


def _anti(edges: Edges, size: int, limit: int, deadline: float, result: Cycles) -> None:
    """Add cycles through rw edges: a shortest one for each edge, of the kind that fewest levels permit."""
    anti = edges.chosen(edges.kind == RW)
    result.all = len(anti)
    if not len(anti):
        return
    search = Search(edges, size, deadline)
    seen: set[frozenset[int]] = set()
    for row in range(len(anti)):
        try:
            kind, cycle = search.through(anti.edge(row))
        except TimeoutError:
            return
        result.searched += 1
        members = frozenset(step[0] for step in cycle)
        if cycle and members not in seen:
            seen.add(members)
            result.add(kind, cycle, limit)


class Search:
    """Search for cycles through rw edges, until `deadline`."""

    def __init__(self, edges: Edges, size: int, deadline: float) -> None:
        self._deadline = deadline
        self._plain = Paths(edges.chosen(edges.kind != RW), size)
        self._apart = Paths(_by_last_step(edges), 2 * size)
        self._every = Paths(edges, size)
        # The rw edges of cycles that were found, by kind.
        self._covered: dict[str, set[tuple[int, int]]] = {"G-nonadjacent": set(), "G2-item": set()}

    def through(self, edge: Edge) -> tuple[str, Cycle]:
        """Return the kind of a cycle through an rw edge, and the cycle; empty if there is no new one.

        Raises:
            TimeoutError: the deadline has passed.
        """
        source, target = edge[:2]
        if back := self._plain.find(target, source, self._deadline):
            return "G-single", [edge, *back]
        if edge[:2] not in self._covered["G-nonadjacent"]:
            back = self._apart.find(2 * target + 1, 2 * source, self._deadline) or []
            steps = [(a // 2, b // 2, kind, key, value) for a, b, kind, key, value in back]
            if steps and (cycle := _without_repetition([edge, *steps])):
                return self._found("G-nonadjacent", cycle)
        if edge[:2] not in self._covered["G2-item"]:
            back = self._every.find(target, source, self._deadline) or []
            if back:
                return self._found("G2-item", [edge, *back])
        return "", []

    def _found(self, kind: str, cycle: Cycle) -> tuple[str, Cycle]:
        own = {step[:2] for step in cycle if step[2] == RW}
        for covered in (kind, "G2-item"):
            self._covered[covered] |= own
        return kind, cycle


def _by_last_step(edges: Edges) -> Edges:
    """Return the edges between nodes that count twice: 2 n was not reached by rw, 2 n + 1 was."""
    other, anti = edges.chosen(edges.kind != RW), edges.chosen(edges.kind == RW)
    source = np.concatenate([2 * other.source, 2 * other.source + 1, 2 * anti.source])
    target = np.concatenate([2 * other.target, 2 * other.target, 2 * anti.target + 1])
    kind, key, value = (
        np.concatenate([getattr(part, name) for part in (other, other, anti)])
        for name in ("kind", "key", "value")
    )
    return Edges(source, target, kind, key, value)


def _without_repetition(walk: Cycle) -> Cycle:
    """Return a cycle with two rw or more, and no two in a row, from such a walk; empty if it has none.

    A part with fewer rw is a cycle of another kind, which the searches for that kind find.
    """
    first: dict[int, int] = {}
    for at, step in enumerate(walk):
        begin = first.setdefault(step[0], at)
        if begin != at:
            inner, outer = walk[begin:at], walk[:begin] + walk[at:]
            return _without_repetition(outer if _adjacent(inner) else inner)
    return walk if sum(step[2] == RW for step in walk) > 1 else []


def _adjacent(walk: Cycle) -> bool:
    """Return whether two rw follow each other on a closed walk."""
    return any(walk[at - 1][2] == RW == walk[at][2] for at in range(len(walk)))
