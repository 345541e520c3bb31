"""What each fault of a trial did: its outages, its phases, brown-out, failures, work lost.

What was before a fault belongs to the one before it: an outage that still goes on then begins there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fivenines.analysis import recovery
from fivenines.analysis.availability import (
    Availability,
    Gap,
    Outage,
    Throughput,
    Timeline,
    availability,
)
from fivenines.analysis.blows import TOGETHER_MS, Blow, blows
from fivenines.analysis.client_waits import ClientBounds, served_again, wait_of
from fivenines.analysis.node_states import (
    first_new_epoch,
    first_writable,
    multi_primary,
)
from fivenines.analysis.phases import Failover, Marks, split
from fivenines.analysis.traces import Traces
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Event, TrialRecord, Windows


@dataclass(frozen=True)
class FaultMeasures:
    """One fault of one trial. Times in ms; None: not measured.

    `failed` and `in_doubt` count the load's operations in the fault's window. `steady_below` is the
    share of the steady window that would count as a brown-out by chance. `caught_up`: whether
    `work_lost` is final, or a lower bound.
    """

    blow: Blow
    availability: Availability
    failover: Failover
    brownout_ms: float | None
    steady_below: float | None
    failed: int
    in_doubt: int
    work_lost: float | None
    caught_up: bool


def fault_measures(
    record: TrialRecord,
    line: Timeline,
    traces: Traces,
    speed: Throughput | None,
    moments: Sequence[float] = (),
) -> list[FaultMeasures]:
    """All faults of a trial; `speed` is the undisturbed one, of the steady window.

    `moments` are those of all events that may interrupt service.
    """
    windows = record.windows
    if windows is None or not len(line.slot):
        return []
    first = blows(record)
    steady = windows.model_copy(
        update={"steady_end": min([windows.steady_end, *(blow.at for blow in first[:1])])}
    )
    course = _Course(record.events, traces, steady, speed.tps if speed and speed.tps else None)
    found = []
    for number, blow in enumerate(first):
        own = steady.model_copy(update={"end": blow.until})
        since = blow.at if number else None
        measured = availability(
            line, own, blow.at, moments=moments, since=since, attempts=traces.attempts
        )
        found.append(
            _measure(blow, measured, course, _worst_turn(blow, measured, line, own, course))
        )
    return found


def _worst_turn(
    blow: Blow, measured: Availability, line: Timeline, own: Windows, course: "_Course"
) -> "_Turn | None":
    """Of a fault with turns that in which the longest interruption began, by itself; None: it has none."""
    if not blow.turns:
        return None
    outage = measured.writes or measured.reads
    gap = outage.gap if outage else Gap(blow.at, blow.at)
    # the last success may have been shortly before the turn that ended it
    covered = [one for one in blow.turns if gap.start <= one.at <= gap.end]
    before = [one for one in blow.turns if one.at <= gap.start]
    turn = [*covered[:1], *reversed(before), *blow.turns][0]
    window = own.model_copy(update={"end": turn.until})
    attempts = course.traces.attempts
    alone = availability(line, window, turn.at, since=turn.at, attempts=attempts)
    return blow.alone(turn), alone


_Turn = tuple[Blow, Availability]


@dataclass(frozen=True)
class _Course:
    """What all faults of a trial share; `rate`: transactions per second of the steady window, if any."""

    events: Sequence[Event]
    traces: Traces
    windows: Windows
    rate: float | None

    @property
    def writes(self) -> bool:
        """Whether the load writes at all."""
        load = self.traces.load
        return load.total(load.writes, self.windows.warmup_end, self.windows.steady_end) > 0

    def first_event(self, kind: str, blow: Blow) -> float | None:
        """When the first event of a kind was told in a fault's window."""
        moments = (event.t for event in self.events if event.kind == kind)
        return min((t for t in moments if blow.at <= t < blow.until), default=None)


def _measure(
    blow: Blow, measured: Availability, course: _Course, worst: _Turn | None
) -> FaultMeasures:
    turn, alone = worst or (blow, measured)
    failover = split(_marks(turn, alone, course))
    measured = replace(measured, failover_ms=_without_stall(alone, failover).failover_ms)
    load, rate = course.traces.load, course.rate
    brownout = lost = below = None
    if rate is not None:
        start, end = course.windows.warmup_end, course.windows.steady_end
        brownout = recovery.brownout_ms(load, rate, _served(blow, _away(measured, course)))
        below = recovery.steady_share_below(load, rate, start, end)
        until = max([turn.at + failover.ms, *(one.at for one in blow.turns)])
        lost = recovery.work_lost(load, rate, blow.at, until)
    return FaultMeasures(
        blow, measured, failover, brownout, below,
        load.total(load.failed, blow.at, blow.until),
        load.total(load.in_doubt, blow.at, blow.until),
        lost, failover.ended,
    )  # fmt: skip


def without_stalls(measured: Availability, faults: Sequence[FaultMeasures]) -> Availability:
    """The availability of a whole trial: no failover time, where none of its faults led to one.

    Where the first one has turns its failover began with one of them.
    """
    if faults and faults[0].blow.turns:
        return replace(measured, failover_ms=faults[0].availability.failover_ms)
    if not faults or any(fault.failover.interrupted for fault in faults):
        return measured
    return _without_stall(measured, faults[0].failover)


def _without_stall(measured: Availability, failover: Failover) -> Availability:
    """As measured, but no failover time where the phases found no failover."""
    if failover.interrupted or measured.failover_ms is None:
        return measured
    return replace(measured, failover_ms=0.0)


def _marks(blow: Blow, measured: Availability, course: _Course) -> Marks:
    followed = course.rate is not None
    outage = measured.writes or measured.reads
    gap = outage.first if outage else None
    decided = _decided(blow, course)
    writable = _writable(blow, course, decided)
    if gap is None or _stall(gap, blow, decided, writable):
        caught_up = _caught_up(blow, blow.at, course)
        return Marks(blow.at, blow.until, caught_up=caught_up, interrupted=False, followed=followed)
    reconnected = _reconnected(gap, course)
    routed = _routed(gap, blow, course.traces, reconnected, measured.connections)
    wait = wait_of(gap, measured.connections, course.traces.timeouts, ClientBounds())
    caught_up = None if reconnected is None else _caught_up(blow, reconnected, course)
    return Marks(
        blow.at, blow.until, decided, writable, routed, reconnected, caught_up, followed=followed,
        informed=wait.until if wait and wait.ms is not None else None,
    )  # fmt: skip


def _stall(gap: Gap, blow: Blow, decided: float | None, writable: float | None) -> bool:
    """Whether writes stood still later on, and nobody failed over: who takes them was not hit."""
    return gap.start > blow.at + TOGETHER_MS and decided is None and writable == blow.at


def _decided(blow: Blow, course: _Course) -> float | None:
    """The manager's decision; of a group of several primaries its new epoch."""
    states = course.traces.states
    told = course.first_event("decided", blow)
    if told is not None or not multi_primary(states, blow.at - SLOT_MS):
        return told
    return first_new_epoch(states, blow.hit, blow.at, blow.until)


def _writable(blow: Blow, course: _Course, decided: float | None) -> float | None:
    """Asked of the nodes themselves; where nobody asked, told by the manager."""
    if not course.traces.states:
        return course.first_event("promoted", blow)
    start = blow.at if decided is None else decided
    return first_writable(course.traces.states, blow.hit, blow.at, start, blow.until)


def _routed(
    gap: Gap, blow: Blow, traces: Traces, reconnected: float | None, connections: Outage | None
) -> float | None:
    """The first write of a new connection, of the ledger, or of the load after the outage began."""
    acks = traces.acks.t
    again = served_again(gap, connections) if connections else None
    if not len(acks) and again is None:
        return None
    after = acks[(acks >= max(gap.start + SLOT_MS, blow.at)) & (acks < blow.until)]
    found = [float(after[0])] if len(after) else []
    found += [] if again is None else [max(again, blow.at)]
    return min([*found, *([] if reconnected is None else [reconnected])], default=None)


def _reconnected(gap: Gap, course: _Course) -> float | None:
    """The load's first success at or after the end of the gap: a write, if it writes at all."""
    if not gap.closed:
        return None
    load = course.traces.load
    counts = load.writes if course.writes else load.transactions
    after = load.slot[(load.slot >= gap.end) & (counts > 0)]
    return float(after[0]) if len(after) else None


def _caught_up(blow: Blow, start: float, course: _Course) -> float | None:
    """When throughput was back and no surviving replica behind; None if not within the window."""
    if course.rate is None:
        return None
    traces, steady = course.traces, (course.windows.warmup_end, course.windows.steady_end)
    moments = [recovery.throughput_back(traces.load, course.rate, start, blow.until)]
    moments += [
        recovery.replica_back(views, traces.acks, steady, start, blow.until)
        for node, views in traces.views.items()
        if node not in blow.hit and (views.t >= start).any()
    ]
    found = [moment for moment in moments if moment is not None]
    return max(found) if len(found) == len(moments) else None


def _away(measured: Availability, course: _Course) -> tuple[Gap, ...]:
    """The interruptions of what the load does: of writes, or of reads if it only reads."""
    outage = measured.writes if course.writes else measured.reads
    return outage.gaps if outage else ()


def _served(blow: Blow, away: Sequence[Gap]) -> list[tuple[float, float]]:
    """The stretches of a fault's window outside the interruptions."""
    found, begin = [], blow.at
    for gap in away:
        found.append((begin, min(gap.start, blow.until)))
        begin = max(begin, gap.end)
    return [span for span in (*found, (begin, blow.until)) if span[1] > span[0]]
