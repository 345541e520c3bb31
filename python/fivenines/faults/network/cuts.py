"""Select the directed links between hosts that a fault cuts, and check whether packets arrive."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.lab.lab import Lab

# Directed links: (source host, destination host).
Pairs = list[tuple[str, str]]

# Number of links that are tested with a packet. Each test takes up to a third of a second, and more on a busy
# machine: one after another, they would make a short cut several times as long.
_TESTED = 6


def between(ours: Iterable[str], theirs: Iterable[str], direction: str = "both") -> Pairs:
    """Return all links between two groups; `in`: those to the first group, `out`: those from it."""
    first = list(dict.fromkeys(ours))
    second = [name for name in dict.fromkeys(theirs) if name not in first]
    outgoing = [(source, destination) for source in first for destination in second]
    incoming = [(destination, source) for source, destination in outgoing]
    return {"both": outgoing + incoming, "out": outgoing, "in": incoming}[direction]


def all_links(lab: "Lab", hosts: Sequence[str]) -> Pairs:
    """Return all links among these hosts, and between them and all other hosts of the lab."""
    pairs = between(hosts, lab.hosts)
    return pairs + [
        (source, destination) for source in hosts for destination in hosts if source != destination
    ]


def none_reaches(lab: "Lab", pairs: Pairs) -> bool:
    """Return whether no test packet arrives on any tested link."""
    return not any(_tested(lab, pairs, 0.3))


def all_reach(lab: "Lab", pairs: Pairs) -> bool:
    """Return whether a test packet arrives on every tested link."""
    return all(_tested(lab, pairs, 2.0))


def _tested(lab: "Lab", pairs: Pairs, timeout: float) -> list[bool]:
    """Return whether a test packet arrives on each tested link; hosts listen at the same time."""
    chosen = _some(pairs)
    targets = list(dict.fromkeys(target for _, target in chosen))

    def listens(target: str) -> list[bool]:
        # One after another: over SSH the tests of a host use one port.
        return [lab.network.reaches(*pair, timeout=timeout) for pair in chosen if pair[1] == target]

    with ThreadPoolExecutor(max_workers=max(1, len(targets))) as workers:
        return [arrived for own in workers.map(listens, targets) for arrived in own]


def _some(pairs: Pairs) -> Pairs:
    step = max(1, len(pairs) // _TESTED)
    return pairs[::step][:_TESTED]
