"""Values of measures in trials, by the measure's name (see `fivenines.analysis.measures.measures`).

Most values are part of the trial's measures. Those of `analysis.performance.steady` are read on first use, of
all trials at once where several are requested (`values_of`); values of counters are read one by one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fivenines.analysis.measures.measure import Get, Measure, Seen, Value
from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.statistics.sequential import at_level
from fivenines.analysis.trials import TrialMeasures, read_steady


class _Values(dict[str, Get]):
    """Getters of the listed measures; those of families come from their measure."""

    def __missing__(self, name: str) -> Get:
        get = MEASURES[name].value
        if get is None:
            raise KeyError(name)
        return get


# Measures that stand first in exports and comparisons; all others follow in the order of the list.
_FIRST = ("tps", "qps", "lost", "phantom", "duplicate", "stale")


def _in_order() -> list[Measure]:
    def rank(measure: Measure) -> int:
        return _FIRST.index(measure.name) if measure.name in _FIRST else len(_FIRST)

    return sorted(MEASURES.values(), key=rank)


# Getters by name, in the units of the measures; `VALUES[name]` also has those of families.
VALUES: dict[str, Get] = _Values(
    {measure.name: measure.value for measure in _in_order() if measure.value is not None}
)

# Whether a trial has an event, by name; None where it could not be observed.
EVENTS: dict[str, Seen] = {measure.name: measure.seen for measure in _in_order() if measure.seen is not None}


def prepare(measure: str, trials: Sequence[TrialMeasures]) -> None:
    """Read the figures that a measure uses, of several trials together."""
    if MEASURES[measure].steady:
        read_steady(trials)


def values_of(measure: str, trials: Iterable[TrialMeasures]) -> list[Value | None]:
    """Return the value of each trial."""
    some = list(trials)
    prepare(measure, some)
    get = VALUES[measure]
    return [get(item) for item in some]


def summary_of(measure: str, trials: Iterable[TrialMeasures]) -> Summary:
    """Return the summary of a measure over the trials that have it, at the level of their run."""
    some = list(trials)
    result = values_of(measure, some)
    measured = [item for item, value in zip(some, result, strict=True) if value is not None]
    values = [value for value in result if value is not None]
    summary = summarise(
        [value for value, _ in values],
        bounds=sum(bound for _, bound in values),
        machines=[item.machine for item in measured],
    )
    nominal = measured[0].nominal if measured else None
    return summary if nominal is None else at_level(summary, nominal)


def seen_in(event: str, trials: Iterable[TrialMeasures]) -> list[bool]:
    """Return for each trial in which the event could be observed whether it has the event."""
    return [events for trial in trials if (events := EVENTS[event](trial)) is not None]


@dataclass(frozen=True)
class Draws:
    """What happened by chance, several times in a trial that has faults in turn.

    Attributes:
        values: the value of each draw, and whether it is a lower bound; 1 or 0 for an event.
        trials: the number of trials that they are of.
        unit: what a draw is: "trial", or the fault in turn, as "death".
    """

    values: list[Value]
    trials: int
    unit: str = "trial"


def draws_of(measure: str, trials: Iterable[TrialMeasures]) -> Draws:
    """Return the values of a measure, or whether an event happened, for each trial or each fault in turn.

    An event that a trial has, and none of its faults in turn that count, is a draw of its own.
    """
    of, some = MEASURES[measure], list(trials)
    values: list[Value] = []
    measured, unit = 0, "trial"
    prepare(measure, some)
    for trial in some:
        several = _in_turn(of, trial)
        whole = _whole(of, trial)
        if several:
            unit = "hiccup" if trial.each_death is None else "death"
            if of.seen is not None and whole is not None and whole[0] and not any(v for v, _ in several):
                several.append(whole)
        own = several or ([] if whole is None else [whole])
        values += own
        measured += bool(own)
    return Draws(values, measured, unit)


def _in_turn(of: Measure, trial: TrialMeasures) -> list[Value]:
    """Return the values of a trial's faults in turn; [] without any."""
    if of.seen_each is not None:
        return [(float(seen), False) for seen in of.seen_each(trial) or ()]
    return list(of.each(trial) or ()) if of.each is not None else []


def _whole(of: Measure, trial: TrialMeasures) -> Value | None:
    """Return the value of a whole trial; None: not measured."""
    if of.seen is None:
        return VALUES[of.name](trial)
    seen = of.seen(trial)
    return None if seen is None else (float(seen), False)
