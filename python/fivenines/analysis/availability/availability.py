"""Outages, failover time and throughput from a trial's time line.

The time line counts successes in slots of 10 ms. The distance of two successive slots with a
success is a *gap*; it is exact to one slot either way. Load and ledger count together.

Interruption
    A gap that ends after the fault and is longer than the floor, see `ordinary`. A gap of at most twice the
    longest gap of the steady window may be an ordinary stall: it counts only if it covers an event (a fault,
    the return of a node, ...), and if stalls take less than `COMMON` of the steady window, so that few
    coincide with an event by chance.
    The time from the last success to the end of the load is a gap as well. No success ended it, so its
    length is a lower bound, and `back` is false if it counts. `Windows.end` is therefore the actual end of
    the load, not the planned one (see `experiment.course`).
Outage
    The longest interruption; its total is the sum of all. Without an interruption the outage is not
    *noticed*, and the longest gap stands for it.
    The factor is 2 for this reason. Without any effect, the longest gap after the fault exceeds the longest
    gap of the steady window in T_after / (T_after + T_steady) of all trials: more than half of them at the
    default timing. For random (Poisson) successes the longest of N gaps is doubled only about once in N.
Failover time
    From the fault to the first success of a write after the first interruption; 0 without one, absent
    if writes did not return before the end of the load. Of several faults: `failovers.of_trial`.
New connections
    The outage of new connections with one small write each, attempted alongside the load: from the completion
    of the last successful attempt to that of the next one, at any endpoint. It is exact to the spacing of the
    attempts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fivenines.analysis.availability.ordinary import FEW, FLOOR_FACTOR, floor_ms, ordinary_ms
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import TrialRecord, Windows

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Stalls that take a larger share of the steady window coincide with an event too often by chance.
COMMON = 0.05


@dataclass(frozen=True)
class Timeline:
    """The time line of a trial: columns of equal length, `slot` (ms, its start) ascending, sparse.

    `reads` and `writes` are successes of load and ledger together, `transactions` and `queries`
    those of the load alone.
    """

    slot: Ints
    reads: Ints
    writes: Ints
    transactions: Ints
    queries: Ints


@dataclass(frozen=True)
class Gap:
    """A time without success in ms since the start of the load; `closed`: a success ended it."""

    start: float
    end: float
    closed: bool = True

    @property
    def ms(self) -> float:
        """Return the length of the gap."""
        return self.end - self.start


@dataclass(frozen=True)
class Outage:
    """The interruptions of one kind of operation after a fault.

    Attributes:
        gap: the longest interruption; without any the longest gap that ends after the fault.
        floor_ms: length that a gap must exceed to count as an interruption.
        steady_ms: the longest gap of the steady window.
        back: whether service was available again at the end of the load; if not, `ms` is a lower bound.
        gaps: all interruptions, ascending and disjoint.
    """

    gap: Gap
    floor_ms: float
    steady_ms: float
    back: bool
    gaps: tuple[Gap, ...] = ()

    @property
    def ms(self) -> float:
        """Return the length of the longest, exact to `SLOT_MS`; a lower bound unless `back`."""
        return self.gap.ms

    @property
    def value(self) -> tuple[float, bool]:
        """Return the length of the longest in ms, and whether it is a lower bound."""
        return self.ms, not self.back

    @property
    def total_ms(self) -> float:
        """Return all interruptions together, never less than `ms`; a lower bound unless `back`."""
        return math.fsum(gap.ms for gap in self.gaps) if self.gaps else self.ms

    @property
    def first(self) -> Gap | None:
        """Return the first interruption."""
        return self.gaps[0] if self.gaps else None

    @property
    def noticed(self) -> bool:
        """Return whether there is any interruption: longer than what the undisturbed system shows."""
        return bool(self.gaps)


@dataclass(frozen=True)
class Availability:
    """Outages and failover time of a trial with a fault. None: not measured.

    `writes` and `reads` are outages of established sessions, `connections` that of new connections.
    `failover_ms` is 0 without an interruption of writes, None if they were not measured or not back
    within `observed_ms`, the time from the fault to the end of the load. A trial with several faults has the
    failover time of one of them, and `observed_ms` is the time from that one.
    """

    fault_at: float
    observed_ms: float
    writes: Outage | None
    reads: Outage | None
    failover_ms: float | None
    connections: Outage | None = None

    @property
    def failover(self) -> tuple[float, bool] | None:
        """Return the failover time in ms, and whether it is a lower bound; None: writes were not measured."""
        if self.writes is None:
            return None
        return (self.observed_ms, True) if self.failover_ms is None else (self.failover_ms, False)


@dataclass(frozen=True)
class Throughput:
    """Successes of the load per second in the steady window of `seconds`."""

    tps: float
    qps: float
    seconds: float


def timeline(rows: Sequence[tuple[int, int, int, int, int]]) -> Timeline:
    """Return a time line of rows (slot_ms, reads, writes, transactions, queries), in any order."""
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5)
    return Timeline(table[:, 0], table[:, 1], table[:, 2], table[:, 3], table[:, 4])


def availability(
    line: Timeline,
    windows: Windows,
    fault_at: float,
    *,
    moments: Sequence[float] = (),
    since: float | None = None,
    attempts: Floats | None = None,
) -> Availability:
    """Return the measures of one trial; `fault_at` is the moment of the fault (ms of the load).

    Args:
        line: the successes of established sessions.
        windows: the steady window ends before the fault, the load (or what belongs to it) at `end`.
        fault_at: when the fault took effect.
        moments: times of other events that may interrupt service, as a node's return.
        since: gaps before this time belong to another fault.
        attempts: when attempts of new connections succeeded (ms, ascending); None: not tried.
    """
    known = (fault_at, *moments)
    writes = outage(line.slot[line.writes > 0], windows, fault_at, moments=known, since=since)
    reads = outage(line.slot[line.reads > 0], windows, fault_at, moments=known, since=since)
    fresh = None
    if attempts is not None:
        # Attempts are sparse until the fault, so the dense ones after it give the ordinary gap.
        dense = np.diff(attempts[attempts >= windows.steady_end])
        floor = floor_ms(_spacing(dense))
        fresh = outage(attempts, windows, fault_at, moments=known, since=since, floor=floor)
    return Availability(fault_at, windows.end - fault_at, writes, reads, failover_ms(writes, fault_at), fresh)


def outage(
    successes: Ints | Floats,
    windows: Windows,
    fault_at: float,
    *,
    moments: Sequence[float] | None = None,
    since: float | None = None,
    floor: float | None = None,
) -> Outage | None:
    """Return the outage of one kind of operation; `successes`: the moments (or slots) of them, ascending.

    `moments` are the times of all events including the fault (None: only the fault). A gap must exceed
    `floor` where the steady window gives no limit. None if nothing succeeded in the steady window: then there
    was no service to interrupt.
    """
    edges = _edges(successes, windows.warmup_end, min(windows.steady_end, fault_at))
    lengths = np.diff(edges)
    lengths = lengths[lengths > 0]
    if not len(lengths):
        return None
    if floor is None:
        floor, longest = floor_ms(ordinary_ms(lengths)), float(lengths.max())
    else:
        lengths, longest = np.array([floor]), 0.0
    stalled = math.fsum(lengths[lengths > floor].tolist()) / math.fsum(lengths.tolist())
    gaps = _gaps_after(successes[successes < windows.end], windows.end, fault_at, since)
    known = [fault_at] if moments is None else moments

    def counts(gap: Gap) -> bool:
        if gap.ms > max(floor, FLOOR_FACTOR * longest):
            return True
        return gap.ms > floor and stalled < COMMON and any(_covers(gap, moment) for moment in known)

    noticed = tuple(gap for gap in gaps.longer_than(floor) if counts(gap))
    worst = max(noticed or gaps.longest(), key=lambda gap: gap.ms, default=Gap(fault_at, fault_at))
    back = not noticed or noticed[-1].closed
    return Outage(worst, floor, longest, back, noticed)


def _spacing(gaps: Floats) -> float:
    """Return the usual distance of dense attempts in ms, which outages among them do not change."""
    if not len(gaps):
        return 0.0
    if len(gaps) >= FEW:
        return ordinary_ms(gaps)
    return 3.0 * float(np.median(gaps))


def steady_stalls(successes: Ints | Floats, start: float, end: float) -> list[Gap]:
    """Return the gaps between successes in a window, its ends included, that are longer than ordinary ones.

    A gap at the end of the window is not closed: no success ended it. [] where nothing succeeded in it.
    """
    edges = _edges(successes, start, end)
    lengths = np.diff(edges)
    floor = floor_ms(ordinary_ms(lengths[lengths > 0]))
    ends = ((float(edges[at]), float(edges[at + 1])) for at in np.flatnonzero(lengths > floor).tolist())
    return [Gap(low, high, closed=high < end) for low, high in ends]


def _edges(successes: Ints | Floats, start: float, end: float) -> Floats:
    """Return the successes in a window between its two ends; empty where nothing succeeded in it."""
    inside = successes[(successes >= start) & (successes < end)]
    if not len(inside):
        return np.zeros(0)
    return np.concatenate(([start], inside, [end]))


def failover_ms(writes: Outage | None, fault_at: float) -> float | None:
    """From the fault to the first write after the first interruption; see the module's text."""
    if writes is None:
        return None
    if writes.first is None:
        return 0.0
    return max(0.0, writes.first.end - fault_at) if writes.first.closed else None


def throughput(line: Timeline, windows: Windows, fault_at: float | None = None) -> Throughput | None:
    """Transactions and queries per second of the whole slots of the steady window.

    None if the window holds no whole slot.
    """
    end = windows.steady_end if fault_at is None else min(windows.steady_end, fault_at)
    first = math.ceil(windows.warmup_end / SLOT_MS) * SLOT_MS
    last = math.floor(end / SLOT_MS) * SLOT_MS
    if last <= first:
        return None
    inside = (line.slot >= first) & (line.slot < last)
    seconds = (last - first) / 1000
    return Throughput(
        float(line.transactions[inside].sum()) / seconds, float(line.queries[inside].sum()) / seconds, seconds
    )


def steady_window(record: TrialRecord) -> tuple[float, float]:
    """Return start and end of the steady window in ms, up to the fault; (0, 0) without one."""
    windows, fault = record.windows, record.fault
    if windows is None:
        return 0.0, 0.0
    end = windows.steady_end if fault is None else min(windows.steady_end, fault.at)
    return windows.warmup_end, end


def _covers(gap: Gap, moment: float) -> bool:
    """Return whether a gap began by an event: its first slot may hold the last success, and then the
    event.
    """
    return gap.start <= moment <= gap.end


@dataclass(frozen=True)
class _Gaps:
    """Gaps as columns. The last one is open where the window ended it."""

    starts: Floats
    ends: Floats
    open: bool

    def longer_than(self, ms: float) -> list[Gap]:
        """Return the gaps longer than `ms`, ascending."""
        return [self._one(index) for index in np.flatnonzero(self.ends - self.starts > ms).tolist()]

    def longest(self) -> list[Gap]:
        """Return the first of the longest closed gaps; an open gap only where there is no other."""
        closed = len(self.starts) - self.open
        lengths = (self.ends - self.starts)[: closed or None]
        return [self._one(int(np.argmax(lengths)))] if len(lengths) else []

    def _one(self, index: int) -> Gap:
        closed = not (self.open and index == len(self.starts) - 1)
        return Gap(float(self.starts[index]), float(self.ends[index]), closed)


def _gaps_after(successes: Ints | Floats, end: float, fault_at: float, since: float | None) -> _Gaps:
    """Return all gaps that end after the fault, and the open one at the end of the window."""
    last_before = max(int(np.searchsorted(successes, fault_at - SLOT_MS, "right")) - 1, 0)
    edges = np.append(successes[last_before:].astype(np.float64), end)
    starts, ends = edges[:-1], edges[1:]
    if since is not None:
        own = ends > since
        starts, ends = np.maximum(starts[own], since), ends[own]
    return _Gaps(starts, ends, bool(len(ends)) and bool(ends[-1] == end))
