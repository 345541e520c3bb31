"""Interface to figures for tests: samples at places, events, variants of a sweep, levels of an axis.

Runs and publications both implement it, so that one test judges both. A publication has means, spreads and
numbers of trials, and no values: so every test works from a `Summary` alone, and uses values where available.

Results are never None. Missing figures are a `Sample` without values, with the reason in `missing` (or in
`unavailable`, if this machine cannot produce them), so that a verdict can state it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from fivenines.analysis.statistics.means import EQUAL, Summary, of_moments

# Axes of a place whose levels are names.
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
    """Place of a figure. An axis without a level must be unambiguous.

    Attributes:
        part: part of the study; None: the only one, or the one that has the other levels.
        solution: name in the part; a swept solution stands for its best case.
        workload: name of the workload.
        connections: connections of all clients together.
        network: name of the network.
        fault: name of the fault; "" is without a fault.
        client: name of the client; None: all clients together.
        axes: free axes by name, each with its level's name (`{"rtt": "10"}`).
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
        """Return this place with one axis at this level."""
        name = level.name if isinstance(level, Level) else str(level)
        if axis == "connections":
            return replace(self, connections=int(float(name)))
        if axis in NAMED:
            changed: dict[str, Any] = {axis: name}
            return replace(self, **changed)
        return replace(self, axes={**self.axes, axis: name})

    def level(self, axis: str) -> str | None:
        """Return the name of an axis' level; None without one."""
        if axis in AXES:
            result = getattr(self, axis)
            return None if result is None else str(result)
        return self.axes.get(axis)


@dataclass(frozen=True)
class TrialValue:
    """A value of a trial, with the trial's name; `bound`: it is a lower bound."""

    trial: str
    value: float
    bound: bool = False


@dataclass(frozen=True)
class Sample:
    """Values of a measure at a place, or the reason for none.

    Attributes:
        summary: n, mean, sd and bounds; times in ms, rates per second, shares from 0 to 1. A publication
            makes it with `statistics.of_moments`. A mean without sd or with n < 2 is shown, and proves
            nothing.
        values: values by trial; empty for a publication.
        limited: why the figure describes the client and not the servers ("the client was busy in 2 of 5
            trials"), where that affects the measure; empty: it does not.
        failing: why the figure describes failures instead of work ("more than 1 % of transactions failed in 2
            of 5 trials"); empty: it does not.
        missing: why there are no values ("no trial is complete", "not published"); empty: there are.
        unavailable: why this machine cannot produce values ("aurora: a cloud account").
        source: source in a publication ("T5.8"), or the link of a run's cell.
        scaled: a publication prints it in a scale of its own ("Galera = 100"), so that it has no unit.
        exact: a number of the solution without random variation, as its number of hosts, which is judged
            without an interval.
        unit: what has one value: a trial, or a block of an interleaved comparison, in which all solutions
            have one and which therefore pairs them. `TrialValue.trial` names it.
    """

    summary: Summary = field(default_factory=lambda: Summary(0))
    values: tuple[TrialValue, ...] = ()
    limited: str = ""
    failing: str = ""
    missing: str = ""
    unavailable: str = ""
    source: str = ""
    scaled: bool = False
    exact: bool = False
    unit: Literal["trial", "block"] = "trial"

    @property
    def judged(self) -> Summary:
        """Return the summary that decides: for an exact number one without any spread."""
        mean = self.summary.mean
        return of_moments(EQUAL, mean, 0.0) if self.exact and mean is not None else self.summary

    @property
    def paired(self) -> Summary:
        """Return the summary that decides, with the block of each value if it has one."""
        if self.unit == "trial":
            return self.judged
        return replace(self.judged, machines=tuple((item.trial, item.value) for item in self.values))

    def shares_blocks(self, other: "Sample") -> bool:
        """Return whether both samples come from the same blocks of an interleaved comparison."""
        blocks = [{item.trial for item in sample.values} for sample in (self, other)]
        return self.unit == other.unit == "block" and blocks[0] == blocks[1]


@dataclass(frozen=True)
class Events:
    """Number of `n` trials with an event; the texts are those of a `Sample`."""

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
        samples: sample of each variant by the measure of the sweep, with all of its trials.
        more: whether the largest is best.
        chosen: the variant that the sweep chose; None: none.
        measure: measure of the sweep.
        missing: why there are no variants.
        unavailable: why this machine cannot produce them.
    """

    samples: Mapping[str, Sample] = field(default_factory=dict)
    more: bool = True
    chosen: str | None = None
    measure: str = ""
    missing: str = ""
    unavailable: str = ""


class Figures(Protocol):
    """Figures of a run or of a publication."""

    def sample(self, measure: str, place: Place) -> Sample:
        """Return the values of a measure (`tps`, `route`, `counter:Com_commit/s`) at a place."""

    def events(self, measure: str, place: Place) -> Events:
        """Return the number of trials with an event (`lost`, `not_recovered`) at a place."""

    def variants(self, place: Place) -> Variants:
        """Return the variants of a sweep; `place.solution` is the name of the swept solution."""

    def levels(self, axis: str, place: Place) -> Sequence[Level]:
        """Return the levels of an axis with figures at a place, numbers ascending.

        Axes without a level in the place may have any level.
        """
