"""Outage, failover time and throughput from a trial's time line.

The time line counts successes in slots of 10 ms. The distance of two successive slots with a
success is a *gap*; it is exact to one slot either way. Load and ledger count together.

Outage
    The longest gap that ends after the fault. If nothing succeeds any more until the end of the
    load, the time from the last success to that end counts too, as a lower bound (`back` is false).
    It does so from `TAIL_MS` on, or if nothing at all succeeded after the fault: loads end a little
    before or after their nominal end.
Detection floor
    Twice the longest gap of the steady window, at least 50 ms. Twice, because without any effect
    the longest gap after the fault exceeds the longest of the steady window in T_after / (T_after +
    T_steady) of all trials, more than half of them at the default timing; whereas for random
    (Poisson) successes the longest of N gaps is doubled only about once in N. An outage is
    *noticed* if it is longer than the floor.
Failover time
    From the fault to the first success of a write after the first noticed write gap; 0 if no write
    gap was noticed, absent if writes did not return before the end of the load.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Windows

Ints = npt.NDArray[np.int64]

FLOOR_FACTOR = 2.0
FLOOR_MS = 5.0 * SLOT_MS
TAIL_MS = 1000.0


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
        """Its length."""
        return self.end - self.start


@dataclass(frozen=True)
class Outage:
    """The longest time without a success of one kind of operation after a fault.

    Attributes:
        gap: the longest gap that ends after the fault.
        floor_ms: what an outage must exceed to be told from the ordinary course.
        steady_ms: the longest gap of the steady window.
        back: whether there was service again at the end of the load; else `ms` is a lower bound.
        first: the first gap after the fault that exceeds the floor.
    """

    gap: Gap
    floor_ms: float
    steady_ms: float
    back: bool
    first: Gap | None

    @property
    def ms(self) -> float:
        """The length of the outage, exact to `SLOT_MS`; a lower bound unless `back`."""
        return self.gap.ms

    @property
    def noticed(self) -> bool:
        """Whether the outage is longer than what the undisturbed system shows."""
        return self.first is not None


@dataclass(frozen=True)
class Availability:
    """Outages of writes and of reads, and the failover time, of one trial with a fault.

    `failover_ms` is 0 without a noticed write outage, None if writes were not measured or not back
    within `observed_ms`, the time from the fault to the end of the load.
    """

    fault_at: float
    observed_ms: float
    writes: Outage | None
    reads: Outage | None
    failover_ms: float | None


@dataclass(frozen=True)
class Throughput:
    """Successes of the load per second in the steady window of `seconds`."""

    tps: float
    qps: float
    seconds: float


def timeline(rows: Sequence[tuple[int, int, int, int, int]]) -> Timeline:
    """A time line of rows (slot_ms, reads, writes, transactions, queries), in any order."""
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5)
    return Timeline(table[:, 0], table[:, 1], table[:, 2], table[:, 3], table[:, 4])


def availability(line: Timeline, windows: Windows, fault_at: float) -> Availability:
    """The measures of one trial; `fault_at` is the moment of the fault (ms of the load)."""
    writes = outage(line.slot[line.writes > 0], windows, fault_at)
    reads = outage(line.slot[line.reads > 0], windows, fault_at)
    return Availability(
        fault_at, windows.end - fault_at, writes, reads, failover_ms(writes, fault_at)
    )


def outage(successes: Ints, windows: Windows, fault_at: float) -> Outage | None:
    """The outage of one kind of operation; `successes`: the slots with one, ascending.

    None if nothing succeeded in the steady window: then there is nothing that the fault could take
    away.
    """
    steady_end = min(windows.steady_end, fault_at)
    steady = successes[(successes >= windows.warmup_end) & (successes < steady_end)]
    if not len(steady):
        return None
    edges = np.concatenate(([windows.warmup_end], steady, [steady_end]))
    steady_ms = float(np.diff(edges).max())
    floor = max(FLOOR_MS, FLOOR_FACTOR * steady_ms)
    gaps = _gaps_after(successes[successes < windows.end], windows.end, fault_at)
    noticed = [gap for gap in gaps if gap.ms > floor]
    longest = max(gaps, key=lambda gap: gap.ms, default=Gap(fault_at, fault_at))
    back = not noticed or noticed[-1].closed
    return Outage(longest, floor, steady_ms, back, noticed[0] if noticed else None)


def failover_ms(writes: Outage | None, fault_at: float) -> float | None:
    """From the fault to the first write after the first noticed gap; see the module's text."""
    if writes is None:
        return None
    if writes.first is None:
        return 0.0
    return max(0.0, writes.first.end - fault_at) if writes.first.closed else None


def throughput(
    line: Timeline, windows: Windows, fault_at: float | None = None
) -> Throughput | None:
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
        float(line.transactions[inside].sum()) / seconds,
        float(line.queries[inside].sum()) / seconds,
        seconds,
    )


def _gaps_after(successes: Ints, end: float, fault_at: float) -> list[Gap]:
    """All gaps that end after the fault, and the open one at the end of the load."""
    last_before = max(int(np.searchsorted(successes, fault_at - SLOT_MS, "right")) - 1, 0)
    gaps = [Gap(float(before), float(after)) for before, after in pairwise(successes[last_before:])]
    last = float(successes[-1])
    silent = last + SLOT_MS <= fault_at  # since the fault, however short the rest was
    return [*gaps, Gap(last, end, closed=False)] if silent or end - last > TAIL_MS else gaps
