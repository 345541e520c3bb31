"""Failovers at rest: role changes under load before any fault.

Every trial contributes: the time from the end of its warm-up to its first fault, or to the end of the load
without one. The rate is that of a Poisson process, observed until the first failover of each trial.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from fivenines.analysis.availability.needless import NEEDLESS, Kind, role_change
from fivenines.analysis.availability.node_states import States
from fivenines.results.records import TrialRecord

# Milliseconds an hour.
HOUR = 3_600_000.0


@dataclass(frozen=True)
class Rest:
    """The time at rest of one trial, in ms, and the needless failover that ended it; None: there was none."""

    ms: float
    failover: Kind | None = None


def at_rest(record: TrialRecord, states: States) -> Rest | None:
    """Return the time at rest of a trial.

    None if its nodes were not watched, or a server died by itself, or did not answer before another one was
    promoted.
    """
    windows = record.windows
    if windows is None or not states:
        return None
    begin = windows.warmup_end
    until = min([windows.end, *(fault.at for fault in record.faults)])
    if until <= begin:
        return None
    change = role_change(record, states, frozenset(), begin, until)
    if change.why:
        return None
    return Rest(change.t - begin, change.kind if change.kind in NEEDLESS else None)


def hourly(rests: Sequence[Rest], confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of failovers an hour (Garwood's exact one; one-sided without a failover).

    Source: F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936).

    Raises:
        ValueError: no time at rest was observed.
    """
    hours = sum(rest.ms for rest in rests) / HOUR
    if hours <= 0:
        raise ValueError("no time at rest was observed")
    events = sum(rest.failover is not None for rest in rests)
    tail = 1 - confidence if events == 0 else (1 - confidence) / 2
    low = float(special.gammaincinv(events, tail)) if events else 0.0
    return low / hours, float(special.gammaincinv(events + 1, 1 - tail)) / hours
