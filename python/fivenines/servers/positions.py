"""Distance between servers, from positions that were sampled at different times.

A replica knows its own position, but not the primary's. The primary's position at the time of the replica's
sample is interpolated between the primary's own samples before and after it. If its rate changes within an
interval, the error is at most what the primary writes in one interval.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Sequence number by GTID domain (or by another separate counter).
Position = Mapping[int, float]


@dataclass(frozen=True)
class Sample:
    """A position reported at `t` (ms)."""

    t: float
    position: Position


def parse_gtids(text: str) -> dict[int, float]:
    """Return the highest sequence number in each domain of a GTID list such as `0-1-270,7-2-15`.

    A list may name several servers in one domain; parts that are not GTIDs are skipped.
    """
    highest: dict[int, float] = {}
    for part in text.split(","):
        numbers = part.strip().split("-")
        if len(numbers) == 3 and all(number.isdigit() for number in numbers):
            domain, sequence = int(numbers[0]), float(numbers[2])
            highest[domain] = max(sequence, highest.get(domain, 0.0))
    return highest


def distance(ahead: Position, behind: Position) -> float:
    """Return what `behind` still lacks of `ahead`, over all domains; never below 0."""
    return sum(max(0.0, number - behind.get(domain, 0.0)) for domain, number in ahead.items())


def position_at(samples: Sequence[Sample], t: float, longest_gap: float) -> Position | None:
    """Return the position at `t` between two samples; None outside them, or across a longer gap.

    Args:
        samples: in order of time.
        longest_gap: in ms; a longer gap yields no position.
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
    positions: Mapping[str, Sequence[Sample]], longest_gap: float
) -> Iterator[tuple[float, str, float]]:
    """Yield time, name and distance to the most advanced other server, for each sample of each name."""
    for name, own in positions.items():
        others = [samples for other, samples in positions.items() if other != name]
        for sample in own:
            places = (position_at(samples, sample.t, longest_gap) for samples in others)
            if known := [place for place in places if place]:
                behind = max(distance(place, sample.position) for place in known)
                yield sample.t, name, round(behind, 1)
