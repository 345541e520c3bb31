"""Cycles in the graph of dependencies, a shortest one each, named after Adya 1999.

    G0        only ww
    G1c       ww and wr, at least one wr
    G-single  exactly one rw
    G2-item   two rw or more

G0 and G1c are counted by strongly connected component of the graph of their edges, as Elle does; each
component is shown by one cycle. G-single and G2-item are counted by distinct shortest cycles, one for
each rw edge that lies on one; a G2-item cycle is shown only where no cycle with a single rw runs
through the edge, and no G2-item cycle found before.
"""

import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from fivenines.analysis.consistency.isolation.graph import RW, WR, WW, Edge, Edges, components, inner
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
        seconds: the search for G-single and G2-item ends after this time, see `Cycles.searched`.
    """
    result = Cycles()
    cyclic = inner(edges, size)
    if not len(cyclic):
        return result
    small, nodes = _renumbered(cyclic)
    _by_component(small.chosen(small.kind == WW), len(nodes), WW, "G0", limit, result)
    _by_component(small.chosen(small.kind != RW), len(nodes), WR, "G1c", limit, result)
    _anti(small, len(nodes), limit, time.monotonic() + seconds, result)
    for cycles in result.cycles.values():
        cycles[:] = [
            [(int(nodes[step[0]]), int(nodes[step[1]]), *step[2:]) for step in cycle] for cycle in cycles
        ]
    return result


def _renumbered(edges: Edges) -> tuple[Edges, Ints]:
    """Return at most one edge between two nodes, renumbered from 0, and the nodes' former numbers.

    Of parallel edges the strongest stays, ww before wr before rw, as the cycle is named by the weakest.
    """
    nodes, ends = np.unique(np.concatenate([edges.source, edges.target]), return_inverse=True)
    source, target = ends[: len(edges)], ends[len(edges) :]
    order = np.argsort(edges.kind, kind="stable")
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
    """Add cycles through rw edges: with a single rw edge, or otherwise with several."""
    anti = edges.chosen(edges.kind == RW)
    result.all = len(anti)
    if not len(anti):
        return
    plain, every = Paths(edges.chosen(edges.kind != RW), size), Paths(edges, size)
    covered: set[tuple[int, int]] = set()
    seen: set[frozenset[int]] = set()
    for row in range(len(anti)):
        edge = anti.edge(row)
        try:
            back = plain.find(edge[1], edge[0], deadline)
            kind = "G-single" if back else "G2-item"
            if back is None and edge[:2] not in covered:
                back = every.find(edge[1], edge[0], deadline)
        except TimeoutError:
            return
        result.searched += 1
        if back is None:
            continue
        cycle = [edge, *back]
        if kind == "G2-item":
            covered.update(step[:2] for step in cycle if step[2] == RW)
        members = frozenset(step[0] for step in cycle)
        if members not in seen:
            seen.add(members)
            result.add(kind, cycle, limit)
