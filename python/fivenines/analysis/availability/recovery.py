"""Recovery after a fault: throughput, replicas, brown-out, work lost.

Steady rate
    Transactions per second of the load in the steady window, before the first fault.
Throughput is back
    at the first slot, from the return of service on, that begins a second with at least 90 % of
    the steady rate. A dip later on is a brown-out, not a part of catching up.
A replica is behind
    by the age of the oldest write that was acknowledged since service returned and that it lacks. It has
    caught up at the first view from which, for a second, it is never behind by more than twice its worst lag
    in the steady window, at least 100 ms (the distance of two views).
Brown-out
    The time after the fault and outside the outage in which the rate is below 90 % of the steady
    rate, in bins of about a second (each stretch is cut into equal bins).
Work lost
    Transactions at the steady rate from the fault until caught up (or to the end), minus those done; at least
    0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fivenines.results.layout import SLOT_MS

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Throughput is back at this share of the steady rate; below it there is a brown-out.
BACK_SHARE = 0.9

# Time for which throughput or a replica must be recovered, in ms; also the approximate width of a bin.
SUSTAINED_MS = 1000.0

BEHIND_FLOOR_MS = 100.0
BEHIND_FACTOR = 2.0


@dataclass(frozen=True)
class LoadLine:
    """The load's own time line: columns of equal length, `slot` (ms) ascending, sparse."""

    slot: Ints
    writes: Ints
    transactions: Ints
    failed: Ints
    in_doubt: Ints

    def total(self, column: Ints, start: float, end: float) -> int:
        """Return the sum of a column over the slots that begin in [start, end)."""
        return int(column[(self.slot >= start) & (self.slot < end)].sum())


@dataclass(frozen=True)
class Views:
    """Views of the ledger on a node: `t` (ms) ascending; `seen[client]` has the greatest id of each view.

    The id is -1 without any row of that client.
    """

    t: Floats
    seen: dict[int, Ints] = field(default_factory=dict)


@dataclass(frozen=True)
class Acks:
    """Acknowledged writes of the ledger by `t` (ms of the acknowledgement) ascending."""

    t: Floats
    client: Ints
    id: Ints


def throughput_back(line: LoadLine, rate: float, start: float, until: float) -> float | None:
    """Return when throughput was back, from `start` on; None if it was not within the window."""
    first = int(start // SLOT_MS)
    last = int(until // SLOT_MS)
    width = int(SUSTAINED_MS // SLOT_MS)
    if last - first < width:
        return None
    inside = (line.slot >= first * SLOT_MS) & (line.slot < last * SLOT_MS)
    index = (line.slot[inside] // SLOT_MS - first).astype(np.int64)
    counts = np.bincount(index, weights=line.transactions[inside], minlength=last - first)
    until_then = np.concatenate(([0.0], np.cumsum(counts)))
    sums = until_then[width:] - until_then[:-width]
    reached = np.flatnonzero(sums >= BACK_SHARE * rate * SUSTAINED_MS / 1000)
    return max(start, float((first + reached[0]) * SLOT_MS)) if len(reached) else None


def behind(views: Views, acks: Acks, since: float) -> Floats:
    """Return for each view the age in ms of the oldest acknowledged write since `since` that it lacks."""
    ages = np.zeros(len(views.t))
    counted = acks.t >= since
    for client in np.unique(acks.client[counted]).tolist():
        mine = counted & (acks.client == client)
        ids, moments = acks.id[mine], np.append(acks.t[mine], np.inf)
        seen = views.seen.get(client, np.full(len(views.t), -1, dtype=np.int64))
        missing = moments[np.searchsorted(np.maximum.accumulate(ids), seen, side="right")]
        ages = np.maximum(ages, np.where(missing <= views.t, views.t - missing, 0.0))
    return ages


def replica_back(
    views: Views, acks: Acks, steady: tuple[float, float], start: float, until: float
) -> float | None:
    """Return when a replica was no longer behind, from `start` on; None if it stayed behind.

    `steady` are the ends of the steady window.
    """
    before = (views.t >= steady[0]) & (views.t < steady[1])
    usual = behind(Views(views.t[before], _cut(views, before)), acks, steady[0])
    tolerated = max(BEHIND_FLOOR_MS, BEHIND_FACTOR * float(usual.max(initial=0.0)))
    after = (views.t >= start) & (views.t < until)
    looks = views.t[after]
    late = behind(Views(looks, _cut(views, after)), acks, start) > tolerated
    for index in np.flatnonzero(~late).tolist():
        if looks[index] + SUSTAINED_MS > until:
            return None
        if not late[(looks >= looks[index]) & (looks < looks[index] + SUSTAINED_MS)].any():
            return float(looks[index])
    return None


def _cut(views: Views, keep: npt.NDArray[np.bool_]) -> dict[int, Ints]:
    return {client: seen[keep] for client, seen in views.seen.items()}


def brownout_ms(line: LoadLine, rate: float, stretches: Sequence[tuple[float, float]]) -> float:
    """Return the time below 90 % of the rate within stretches (start, end) of time."""
    total = 0.0
    for start, end in stretches:
        total += sum(high - low for low, high in _bins(start, end) if _low(line, rate, low, high))
    return total


def steady_share_below(line: LoadLine, rate: float, start: float, end: float) -> float:
    """Return the share of an undisturbed window that would count as a brown-out, by chance alone."""
    return brownout_ms(line, rate, [(start, end)]) / (end - start) if end > start else 0.0


def _bins(start: float, end: float) -> list[tuple[float, float]]:
    """Return equal bins of whole slots, each of about a second."""
    first, last = math.ceil(start / SLOT_MS), math.floor(end / SLOT_MS)
    if last <= first:
        return []
    n = max(1, round((last - first) * SLOT_MS / SUSTAINED_MS))
    edges = [SLOT_MS * round(first + (last - first) * index / n) for index in range(n + 1)]
    return [(float(low), float(high)) for low, high in pairwise(edges)]


def _low(line: LoadLine, rate: float, start: float, end: float) -> bool:
    done = line.total(line.transactions, start, end)
    return done < BACK_SHARE * rate * (end - start) / 1000


def work_lost(line: LoadLine, rate: float, start: float, end: float) -> float:
    """Return the transactions at the steady rate in a window, minus those done; at least 0."""
    first, last = math.floor(start / SLOT_MS) * SLOT_MS, math.floor(end / SLOT_MS) * SLOT_MS
    done = line.total(line.transactions, first, last)
    return max(0.0, rate * (last - first) / 1000 - done)
