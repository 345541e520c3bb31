"""TEST ONLY: all simple cycles of a small graph of dependencies, and their names by the definitions."""

from collections.abc import Iterator

import numpy as np

from fivenines.analysis.consistency.isolation.graph import RW, WR, Edges


def edges_of(rows: list[tuple[int, int, int]]) -> Edges:
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    nothing = np.zeros(len(rows), dtype=np.int64)
    return Edges(columns[0], columns[1], columns[2].astype(np.int8), nothing, nothing)


def kind_of(kinds: list[int]) -> str:
    """Return the name of a cycle with these kinds of edges, by the definitions."""
    anti = kinds.count(RW)
    if anti == 0:
        return "G1c" if WR in kinds else "G0"
    if anti == 1:
        return "G-single"
    in_a_row = any(kinds[at - 1] == RW == kinds[at] for at in range(len(kinds)))
    return "G2-item" if in_a_row else "G-nonadjacent"


def simple_cycles(rows: list[tuple[int, int, int]]) -> Iterator[list[int]]:
    """Return the kinds of each simple cycle, from its smallest node on."""

    def walk(start: int, node: int, passed: list[int], kinds: list[int]) -> Iterator[list[int]]:
        for source, target, kind in rows:
            if source != node:
                continue
            if target == start:
                yield [*kinds, kind]
            elif target > start and target not in passed:
                yield from walk(start, target, [*passed, target], [*kinds, kind])

    for start in {row[0] for row in rows}:
        yield from walk(start, start, [start], [])
