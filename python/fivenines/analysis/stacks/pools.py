"""What the pool of a client stack reported of itself: connections, and workers that waited for one.

The program samples its pool once a second, with its sign of life. A peak between two samples is not seen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class PoolSample(NamedTuple):
    """The pool at one moment, in us; the fields are the columns of `stack_pools`.

    Attributes:
        waiting: workers that had no usable connection yet; None: the program does not count them.
        open: connections in the pool; None: the pool does not count them.
        idle: connections that no worker had borrowed; None: the pool does not count them.
        created: connections opened since the program started; None: the pool does not count them.
    """

    at_us: int
    waiting: int | None
    open: int | None
    idle: int | None
    created: int | None


@dataclass(frozen=True)
class PoolFigures:
    """The pool of one stack in a time; None: not counted, or not sampled in this time.

    Attributes:
        waiting: the largest sampled number of waiting workers.
        least, most: the smallest and the largest sampled number of open connections.
        created: connections opened, between the last sample before the time and the last one in it.
    """

    waiting: int | None = None
    least: int | None = None
    most: int | None = None
    created: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "most_waiting": self.waiting,
            "least_open": self.least,
            "most_open": self.most,
            "connections_opened": self.created,
        }


def pool_figures(samples: Sequence[PoolSample], started_us: int, ended_us: int) -> PoolFigures:
    """Return the figures of a pool's samples, in the order of time, from a start to an end in us."""
    some = [sample for sample in samples if started_us <= sample.at_us <= ended_us]
    before = [sample.created for sample in samples if sample.at_us < started_us]
    opened = [sample.created for sample in some if sample.created is not None]
    # Without a sample before the start the connections of the first one may have been opened before.
    first = next((number for number in reversed(before) if number is not None), opened[0] if opened else 0)
    return PoolFigures(
        largest(sample.waiting for sample in some),
        smallest(sample.open for sample in some),
        largest(sample.open for sample in some),
        opened[-1] - first if opened else None,
    )


def largest(numbers: Iterable[int | None]) -> int | None:
    """Return the largest of the known numbers; None if none is known."""
    return max((number for number in numbers if number is not None), default=None)


def smallest(numbers: Iterable[int | None]) -> int | None:
    """Return the smallest of the known numbers; None if none is known."""
    return min((number for number in numbers if number is not None), default=None)
