"""Outages over several trials: longest, total, number, and the events they belong to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fivenines.analysis.availability.availability import Outage
from fivenines.analysis.availability.client_waits import Wait
from fivenines.analysis.availability.interruptions import Interruption, counted
from fivenines.analysis.statistics.means import Summary, summarise

# Kind of service with an outage: its name in `Availability` and in `Interruptions`.
Service = Literal["writes", "reads", "connections"]


@dataclass(frozen=True)
class OutagePoint:
    """The outage of one trial in ms; not `back`: a lower bound; not `noticed`: no outage.

    `ms` is the longest interruption, `total_ms` the sum of all `number`; `events` counts them by event.
    `wait`: a client time-out ended the longest.
    """

    trial: str
    ms: float
    floor_ms: float
    noticed: bool
    back: bool
    total_ms: float
    number: int
    events: dict[str, int] = field(default_factory=dict)
    wait: Wait | None = None


@dataclass(frozen=True)
class Outages:
    """Outages of writes, reads or new connections over trials, in ms; without recovery a lower bound.

    `summary` is of the longest interruption of each trial, `total` of all its interruptions together.
    """

    summary: Summary
    total: Summary
    number: Summary
    points: list[OutagePoint]
    noticed: int
    not_recovered: int

    @property
    def events(self) -> dict[str, int]:
        """Return the number of interruptions by event, over all trials."""
        counter: Counter[str] = Counter()
        for point in self.points:
            counter.update(point.events)
        return dict(counter.most_common())

    @property
    def waits(self) -> list[Wait]:
        """Return the waits of trials in which a client time-out ended the longest interruption."""
        return [point.wait for point in self.points if point.wait]

    @property
    def several(self) -> bool:
        """Return whether a trial has several interruptions, so that the total exceeds the longest."""
        return any(point.number > 1 for point in self.points)


def outages_of(
    values: Sequence[tuple[str, Outage | None, Sequence[Interruption]]],
    machines: Mapping[str, str] | None = None,
) -> Outages:
    """Summarise the outages of trials: id, outage (None: not measured), and its interruptions where known.

    `machines`: the machine of each trial, by id.
    """
    points = [
        OutagePoint(
            trial,
            outage.ms,
            outage.floor_ms,
            outage.noticed,
            outage.back,
            outage.total_ms,
            len(outage.gaps),
            counted(interruptions),
            next(
                (interruption.wait for interruption in interruptions if interruption.gap == outage.gap), None
            ),
        )
        for trial, outage, interruptions in values
        if outage is not None
    ]
    not_recovered = sum(not point.back for point in points)
    where = [(machines or {}).get(point.trial, "") for point in points]
    return Outages(
        summarise([point.ms for point in points], bounds=not_recovered, machines=where),
        summarise([point.total_ms for point in points], bounds=not_recovered, machines=where),
        summarise([point.number for point in points]),
        points,
        sum(point.noticed for point in points),
        not_recovered,
    )
