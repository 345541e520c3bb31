"""Deaths in turn: a server dies again and again in one trial, each time after the cluster has recovered.

Each death has its own window, to the next one, with its outage and the acknowledged rows that were lost in
it: those acknowledged after the recovery from the death before, until that from this one. So a row that an
old primary acknowledged after the death belongs to this death.

Deaths of one cluster may depend on each other: a cache is warm, a disk fuller, a table larger. So nothing is
assumed: an interval uses the means of the clusters as its sample (Montgomery, Design and Analysis of
Experiments, ch. 3.9: subsamples are no replicates), and two permutation tests look for an effect of the order
(Good, Permutation, Parametric and Bootstrap Tests of Hypotheses, 2005): a trend over the deaths of a cluster,
and likeness of neighbours. Both permute the order within each cluster, so they are exact for deaths that are
exchangeable.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.availability.fault_windows import in_turn, planned
from fivenines.analysis.availability.node_states import States, states_at
from fivenines.analysis.availability.outages import by_trial
from fivenines.analysis.statistics.means import Summary

Floats = NDArray[np.float64]

# Faults after which a server is dead.
DEATHS = ("kill", "host-kill", "power-loss")

# Random orders of a permutation test, and the seed that makes its result repeatable.
_ORDERS, _SEED = 2000, 1


@dataclass(frozen=True)
class Death:
    """One death of a trial: its outage of writes in ms, and the acknowledged rows that were lost.

    Attributes:
        number: its number in the trial, from 1.
        outage_ms: the longest interruption of writes; a lower bound unless `back`. None: not measured.
        back: whether writes were possible again before the next death.
        lost: rows that were acknowledged and lost; None: not known.
    """

    number: int
    outage_ms: float | None
    back: bool
    lost: int | None


@dataclass(frozen=True)
class Deaths:
    """The deaths of one trial that count, in order, and how many were planned.

    `apart`: whether each of the trial's deaths came after the recovery from the one before. Otherwise they
    are faults of their own.
    """

    deaths: tuple[Death, ...]
    planned: int
    apart: bool = True


def deaths_in_turn(
    states: States, faults: Sequence[FaultMeasures], lost_at: Callable[[], Sequence[float] | None]
) -> Deaths | None:
    """Return the deaths of a trial; None if fewer than two were planned, or it had other faults.

    A death counts if it was verified, and if the cluster had recovered from all before it: their nodes were
    members, and as many nodes were writable, read-only or away as before the first death.

    Args:
        states: the states of its nodes.
        faults: the measures of its faults, in order.
        lost_at: returns when each lost row was acknowledged, in ms; None: not known.
    """
    every = in_turn([one.fault_window for one in faults])
    if not every or every[0].kind not in DEATHS:
        return None
    counted = _counted(states, faults)
    lost = lost_at() if counted else None
    begins = [0.0, *(_recovered(one) for one in faults[: max(0, counted - 1)])]
    last = _recovered(faults[counted - 1]) if 0 < counted < len(faults) else math.inf
    ends = [*begins[1:], last]
    found = []
    for number in range(counted):
        writes = faults[number].availability.writes
        rows = None
        if lost is not None:
            rows = sum(begins[number] <= moment < ends[number] for moment in lost)
        found.append(
            Death(
                number + 1,
                writes.ms if writes is not None else None,
                writes.back if writes is not None else False,
                rows,
            )
        )
    return Deaths(tuple(found), planned(every), all(_apart(number, faults) for number in range(len(faults))))


def _counted(states: States, faults: Sequence[FaultMeasures]) -> int:
    """Return how many deaths count, from the first on."""
    first = _kinds(states, faults[0].fault_window.at)
    for number, one in enumerate(faults):
        fault = one.fault_window.faults[0]
        if not _apart(number, faults) or not fault.verified or _kinds(states, fault.at) != first:
            return number
    return len(faults)


def _apart(number: int, faults: Sequence[FaultMeasures]) -> bool:
    """Return whether a death was alone, and the cluster had recovered from the one before."""
    window = faults[number].fault_window
    if len(window.faults) > 1 or not number:
        return len(window.faults) == 1
    back = faults[number - 1].fault_window.faults[0].rejoined_at
    return back is not None and back <= window.at


def _recovered(one: FaultMeasures) -> float:
    """Return when a death was over, in ms."""
    fault = one.fault_window.faults[0]
    return fault.rejoined_at if fault.rejoined_at is not None else one.fault_window.until


def _kinds(states: States, t: float) -> list[str]:
    """Return the states of the nodes, whichever node has which: roles change."""
    return sorted(states_at(states, t).values())


@dataclass(frozen=True)
class Order:
    """Effects of the order of deaths on their outages.

    Attributes:
        trend: change from the first to the last death by a straight line, as a share of the mean.
        trend_p: probability of such a trend, or a larger one, if the order has no effect.
        likeness: correlation of neighbours, after the trend-free mean of their cluster.
        likeness_p: probability of such a correlation, or a stronger one, if the order has no effect.
    """

    trend: float
    trend_p: float
    likeness: float
    likeness_p: float

    @property
    def seen(self) -> bool:
        """Return whether one of the two is shown, with an error of 5 % for both together."""
        return min(self.trend_p, self.likeness_p) < 0.025


def clustered(clusters: Sequence[Deaths]) -> Summary:
    """Return the outage of writes in ms: a sample of one mean for each cluster."""
    known = [
        (str(number), (death.outage_ms, not death.back))
        for number, one in enumerate(clusters)
        for death in one.deaths
        if death.outage_ms is not None
    ]
    return by_trial([cluster for cluster, _ in known], [value for _, value in known])


def order(clusters: Sequence[Deaths]) -> Order | None:
    """Return the effects of the order; None without a cluster of three deaths, or if outages do not vary.

    Outages that did not end are left out: each is the last of its cluster, and the longest.
    """
    series = [
        np.array([death.outage_ms for death in one.deaths if death.outage_ms is not None and death.back])
        for one in clusters
    ]
    series = [one for one in series if len(one) > 2]
    if not series or all(np.ptp(one) == 0 for one in series):
        return None
    mean = float(np.mean(np.concatenate(series)))
    rests = [one - one.mean() for one in series]
    rng = np.random.default_rng(_SEED)
    orders = [rng.permuted(np.tile(rest, (_ORDERS, 1)), axis=1) for rest in rests]
    found = [rest[np.newaxis, :] for rest in rests]
    steps = max(len(one) for one in series) - 1
    slope, slope_p = _tested(_slopes, found, orders)
    likeness, likeness_p = _tested(_likenesses, found, orders)
    return Order(slope * steps / mean if mean else 0.0, slope_p, likeness, likeness_p)


def _tested(
    of: Callable[[Sequence[Floats]], Floats], found: Sequence[Floats], orders: Sequence[Floats]
) -> tuple[float, float]:
    """Return a statistic, and how probable one that is as far from 0 is in a random order."""
    value = float(of(found)[0])
    # The order that was found is one of the possible ones.
    more = int(np.sum(np.abs(of(orders)) >= abs(value) - 1e-12))
    return value, (more + 1) / (_ORDERS + 1)


def _slopes(rests: Sequence[Floats]) -> Floats:
    """Return the slope of each row over its places, within clusters, in ms for each death.

    Each cluster has an array of the shape (orders, deaths), with a mean of 0 in each row.
    """
    places = [np.arange(rest.shape[1]) - (rest.shape[1] - 1) / 2 for rest in rests]
    products = np.sum([rest @ place for place, rest in zip(places, rests, strict=True)], axis=0)
    return np.asarray(products / math.fsum(float(place @ place) for place in places))


def _likenesses(rests: Sequence[Floats]) -> Floats:
    """Return the correlation of neighbours in each row, within clusters; arrays as for the slopes."""
    total = np.sum([np.sum(rest * rest, axis=1) for rest in rests], axis=0)
    return np.asarray(np.sum([np.sum(rest[:, :-1] * rest[:, 1:], axis=1) for rest in rests], axis=0) / total)
