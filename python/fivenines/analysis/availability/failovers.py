"""Effects of each fault of a trial: outages, phases, brown-out, failures, work lost.

Effects before a fault belong to the previous fault; an outage that lasts into the next fault is cut there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.availability import recovery
from fivenines.analysis.availability.availability import (
    Availability,
    Gap,
    Outage,
    Throughput,
    Timeline,
    availability,
)
from fivenines.analysis.availability.client_waits import served_again, wait_of
from fivenines.analysis.availability.fault_windows import TOGETHER_MS, FaultWindow, fault_windows
from fivenines.analysis.availability.node_states import first_new_epoch, first_writable, multi_primary
from fivenines.analysis.availability.phases import Failover, Marks, split
from fivenines.analysis.availability.traces import Traces
from fivenines.results.layout import SLOT_MS
from fivenines.results.load_parts import ClientBounds
from fivenines.results.records import Event, TrialRecord, Windows


@dataclass(frozen=True)
class FaultMeasures:
    """Measures of one fault of one trial. Times in ms; None: not measured.

    `failed` and `in_doubt` count the load's operations in the fault's window. `steady_below` is the
    share of the steady window that would count as a brown-out by chance. `caught_up`: whether
    `work_lost` is final, or a lower bound.
    """

    fault_window: FaultWindow
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
    """Return the measures of all faults of a trial; `speed` is the throughput of the steady window.

    `moments` are the times of all events that may interrupt service.
    """
    windows = record.windows
    if windows is None or not len(line.slot):
        return []
    first = fault_windows(record)
    steady = windows.model_copy(
        update={"steady_end": min([windows.steady_end, *(fault_window.at for fault_window in first[:1])])}
    )
    course = _Course(record.events, traces, steady, speed.tps if speed and speed.tps else None)
    result = []
    for number, fault_window in enumerate(first):
        own = steady.model_copy(update={"end": fault_window.until})
        since = fault_window.at if number else None
        measured = availability(
            line, own, fault_window.at, moments=moments, since=since, attempts=traces.attempts
        )
        result.append(
            _measure(fault_window, measured, course, _worst_turn(fault_window, measured, line, own, course))
        )
    return result


def _worst_turn(
    fault_window: FaultWindow, measured: Availability, line: Timeline, own: Windows, course: "_Course"
) -> "_Turn | None":
    """Of a fault with turns that in which the longest interruption began, by itself; None: it has none."""
    if not fault_window.turns:
        return None
    outage = measured.writes or measured.reads
    gap = outage.gap if outage else Gap(fault_window.at, fault_window.at)
    turn = fault_window.turns[_cause(gap, [item.at for item in fault_window.turns])]
    window = own.model_copy(update={"end": turn.until})
    attempts = course.traces.attempts
    alone = availability(line, window, turn.at, since=turn.at, attempts=attempts)
    return fault_window.alone(turn), alone


def _cause(gap: Gap, moments: Sequence[float]) -> int:
    """Return which of ascending moments led to an interruption: the first within it, or the last before.

    An interruption begins with the last success, which may be from shortly before its cause.
    """
    covered = [index for index, moment in enumerate(moments) if gap.start <= moment <= gap.end]
    before = [index for index, moment in enumerate(moments) if moment <= gap.start]
    return [*covered[:1], *before[-1:], 0][0]


_Turn = tuple[FaultWindow, Availability]


@dataclass(frozen=True)
class _Course:
    """Data that all faults of a trial share; `rate`: transactions per second of the steady window, if any."""

    events: Sequence[Event]
    traces: Traces
    windows: Windows
    rate: float | None

    @property
    def writes(self) -> bool:
        """Return whether the load writes at all."""
        load = self.traces.load
        return load.total(load.writes, self.windows.warmup_end, self.windows.steady_end) > 0

    def first_event(self, kind: str, fault_window: FaultWindow) -> float | None:
        """Return the time of the first event of a kind in a fault's window."""
        moments = (event.t for event in self.events if event.kind == kind)
        return min((t for t in moments if fault_window.at <= t < fault_window.until), default=None)


def _measure(
    fault_window: FaultWindow, measured: Availability, course: _Course, worst: _Turn | None
) -> FaultMeasures:
    turn, alone = worst or (fault_window, measured)
    failover = split(_marks(turn, alone, course))
    measured = replace(measured, failover_ms=_without_stall(alone, failover).failover_ms)
    load, rate = course.traces.load, course.rate
    brownout = lost = below = None
    if rate is not None:
        start, end = course.windows.warmup_end, course.windows.steady_end
        brownout = recovery.brownout_ms(load, rate, _served(fault_window, _away(measured, course)))
        below = recovery.steady_share_below(load, rate, start, end)
        until = max([turn.at + failover.ms, *(item.at for item in fault_window.turns)])
        lost = recovery.work_lost(load, rate, fault_window.at, until)
    return FaultMeasures(
        fault_window,
        measured,
        failover,
        brownout,
        below,
        load.total(load.failed, fault_window.at, fault_window.until),
        load.total(load.in_doubt, fault_window.at, fault_window.until),
        lost,
        failover.ended,
    )


def of_trial(whole: Availability, faults: Sequence[FaultMeasures]) -> Availability:
    """Return the availability of a whole trial, with the failover time of one of its faults.

    Of several faults it is the one with the longest interruption of writes: a time since the first one
    would count the service in between. Of turns it is the turn with the longest. No fault, no failover time.
    """
    if faults and faults[0].fault_window.turns:
        return replace(whole, failover_ms=faults[0].availability.failover_ms)
    if not faults:
        return whole
    if not any(fault.failover.interrupted for fault in faults):
        return _without_stall(whole, faults[0].failover)
    return since_the_worst(whole, [fault.fault_window.at for fault in faults])


def since_the_worst(whole: Availability, faults: Sequence[float]) -> Availability:
    """Return the failover time since the fault that led to the longest interruption of writes."""
    if len(faults) == 1 or whole.writes is None or not whole.writes.noticed:
        return whole
    gap = max(whole.writes.gaps, key=lambda gap: (not gap.closed, gap.ms))
    at = faults[_cause(gap, faults)]
    lasted = whole.fault_at + whole.observed_ms - at
    return replace(whole, observed_ms=lasted, failover_ms=gap.end - at if gap.closed else None)


def _without_stall(measured: Availability, failover: Failover) -> Availability:
    """As measured, but no failover time where the phases found no failover."""
    if failover.interrupted or measured.failover_ms is None:
        return measured
    return replace(measured, failover_ms=0.0)


def _marks(fault_window: FaultWindow, measured: Availability, course: _Course) -> Marks:
    followed = course.rate is not None
    outage = measured.writes or measured.reads
    gap = outage.first if outage else None
    decided = _decided(fault_window, course)
    writable = _writable(fault_window, course, decided)
    if gap is None or _stall(gap, fault_window, decided, writable):
        caught_up = _caught_up(fault_window, fault_window.at, course)
        return Marks(
            fault_window.at, fault_window.until, caught_up=caught_up, interrupted=False, followed=followed
        )
    reconnected = _reconnected(gap, course)
    routed = _routed(gap, fault_window, course.traces, reconnected, measured.connections)
    wait = wait_of(gap, measured.connections, course.traces.timeouts, ClientBounds())
    caught_up = None if reconnected is None else _caught_up(fault_window, reconnected, course)
    return Marks(
        fault_window.at,
        fault_window.until,
        decided,
        writable,
        routed,
        reconnected,
        caught_up,
        followed=followed,
        informed=wait.until if wait and wait.ms is not None else None,
    )


def _stall(gap: Gap, fault_window: FaultWindow, decided: float | None, writable: float | None) -> bool:
    """Return whether writes stalled later without a failover, as the writable node was not hit."""
    return gap.start > fault_window.at + TOGETHER_MS and decided is None and writable == fault_window.at


def _decided(fault_window: FaultWindow, course: _Course) -> float | None:
    """Return the time of the manager's decision; in a multi-primary group that of its new epoch."""
    states = course.traces.states
    decision = course.first_event("decided", fault_window)
    if decision is not None or not multi_primary(states, fault_window.at - SLOT_MS):
        return decision
    return first_new_epoch(states, fault_window.hit, fault_window.at, fault_window.until)


def _writable(fault_window: FaultWindow, course: _Course, decided: float | None) -> float | None:
    """Return when a node accepted writes, as polled on the nodes; without polling, as the manager
    reported.
    """
    if not course.traces.states:
        return course.first_event("promoted", fault_window)
    start = fault_window.at if decided is None else decided
    return first_writable(course.traces.states, fault_window.hit, fault_window.at, start, fault_window.until)


def _routed(
    gap: Gap, fault_window: FaultWindow, traces: Traces, reconnected: float | None, connections: Outage | None
) -> float | None:
    """Return the first write of a new connection, of the ledger, or of the load after the outage began."""
    acks = traces.acks.t
    again = served_again(gap, connections) if connections else None
    if not len(acks) and again is None:
        return None
    after = acks[(acks >= max(gap.start + SLOT_MS, fault_window.at)) & (acks < fault_window.until)]
    result = [float(after[0])] if len(after) else []
    result += [] if again is None else [max(again, fault_window.at)]
    return min([*result, *([] if reconnected is None else [reconnected])], default=None)


def _reconnected(gap: Gap, course: _Course) -> float | None:
    """Return the load's first success at or after the end of the gap: a write, if it writes at all."""
    if not gap.closed:
        return None
    load = course.traces.load
    counts = load.writes if course.writes else load.transactions
    after = load.slot[(load.slot >= gap.end) & (counts > 0)]
    return float(after[0]) if len(after) else None


def _caught_up(fault_window: FaultWindow, start: float, course: _Course) -> float | None:
    """Return when throughput was back and no surviving replica behind; None if not within the window."""
    if course.rate is None:
        return None
    traces, steady = course.traces, (course.windows.warmup_end, course.windows.steady_end)
    moments = [recovery.throughput_back(traces.load, course.rate, start, fault_window.until)]
    moments += [
        recovery.replica_back(views, traces.acks, steady, start, fault_window.until)
        for node, views in traces.views.items()
        if node not in fault_window.hit and (views.t >= start).any()
    ]
    result = [moment for moment in moments if moment is not None]
    return max(result) if len(result) == len(moments) else None


def _away(measured: Availability, course: _Course) -> tuple[Gap, ...]:
    """Return the interruptions of what the load does: of writes, or of reads if it only reads."""
    outage = measured.writes if course.writes else measured.reads
    return outage.gaps if outage else ()


def _served(fault_window: FaultWindow, away: Sequence[Gap]) -> list[tuple[float, float]]:
    """Return the stretches of a fault's window outside the interruptions."""
    result, begin = [], fault_window.at
    for gap in away:
        result.append((begin, min(gap.start, fault_window.until)))
        begin = max(begin, gap.end)
    return [span for span in (*result, (begin, fault_window.until)) if span[1] > span[0]]
