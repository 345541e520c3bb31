"""What a test asks for: samples at places, events, variants of a sweep, levels of an axis.

Runs and publications both answer, so that one test judges both. A publication has means, spreads and
numbers of trials, and no values: so every test works from a `Summary` alone, and uses values where they
tell more.

An answer never is None. What is not there is a `Sample` without values, with the reason in `missing` (or in
`unavailable`, where it cannot be had on this machine at all), so that a verdict can say it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from fivenines.analysis.statistics import EQUAL, Summary, of_moments

# The axes of a place whose levels are names.
NAMED = ("part", "solution", "workload", "network", "fault", "client")

# The axes that every place has; all others (`rtt`, `rate`, a setting) are free.
AXES = (*NAMED, "connections")


@dataclass(frozen=True)
class Level:
    """One value of an axis: its name, and as a number where it is one.

    `number` has the unit in which a slope is given: connections as they are, `rtt` in ms, `rate` in bit/s.
    """

    name: str
    number: float | None = None


@dataclass(frozen=True)
class Place:
    """Where a figure is taken. What is left open is for the figures to know, as where there is only one.

    Attributes:
        part: of the study; None: the only one, or the one that has the rest.
        solution: by its name in the part; a swept one as its best case.
        workload: by its name.
        connections: of all clients together.
        network: by its name.
        fault: by its name; "" is without a fault.
        client: by its name; None: all clients together.
        axes: free ones by name, each with its level's name (`{"rtt": "10"}`).
    """

    part: str | None = None
    solution: str | None = None
    workload: str | None = None
    connections: int | None = None
    network: str | None = None
    fault: str | None = None
    client: str | None = None
    axes: Mapping[str, str] = field(default_factory=dict)

    def at(self, axis: str, level: Level | str | int) -> "Place":
        """The same place with one axis at this level."""
        name = level.name if isinstance(level, Level) else str(level)
        if axis == "connections":
            return replace(self, connections=int(float(name)))
        if axis in NAMED:
            changed: dict[str, Any] = {axis: name}
            return replace(self, **changed)
        return replace(self, axes={**self.axes, axis: name})

    def level(self, axis: str) -> str | None:
        """Return the name of the level at which an axis is; None: it is open."""
        if axis in AXES:
            result = getattr(self, axis)
            return None if result is None else str(result)
        return self.axes.get(axis)


@dataclass(frozen=True)
class TrialValue:
    """A value of one trial, whose name is the same for all measures; `bound`: the true one is at least it."""

    trial: str
    value: float
    bound: bool = False


@dataclass(frozen=True)
class Sample:
    """The values of a measure at a place, or why there are none.

    Attributes:
        summary: n, mean, sd and bounds; times in ms, rates per second, shares from 0 to 1. A publication
            makes it with `statistics.of_moments`. A mean without sd or with n < 2 is shown, and proves
            nothing.
        values: by trial; empty of a publication.
        limited: why the figure is of the client and not of the servers ("the client was busy in 2 of 5
            trials"); empty: it is not. Only where it matters for this measure.
        failing: why it is of failures instead of work ("more than 1 % of transactions failed in 2 of 5
            trials"); empty: it is not.
        missing: why there are no values ("no trial is complete", "not printed"); empty: there are.
        unavailable: the same where it cannot be run here at all ("aurora: a cloud account").
        source: where a publication has it ("T5.8"); a cell's link of a run.
        exact: a number of the solution and no matter of chance, as how many hosts it takes. It has a mean,
            and is judged as it stands.
    """

    summary: Summary = field(default_factory=lambda: Summary(0))
    values: tuple[TrialValue, ...] = ()
    limited: str = ""
    failing: str = ""
    missing: str = ""
    unavailable: str = ""
    source: str = ""
    exact: bool = False

    @property
    def judged(self) -> Summary:
        """Return the summary that it is judged by: of an exact number one without any spread."""
        mean = self.summary.mean
        return of_moments(EQUAL, mean, 0.0) if self.exact and mean is not None else self.summary


@dataclass(frozen=True)
class Events:
    """In how many of `n` trials something happened; the texts are those of a `Sample`."""

    seen: int = 0
    n: int = 0
    limited: str = ""
    missing: str = ""
    unavailable: str = ""
    source: str = ""


@dataclass(frozen=True)
class Variants:
    """The variants of a sweep at a place.

    Attributes:
        samples: of each variant by the measure that the sweep chose by, with all of its trials.
        more: whether the sweep takes the largest.
        chosen: what the sweep took; None: it could not.
        measure: by which it chose.
        missing: why there are none.
        unavailable: the same where it cannot be run here at all.
    """

    samples: Mapping[str, Sample] = field(default_factory=dict)
    more: bool = True
    chosen: str | None = None
    measure: str = ""
    missing: str = ""
    unavailable: str = ""


class Figures(Protocol):
    """What a test may ask, of a run or of a publication."""

    def sample(self, measure: str, place: Place) -> Sample:
        """Return the values of a measure (`tps`, `route`, `counter:Com_commit/s`) at a place."""

    def events(self, measure: str, place: Place) -> Events:
        """In how many trials the event (`lost`, `not_recovered`) was seen at a place."""

    def variants(self, place: Place) -> Variants:
        """Return what a sweep tried; `place.solution` is the name of the swept solution."""

    def levels(self, axis: str, place: Place) -> Sequence[Level]:
        """Return the levels of an axis for which there are figures at a place, numbers in their order.

        Axes that the place has open may have any level. Empty: there are none.
        """
