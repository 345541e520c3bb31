"""Outages over several trials: longest, total, number, and the events they belong to.

Of a trial with deaths in turn, each death has its own outage. An interval is that of the trials' means then,
see `analysis.availability.deaths_in_turn`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fivenines.analysis.availability.availability import Outage
from fivenines.analysis.availability.client_waits import Wait
from fivenines.analysis.availability.interruptions import Interruption, counted
from fivenines.analysis.measures.measure import Value, mean_of
from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.wording import count

# Kind of service with an outage: its name in `Availability` and in `Interruptions`.
Service = Literal["writes", "reads", "connections"]


@dataclass(frozen=True)
class OutagePoint:
    """The outage of a trial, or of one of its deaths in turn, in ms.

    Not `back`: a lower bound; not `noticed`: no outage.

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

    `summary` is of the longest interruption of each trial, `total` of all its interruptions together. `unit`
    says what has a point: each trial, or each death.
    """

    summary: Summary
    total: Summary
    number: Summary
    points: list[OutagePoint]
    noticed: int
    not_recovered: int
    unit: str = "trial"

    @property
    def counted(self) -> str:
        """Return the number of points as a text: "8 trials"."""
        return count(len(self.points), self.unit)

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
    unit: str = "trial",
) -> Outages:
    """Summarise the outages of trials: id, outage (None: not measured), and its interruptions where known.

    Args:
        values: an item for each trial, or for each of its deaths in turn.
        machines: the machine of each trial, by id.
        unit: what has an item: "trial" or "death".
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
    trials = [point.trial for point in points]
    return Outages(
        by_trial(trials, [(point.ms, not point.back) for point in points], machines),
        by_trial(trials, [(point.total_ms, not point.back) for point in points], machines),
        by_trial(trials, [(point.number, False) for point in points]),
        points,
        sum(point.noticed for point in points),
        sum(not point.back for point in points),
        unit,
    )


def by_trial(
    trials: Sequence[str], values: Sequence[Value], machines: Mapping[str, str] | None = None
) -> Summary:
    """Summarise values by trial: a sample of one mean for each trial, a lower bound if any value is.

    Args:
        trials: the trial of each value, by id.
        values: each value, and whether it is a lower bound.
        machines: the machine of each trial, by id.
    """
    own: dict[str, list[Value]] = {}
    for trial, value in zip(trials, values, strict=True):
        own.setdefault(trial, []).append(value)
    means = [mean_of(several) for several in own.values()]
    return summarise(
        [mean for mean, _ in means],
        bounds=sum(bound for _, bound in means),
        machines=[(machines or {}).get(trial, "") for trial in own],
    )
