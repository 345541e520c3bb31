"""How far servers are apart, from positions that each of them told at its own moment.

A replica knows what it has, not what the primary has meanwhile. The primary's position at the moment of the
replica's sample is interpolated between the primary's own samples before and after it. A rate that changes
within an interval makes this wrong by at most what the primary writes in one interval.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Position = Mapping[int, float]
"""Sequence number by GTID domain (or by anything else that counts apart)."""


@dataclass(frozen=True)
class Sample:
    """A position as told at `t` (ms)."""

    t: float
    position: Position


def parse_gtids(text: str) -> dict[int, float]:
    """The highest sequence number in each domain of a GTID list such as `0-1-270,7-2-15`.

    A list may name several servers in one domain; parts that are no GTID are passed over.
    """
    found: dict[int, float] = {}
    for part in text.split(","):
        numbers = part.strip().split("-")
        if len(numbers) == 3 and all(number.isdigit() for number in numbers):
            domain, sequence = int(numbers[0]), float(numbers[2])
            found[domain] = max(sequence, found.get(domain, 0.0))
    return found


def distance(ahead: Position, behind: Position) -> float:
    """What `behind` still lacks of `ahead`, over all domains; never below 0."""
    return sum(max(0.0, number - behind.get(domain, 0.0)) for domain, number in ahead.items())


def position_at(samples: Sequence[Sample], t: float, longest_gap: float) -> Position | None:
    """The position at `t` between two samples; None outside them, or where they lie too far apart.

    Args:
        samples: in the order of their moments.
        longest_gap: in ms; across a longer one nothing is known.
    """
    index = bisect_left(samples, t, key=lambda sample: sample.t)
    if index < len(samples) and samples[index].t == t:
        return samples[index].position
    if index == 0 or index == len(samples):
        return None
    low, high = samples[index - 1], samples[index]
    if high.t - low.t > longest_gap:
        return None
    share = (t - low.t) / (high.t - low.t)
    return {
        domain: low.position.get(domain, number) + share * (number - low.position.get(domain, number))
        for domain, number in high.position.items()
    }


def behind_furthest(
    told: Mapping[str, Sequence[Sample]], longest_gap: float
) -> Iterator[tuple[float, str, float]]:
    """Moment, name and what it lacked of the furthest of the others, for each sample of each name."""
    for name, own in told.items():
        others = [samples for other, samples in told.items() if other != name]
        for sample in own:
            places = (position_at(samples, sample.t, longest_gap) for samples in others)
            if known := [place for place in places if place]:
                behind = max(distance(place, sample.position) for place in known)
                yield sample.t, name, round(behind, 1)
