"""What a measure is: its names, unit, direction and period, and how a trial's value is computed."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

# The analysis takes most of a second to import, and experiment files only need names and units.
if TYPE_CHECKING:
    from fivenines.analysis.resources.cost import Prices
    from fivenines.analysis.trials import TrialMeasures
    from fivenines.results.records import Deployment
else:
    TrialMeasures = Prices = Deployment = Any

# The kind of a measure's values: per second; milliseconds; a fraction; a number of each trial, in the stated
# unit; whether the event occurred in a trial; one number of a solution; a figure of a solution from all of
# its trials and an assumption.
Kind = Literal["rate", "time", "share", "amount", "event", "number", "estimate"]

# The period of a measure: the steady window, before any fault; the whole load; the time after a fault.
When = Literal["steady", "load", "fault"]

# A trial's value, and whether it is a lower bound: service did not recover, or work was not completed.
Value = tuple[float, bool]

# Computes a trial's value; None where the trial has not measured it.
Get = Callable[[TrialMeasures], Value | None]

# Returns whether a trial has an event; None where it could not be observed.
Seen = Callable[[TrialMeasures], bool | None]

# Returns what each of several faults in turn of one trial had: values, or whether the event happened; None:
# the trial has no such faults, or it is not known of them.
Each = Callable[[TrialMeasures], Sequence[Value] | None]
SeenEach = Callable[[TrialMeasures], Sequence[bool] | None]

# Computes a number of a solution from its deployment and the prices of hosts; None: unknown.
Number = Callable[[Deployment, Prices | None], float | None]

_UNITS = {"rate": "1/s", "time": "ms"}


@dataclass(frozen=True)
class Measure:
    """A measure of a solution. One of `value`, `seen` and `number` computes it, by its kind.

    Attributes:
        name: name in experiment files and on the command line.
        title: head of a column.
        noun: words for a sentence, after a number or after "the".
        kind: kind of the values.
        more: whether more is better; None: neither is, so the measure cannot be a preference.
        when: period in which it is measured.
        unit: unit of the values; empty for a plain number.
        bounds: whether a value may be a lower bound, as the outage did not end.
        source: setting or feature that a trial must have; empty: every trial has the measure.
        usual: whether runs are compared by it by default.
        signed: whether values may be below 0.
        of_client: whether each of several clients has it; else it is of the cluster or of all clients.
        steady: whether it is read from the figures of the steady window, of several trials together.
        called: the quantity itself, where the noun is a unit; empty: the noun says it.
        never: what is true if an event never happens; empty: "no", then the noun.
        value: computes a trial's value in the unit, of every kind but events, numbers and estimates.
        each: returns the value of each fault in turn; the trial's value is then their mean.
        seen: returns whether a trial has the event.
        seen_each: returns whether each fault in turn had the event.
        number: computes the number of a solution.
    """

    name: str
    title: str
    noun: str
    kind: Kind
    more: bool | None = False
    when: When = "steady"
    unit: str = ""
    bounds: bool = False
    source: str = ""
    usual: bool = False
    signed: bool = False
    of_client: bool = False
    steady: bool = False
    called: str = ""
    never: str = ""
    value: Get | None = field(default=None, compare=False, repr=False)
    each: Each | None = field(default=None, compare=False, repr=False)
    seen: Seen | None = field(default=None, compare=False, repr=False)
    seen_each: SeenEach | None = field(default=None, compare=False, repr=False)
    number: Number | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", _UNITS.get(self.kind, ""))

    def __reduce__(self) -> tuple[Callable[[str], "Measure"], tuple[str]]:
        """Pickle and copy the name alone: functions cannot be pickled."""
        from fivenines.analysis.measures.measures import measure_named  # noqa: PLC0415  (it imports this)

        return measure_named, (self.name,)

    @property
    def fault(self) -> bool:
        """Return whether only a trial with a fault has the measure."""
        return self.when == "fault"

    @property
    def valued(self) -> bool:
        """Return whether each trial has a value, so that there is a mean with an interval."""
        return self.kind not in ("event", "number", "estimate")

    @property
    def milli(self) -> bool:
        """Return whether values are in ms; reports choose ms, s or min by their size."""
        return self.kind == "time"

    @property
    def words(self) -> tuple[str, str]:
        """Return the words for less and more: "fewer" transactions, a "shorter" outage."""
        known = {"rate": ("fewer", "more"), "time": ("shorter", "longer")}
        return known.get(self.kind, ("lower", "higher"))

    @property
    def unit_in_words(self) -> str:
        """Return the unit for a sentence: the noun where that is a unit, as "transactions per second"."""
        return self.noun if self.called else self.unit

    @property
    def key(self) -> str:
        """Return the name in a form that a column or a file can have."""
        return re.sub(r"\W+", "_", self.name)

    @property
    def column(self) -> str:
        """Return the name of its column in exports, with the unit of times."""
        return f"{self.key}_ms" if self.milli else self.key


def mean_of(values: Sequence[Value]) -> Value:
    """Return the mean of values, of which there is one at least: a lower bound if one of them is."""
    return math.fsum(value for value, _ in values) / len(values), any(bound for _, bound in values)


def known(value: float | None) -> Value | None:
    """Return a value that is no bound; None stays None."""
    return None if value is None else (float(value), False)


def part(of: Callable[[TrialMeasures], object], name: str) -> Get:
    """Return a function that reads a figure of an optional part of a trial."""
    return lambda trial: known(getattr(of(trial), name, None))


# The figures of a distribution, with their names in words.
SPREAD = (("mean", "mean"), ("p50", "median"), ("p95", "95th percentile"), ("p99", "99th percentile"))
