"""Measures of connecting, and of what a fault did: outages, failover, and the phases of an outage."""

from typing import TYPE_CHECKING

from fivenines.analysis.measures.measure import SPREAD, Get, Measure, TrialMeasures, Value, part

if TYPE_CHECKING:
    from fivenines.analysis.availability.availability import Outage

# The phases of an outage, as the names of measures contain them.
PHASES = ("detect", "promote", "route", "client", "reconnect", "catch_up")


def _outage(service: str) -> Get:
    def get(trial: TrialMeasures) -> Value | None:
        outage: Outage | None = getattr(trial.availability, service, None)
        return outage.value if outage else None

    return get


def _failover(trial: TrialMeasures) -> Value | None:
    return trial.availability.failover if trial.availability else None


def _phase(name: str) -> Get:
    """Return a getter for a phase of the first fault: None where no mark ended it and another phase has its
    time.

    Without an interruption there was no failover, and the phase took no time. Where the load did not recover,
    a phase that had not begun took 0 or more.
    """
    own = name.replace("_", " ")

    def get(trial: TrialMeasures) -> Value | None:
        if not trial.faults:
            return None
        failover = trial.faults[0].failover
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
        looked_for = own == "client" and trial.faults[0].availability.connections is not None
        return (0.0, False) if looked_for else None

    return get


def _rank(phase: str) -> int:
    return PHASES.index(phase.replace(" ", "_"))


def _after(
    name: str, title: str, noun: str, value: Get, usual: bool = True, of_client: bool = False
) -> Measure:
    """Return a duration after a fault; its values may be lower bounds."""
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
        value=value,
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
    _after("outage_writes", "Outage, writes", "outage of writes", _outage("writes"), of_client=True),
    _after("outage_reads", "Outage, reads", "outage of reads", _outage("reads"), of_client=True),
    _after(
        "outage_connections", "Outage, new connections", "outage of new connections", _outage("connections")
    ),
    _after("failover", "Failover time", "failover time", _failover),
    *(
        _after(
            f"phase:{name}",
            f"Phase {name.replace('_', ' ')}",
            f"phase {name.replace('_', ' ')} of the first outage",
            _phase(name),
            usual=False,
        )
        for name in PHASES
    ),
)
