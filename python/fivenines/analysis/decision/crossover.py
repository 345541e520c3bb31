"""Where one solution takes over from another along the number of connections."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from fivenines.analysis.decision.decide import Decision


@dataclass(frozen=True)
class Crossover:
    """Two solutions that change places: one alone is the best at `low` connections, the other at `high`."""

    before: str
    after: str
    low: int
    high: int
    condition: dict[str, str]


def crossovers(found: Iterable[Decision]) -> list[Crossover]:
    """Where one alone is the best at some number of connections, and another one from a higher one on."""
    rows: dict[tuple[tuple[str, str], ...], list[tuple[int, Decision]]] = {}
    for one in found:
        if "connections" in one.condition:
            rest = tuple((k, v) for k, v in one.condition.items() if k != "connections")
            rows.setdefault(rest, []).append((int(one.condition["connections"]), one))
    crossings = []
    for rest, members in rows.items():
        sure = [(at, one.best[0]) for at, one in sorted(members, key=lambda m: m[0]) if len(one.best) == 1]
        crossings += [
            Crossover(before, after, low, high, dict(rest))
            for (low, before), (high, after) in pairwise(sure)
            if before != after
        ]
    return crossings
