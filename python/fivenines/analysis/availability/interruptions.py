"""All interruptions of a service, and the event that each belongs to.

Interruption
    A gap between two successes that is longer than the floor. The floor comes from the gaps of the trial's
    steady window (see `availability` and `ordinary`), so a slow workload does not count as unavailable.
Stall
    An interruption of the load's transactions in the steady window, before any fault.
Event
    An interruption belongs to the fault whose moment it covers; else to the switch back that it covers;
    else to the last event that began before it, if that lasted until `REACH_MS` before it or longer; else to
    the first event that began within it; else to none. Events are a fault, until it is removed or its node is
    started again; the return of a node, from then until it is a member again; a switch back: the node that
    was writable before the fault becomes writable again, after another node was.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fivenines.analysis.availability.availability import (
    Availability,
    Floats,
    Gap,
    Outage,
    Timeline,
    steady_stalls,
)
from fivenines.analysis.availability.client_waits import Wait, wait_of
from fivenines.analysis.availability.fault_windows import TOGETHER_MS, FaultWindow, fault_windows, turns_of
from fivenines.analysis.availability.node_states import WRITABLE, States, multi_primary, state_at
from fivenines.analysis.wording import at_least, listed, milliseconds
from fivenines.results.layout import SLOT_MS
from fivenines.results.load_parts import ClientBounds
from fivenines.results.records import FaultRecord, TrialRecord, Windows

# The event that an interruption belongs to: the fault, the return of a node, a switch back, or none.
Cause = Literal["fault", "return", "switch back", "none"]

# Time after the end of an event in which an interruption still belongs to it.
REACH_MS = 5000.0

# Maximum delay of an event's record after its effect.
_EARLY_MS = 2.0 * SLOT_MS


@dataclass(frozen=True)
class Interruption:
    """A time without success after a fault, and the event that it belongs to.

    `cause` is the kind of that event, `event` its name, as "kill primary" or "return of node1". `wait`: a
    client time-out ended it.
    """

    gap: Gap
    cause: Cause
    event: str = ""
    wait: Wait | None = None

    @property
    def ms(self) -> float:
        """Return its length; a lower bound unless the gap is closed."""
        return self.gap.ms


@dataclass(frozen=True)
class Interruptions:
    """The interruptions of a trial, ascending and disjoint, by kind of operation."""

    writes: tuple[Interruption, ...] = ()
    reads: tuple[Interruption, ...] = ()
    connections: tuple[Interruption, ...] = ()


@dataclass(frozen=True)
class TrialEvent:
    """An event that may interrupt service, from `start` to `end` (ms); it reaches `REACH_MS` further."""

    cause: Cause
    event: str
    start: float
    end: float = math.inf


def stalls(line: Timeline, windows: Windows, fault_at: float | None = None) -> list[Gap]:
    """Return the stalls of the steady window (it ends at the fault): no transaction of the load succeeded.

    Ascending and disjoint; exact to one slot (10 ms) either way. A stall is cut at the ends of the window;
    one at the window's end is not closed, and its length is a lower bound. [] where the load did nothing at
    all in the window: that is no stall.
    """
    end = windows.steady_end if fault_at is None else min(windows.steady_end, fault_at)
    return steady_stalls(line.slot[line.transactions > 0], windows.warmup_end, end)


def longest_of(gaps: Sequence[Gap]) -> Gap | None:
    """Return the longest gap; None without any. Its length is a lower bound unless it is closed."""
    return max(gaps, key=lambda gap: gap.ms, default=None)


def trial_events(record: TrialRecord, states: States) -> list[TrialEvent]:
    """Return all events of a trial that may interrupt service, by their beginning."""
    result = [event for fault_window in fault_windows(record) for event in _of_fault(fault_window, record)]
    result += _returns(record, states)
    result += _switch_backs(record, states)
    return sorted(result, key=lambda item: item.start)


def interruptions(
    measured: Availability,
    events: Sequence[TrialEvent],
    timeouts: Floats | None = None,
    bounds: ClientBounds | None = None,
) -> Interruptions:
    """Return all interruptions of a trial, each with its event, and the client's wait that ended it.

    `timeouts` are the times (ms) of client time-outs, if known.
    """
    given_up = np.zeros(0) if timeouts is None else timeouts

    def of(outage: Outage | None, sessions: bool = True) -> tuple[Interruption, ...]:
        items = [attributed(gap, events) for gap in outage.gaps] if outage else []
        if not sessions:
            return tuple(items)
        known = bounds or ClientBounds()
        return tuple(
            replace(item, wait=wait_of(item.gap, measured.connections, given_up, known)) for item in items
        )

    return Interruptions(of(measured.writes), of(measured.reads), of(measured.connections, sessions=False))


def attributed(gap: Gap, events: Sequence[TrialEvent]) -> Interruption:
    """Return an interruption and the event that it belongs to, see the module's text; `events` ascending."""
    begin = gap.start + _EARLY_MS
    inside = [event for event in events if gap.start <= event.start <= gap.end]
    back = [
        event
        for event in events
        if event.cause == "switch back" and gap.start <= event.start <= gap.end + TOGETHER_MS
    ]
    before = [event for event in events if event.start <= begin <= event.end + REACH_MS]
    ranked = [*(item for item in inside if item.cause == "fault"), *back, *reversed(before), *inside]
    return Interruption(gap, ranked[0].cause, ranked[0].event) if ranked else Interruption(gap, "none")


def in_words(interruptions: Sequence[Interruption]) -> str:
    """Return each interruption with its length and event: "4.1 s (kill primary) and 710 ms (no event)"."""
    return listed([_named(item) for item in interruptions])


def _named(interruption: Interruption) -> str:
    text, event = length_of(interruption), interruption.event or "no event"
    return f"{text[:-1]}; {event})" if text.endswith(")") else f"{text} ({event})"


def length_of(interruption: Interruption) -> str:
    """Return a length in words: "30.0 s, of which 23.6 s until the client's own time-out of 30 s"."""
    text = at_least(milliseconds(interruption.ms), not interruption.gap.closed, 1)
    if interruption.wait is None:
        return text
    if interruption.wait.ms is None:
        return f"{text}, ended by the client's own {interruption.wait.bound}"
    waited = milliseconds(interruption.wait.ms)
    return f"{text}, of which {waited} until the client's own {interruption.wait.bound}"


def counted(interruptions: Sequence[Interruption]) -> dict[str, int]:
    """Return how many interruptions belong to each event, the most frequent first."""
    return dict(Counter(item.event or "no event" for item in interruptions).most_common())


def _of_fault(fault_window: FaultWindow, record: TrialRecord) -> Iterator[TrialEvent]:
    """Yield a fault as one event, or each of its turns, until that server is started again."""
    if not fault_window.turns:
        yield TrialEvent("fault", fault_window.label, fault_window.at, _gone(fault_window.faults))
    for turn in fault_window.turns:
        again = (e.t for e in record.events if e.kind == "restarted" and e.node == turn.node)
        end = min((t for t in again if t >= turn.at), default=math.inf)
        yield TrialEvent("fault", f"{fault_window.kind} of {turn.node}", turn.at, end)


def _gone(faults: Sequence[FaultRecord]) -> float:
    """Return when the last of these faults was removed, or its node started again; infinite if never."""
    return max(
        min((t for t in (fault.ended, fault.restarted) if t is not None), default=math.inf)
        for fault in faults
    )


def _returns(record: TrialRecord, states: States) -> Iterator[TrialEvent]:
    """Yield the returns of nodes: of those that a fault hit, and of those that were put down in its
    course.
    """
    # A server that had a turn has a separate event for its restart.
    whole = [fault for fault in record.faults if not turns_of(fault, record.events)]
    for fault in whole:
        names = fault.nodes or [fault.node]
        begin = _gone([fault])
        for name in names if begin < math.inf else []:
            rejoined = _rejoined(record, name, begin)
            over = rejoined if rejoined is not None else fault.rejoined_at
            still = math.inf if fault.rejoined is False else begin
            word = "return" if fault.restarted is not None else f"end of {fault.kind}"
            yield TrialEvent("return", f"{word} of {name}", begin, over or still)
    known = {(fault.restarted, name) for fault in whole for name in fault.nodes or [fault.node]}
    for event in record.events:
        if event.kind == "restarted" and (event.t, event.node) not in known:
            over = _rejoined(record, event.node, event.t)
            yield TrialEvent("return", f"return of {event.node}", event.t, over or math.inf)
        if event.kind == "rejoined" and _unannounced(record, event.node, event.t):
            again = _seen_again(states, event.node, record.faults[0].at if record.faults else 0.0)
            start = event.t if again is None else min(again, event.t)
            yield TrialEvent("return", f"return of {event.node}", start, event.t)


def _rejoined(record: TrialRecord, node: str, since: float) -> float | None:
    later = (e.t for e in record.events if e.kind == "rejoined" and e.node == node and e.t >= since)
    return min(later, default=None)


def _unannounced(record: TrialRecord, node: str, t: float) -> bool:
    """Return whether no recorded event began the return of a node: a supervisor restarted it."""
    restarted = any(e.kind == "restarted" and e.node == node and e.t <= t for e in record.events)
    return not restarted and not any(
        begin is not None and begin <= t
        for fault in record.faults
        if node in (fault.nodes or [fault.node])
        for begin in (fault.ended, fault.restarted)
    )


def _seen_again(states: States, node: str, since: float) -> float | None:
    """Return when a node that had been unavailable was first seen in another state."""
    unavailable = False
    for change in states.get(node, ()):
        if change.t >= since and unavailable and change.state != "away":
            return change.t
        unavailable = change.state == "away"
    return None


def _switch_backs(record: TrialRecord, states: States) -> Iterator[TrialEvent]:
    """Yield when the node that was writable before a fault became writable again, after another node was."""
    for fault_window in fault_windows(record):
        if multi_primary(states, fault_window.at - SLOT_MS):
            continue
        for name, changes in states.items():
            now = state_at(changes, fault_window.at - SLOT_MS)
            if now is None or now.state != WRITABLE:
                continue
            others = [
                change.t
                for node, some in states.items()
                for change in some
                if node != name
                and fault_window.at <= change.t < fault_window.until
                and change.state == WRITABLE
            ]
            back = (
                c.t
                for c in changes
                if c.state == WRITABLE and min(others, default=math.inf) < c.t < fault_window.until
            )
            if (t := next(back, None)) is not None:
                yield TrialEvent("switch back", f"switch back to {name}", t, t)
