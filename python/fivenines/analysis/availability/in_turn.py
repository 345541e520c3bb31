"""Hiccups in turn: several in one trial, on one cluster, counted until the first needless failover.

Each hiccup has its own window, to the beginning of the next one. The count of a trial ends

- with the first needless failover: what follows meets a cluster that has changed,
- before a hiccup that was not verified, had not ended when the next one began, or whose window a death or an
  unexplained promotion falls into,
- before a hiccup at whose beginning the nodes are not in the states that they had before the first one.

So each hiccup that counts met the cluster as it was at the beginning, and the share of hiccups that lead to a
failover is that of independent draws as far as nothing builds up that the nodes' states do not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.fault_windows import FaultWindow, fault_windows, planned
from fivenines.analysis.availability.fault_windows import in_turn as faults_in_turn
from fivenines.analysis.availability.needless import (
    NEEDLESS,
    Kind,
    harmless,
    is_hiccup,
    role_change,
    unwatched,
)
from fivenines.analysis.availability.node_states import States, states_at
from fivenines.base.units import YEAR
from fivenines.results.records import TrialRecord


@dataclass(frozen=True)
class InTurn:
    """The hiccups of one trial that count.

    Attributes:
        lengths: their lengths, in ms, in order.
        planned: the number of hiccups that the trial should have.
        failover: what the last one led to; None: none led to a failover.
        mtbf: seconds between two such hiccups that the experiment assumes; None: it assumes none.
    """

    lengths: tuple[float, ...]
    planned: int
    failover: Kind | None = None
    mtbf: float | None = None


def in_turn(record: TrialRecord, states: States) -> InTurn | None:
    """Return the hiccups of a trial.

    None if fewer than two were planned, or it had other faults, or its nodes were not watched.
    """
    windows, end = fault_windows(record), record.windows.end if record.windows is not None else 0.0
    faults = faults_in_turn(windows)
    if not faults or not states or not all(map(harmless, faults)):
        return None
    if any(unwatched(record, one.hit, states) for one in windows):
        return None
    lengths: list[float] = []
    failover: Kind | None = None
    for window in windows:
        fault = window.faults[0]
        as_before = states_at(states, window.at) == states_at(states, windows[0].at)
        if fault.ended is None or not is_hiccup(fault, end) or not _alone(window) or not as_before:
            break
        change = role_change(record, states, window.hit, window.at, window.until)
        if change.why:
            break
        lengths.append(round(fault.ended - fault.at, 1))
        if change.kind in NEEDLESS:
            failover = change.kind
            break
    return InTurn(tuple(lengths), planned(faults), failover, windows[0].mtbf)


def _alone(window: FaultWindow) -> bool:
    """Return whether a window has one fault that ended before the next one, as far as it is known."""
    ended = window.faults[0].ended
    return len(window.faults) == 1 and (ended is None or ended <= window.until)


def yearly(share: float, hiccups: Sequence[InTurn]) -> float | None:
    """Return the needless failovers a year for a share of hiccups; None if no rate is assumed."""
    assumed = {one.mtbf for one in hiccups}
    mtbf = assumed.pop() if len(assumed) == 1 else None
    return None if mtbf is None else share * YEAR / mtbf
