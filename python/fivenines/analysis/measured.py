"""The value of a measure in a trial, by the measure's name (see `fivenines.needs.measures`)."""

from collections.abc import Callable, Iterable

from fivenines.analysis.sequential import at_level
from fivenines.analysis.statistics import Summary, summarise
from fivenines.analysis.trials import TrialMeasures

Value = tuple[float, bool]
"""A trial's value, and whether it is a lower bound: service was not back."""

Get = Callable[[TrialMeasures], Value | None]
"""None where the trial has not measured it."""


def _throughput(trial: TrialMeasures) -> Value | None:
    return (trial.throughput.tps, False) if trial.throughput else None


def _latency(name: str) -> Get:
    def get(trial: TrialMeasures) -> Value | None:
        return (getattr(trial.latency, name), False) if trial.latency else None

    return get


def _outage(name: str) -> Get:
    def get(trial: TrialMeasures) -> Value | None:
        outage = getattr(trial.availability, name) if trial.availability else None
        return (outage.ms, not outage.back) if outage else None

    return get


def _failover(trial: TrialMeasures) -> Value | None:
    found = trial.availability
    if found is None or found.writes is None:
        return None
    back = found.failover_ms is not None
    return (found.failover_ms if found.failover_ms is not None else found.observed_ms, not back)


VALUES: dict[str, Get] = {
    "tps": _throughput,
    **{f"latency_{key}": _latency(key) for key in ("mean", "p50", "p95", "p99")},
    **{f"outage_{kind}": _outage(kind) for kind in ("writes", "reads", "connections")},
    "failover": _failover,
}
"""Rates per second and times in ms."""


def _counted(name: str) -> Callable[[TrialMeasures], bool | None]:
    def get(trial: TrialMeasures) -> bool | None:
        number = getattr(trial, name)
        return None if number is None else number > 0

    return get


def _violated(trial: TrialMeasures) -> bool | None:
    known = [one.status for one in trial.record.invariants if one.status != "unknown"]
    return "violated" in known if known else None


def _diverged(trial: TrialMeasures) -> bool | None:
    found = trial.record.divergence
    return bool(found.differences) if found and found.tables else None


def _not_back(trial: TrialMeasures) -> bool | None:
    found = trial.availability
    return None if found is None or found.writes is None else not found.writes.back


EVENTS: dict[str, Callable[[TrialMeasures], bool | None]] = {
    **{name: _counted(name) for name in ("lost", "phantom", "duplicate", "stale")},
    "not_back": _not_back,
    "split_brain": lambda trial: bool(trial.split_brains),
    "violated": _violated,
    "diverged": _diverged,
}
"""Whether a trial has it; None where it could not be seen."""


def summary_of(measure: str, trials: Iterable[TrialMeasures]) -> Summary:
    """The values of those trials that have the measure, in short."""
    measured = [(one, found) for one in trials if (found := VALUES[measure](one)) is not None]
    values = [found for _, found in measured]
    summary = summarise([value for value, _ in values], bounds=sum(bound for _, bound in values))
    nominal = measured[0][0].nominal if measured else None
    return summary if nominal is None else at_level(summary, nominal)


def seen_in(event: str, trials: Iterable[TrialMeasures]) -> list[bool]:
    """Of each trial in which it could be seen, whether it has the event."""
    return [found for one in trials if (found := EVENTS[event](one)) is not None]
