"""Crossovers: numbers of connections at which one solution overtakes another."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from fivenines.analysis.decision.decide import Decision


@dataclass(frozen=True)
class Crossover:
    """Two solutions that change ranks: one alone is the best at `low` connections, the other at `high`."""

    before: str
    after: str
    low: int
    high: int
    condition: dict[str, str]


def crossovers(decisions: Iterable[Decision]) -> list[Crossover]:
    """Return where one alone is the best at some number of connections, and another one from a higher one
    on.
    """
    rows: dict[tuple[tuple[str, str], ...], list[tuple[int, Decision]]] = {}
    for item in decisions:
        if "connections" in item.condition:
            rest = tuple((k, v) for k, v in item.condition.items() if k != "connections")
            rows.setdefault(rest, []).append((int(item.condition["connections"]), item))
    crossings = []
    for rest, members in rows.items():
        sure = [(at, item.best[0]) for at, item in sorted(members, key=lambda m: m[0]) if len(item.best) == 1]
        crossings += [
            Crossover(before, after, low, high, dict(rest))
            for (low, before), (high, after) in pairwise(sure)
            if before != after
        ]
    return crossings
