"""Measures of connecting, and of what a fault did: outages, failover, and the phases of an outage."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fivenines.analysis.measures.measure import (
    SPREAD,
    Each,
    Get,
    Measure,
    TrialMeasures,
    Value,
    mean_of,
    part,
)

if TYPE_CHECKING:
    from fivenines.analysis.availability.availability import Outage
    from fivenines.analysis.availability.failovers import FaultMeasures
else:
    FaultMeasures = Any

# The phases of an outage, as the names of measures contain them.
PHASES = ("detect", "promote", "route", "client", "reconnect", "catch_up")


# Computes a value of one fault.
Of = Callable[[FaultMeasures], Value | None]


def _outage(service: str) -> Callable[[FaultMeasures | TrialMeasures], Value | None]:
    def get(one: FaultMeasures | TrialMeasures) -> Value | None:
        outage: Outage | None = getattr(one.availability, service, None)
        return outage.value if outage else None

    return get


def _failover(one: FaultMeasures | TrialMeasures) -> Value | None:
    return one.availability.failover if one.availability else None


def _first(of: Of) -> Get:
    """Return a getter for a value of the first fault."""
    return lambda trial: of(trial.faults[0]) if trial.faults else None


def _each(of: Of) -> Each:
    """Return a getter for the value of each death in turn that has it."""

    def get(trial: TrialMeasures) -> list[Value] | None:
        deaths = trial.each_death
        return None if deaths is None else [value for one in deaths if (value := of(one)) is not None]

    return get


def _mean(each: Each, otherwise: Get) -> Get:
    """Return a getter for the mean over deaths in turn, a lower bound if one of their values is.

    Those of one cluster may depend on each other, so a trial of several is one value.
    """

    def get(trial: TrialMeasures) -> Value | None:
        values = each(trial)
        if values is None:
            return otherwise(trial)
        return mean_of(values) if values else None

    return get


def _phase(name: str) -> Of:
    """Return a getter for a phase of a fault: None where no mark ended it and another phase has its time.

    Without an interruption there was no failover, and the phase took no time. Where the load did not recover,
    a phase that had not begun took 0 or more.
    """
    own = name.replace("_", " ")

    def get(fault: FaultMeasures) -> Value | None:
        failover = fault.failover
        if phase := failover.phase(own):
            return phase.ms, not phase.closed
        if own == "catch up":
            return None if failover.returned else (0.0, True)
        if not failover.interrupted:
            return 0.0, False
        last = failover.phases[-1] if failover.phases else None
        if last and not last.closed and _rank(last.name) < _rank(own):
            return 0.0, True
        # No waiting session had to give up, where that was observed; other marks were not seen.
        looked_for = own == "client" and fault.availability.connections is not None
        return (0.0, False) if looked_for else None

    return get


def _rank(phase: str) -> int:
    return PHASES.index(phase.replace(" ", "_"))


def _after(
    name: str,
    title: str,
    noun: str,
    of: Callable[[Any], Value | None],
    usual: bool = True,
    of_client: bool = False,
    whole: Get | None = None,
) -> Measure:
    """Return a duration after a fault; its values may be lower bounds.

    Args:
        name, title, noun, usual, of_client: as of a measure.
        of: computes it of a fault, and of a trial without deaths in turn.
        whole: computes it of such a trial, if `of` does not.
    """
    each = _each(of)
    return Measure(
        name,
        title,
        noun,
        "time",
        when="fault",
        bounds=True,
        source="a fault",
        usual=usual,
        of_client=of_client,
        value=_mean(each, whole or of),
        each=each,
    )


ENTRIES = (
    *(
        Measure(
            f"connects_{kind}",
            title,
            noun,
            "amount",
            when="load",
            value=part(lambda trial: trial.connects, kind),
        )
        for kind, title, noun in (
            ("refused", "Connects refused", "connects refused"),
            ("failed", "Failed connects", "failed connects"),
        )
    ),
    *(
        Measure(
            f"connect_{key}",
            f"{key} connect",
            f"time to connect ({words})",
            "time",
            when="load",
            value=part(lambda trial: trial.connects, f"{key}_ms"),
        )
        for key, words in SPREAD
        if key in ("p50", "p99")
    ),
    *(
        _after(
            f"outage_{service}",
            f"Outage, {words}",
            f"outage of {words}",
            _outage(service),
            of_client=service != "connections",
        )
        for service, words in (("writes", "writes"), ("reads", "reads"), ("connections", "new connections"))
    ),
    _after("failover", "Failover time", "failover time", _failover),
    *(
        _after(
            f"phase:{name}",
            f"Phase {name.replace('_', ' ')}",
            f"phase {name.replace('_', ' ')} of the first outage",
            _phase(name),
            usual=False,
            whole=_first(_phase(name)),
        )
        for name in PHASES
    ),
)
