"""Which ways between hosts are cut, and whether packets arrive."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.lab.lab import Lab

Pairs = list[tuple[str, str]]
"""Directed: from host, to host."""

_LOOKED_AT = 6
"""Ways that are tried by a packet: each takes up to a third of a second."""


def between(ours: Iterable[str], theirs: Iterable[str], direction: str = "both") -> Pairs:
    """All ways between two groups; `in` are those to the first group, `out` those from it."""
    first = list(dict.fromkeys(ours))
    second = [name for name in dict.fromkeys(theirs) if name not in first]
    out = [(one, other) for one in first for other in second]
    back = [(other, one) for one, other in out]
    return {"both": out + back, "out": out, "in": back}[direction]


def with_everybody(lab: "Lab", hosts: Sequence[str]) -> Pairs:
    """All ways between these hosts and each other, and all other hosts of the lab."""
    pairs = between(hosts, lab.hosts)
    return pairs + [(one, other) for one in hosts for other in hosts if one != other]


def none_reaches(lab: "Lab", pairs: Pairs) -> bool:
    """Whether no packet arrives on any of the ways that are looked at."""
    return not any(lab.reaches(*pair) for pair in _some(pairs))


def all_reach(lab: "Lab", pairs: Pairs) -> bool:
    """Whether a packet arrives on every way that is looked at."""
    return all(lab.reaches(*pair, timeout=2.0) for pair in _some(pairs))


def _some(pairs: Pairs) -> Pairs:
    step = max(1, len(pairs) // _LOOKED_AT)
    return pairs[::step][:_LOOKED_AT]
