"""The faults of a trial, each with the time that belongs to it.

The window of a fault ends at the next fault, or with the load. Faults that are injected within
`TOGETHER_MS` of each other count as one that hit all their nodes.

A fault that goes from one server to the next (`maintenance`) is one fault. Each server has its *turn* in
it, from the event that bears the fault's name until the next one's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.wording import listed
from fivenines.results.records import Event, FaultRecord, TrialRecord

# Faults closer than this count as one: their phases could not be distinguished.
TOGETHER_MS = 500.0


@dataclass(frozen=True)
class Turn:
    """The turn of one server in a fault that goes from server to server (ms)."""

    node: str
    at: float
    until: float


@dataclass(frozen=True)
class FaultWindow:
    """One fault, or several at once, with the window that belongs to it (ms), and the turns that it has."""

    faults: tuple[FaultRecord, ...]
    until: float
    turns: tuple[Turn, ...] = ()

    @property
    def at(self) -> float:
        """Return when the first of the faults took effect."""
        return self.faults[0].at

    def alone(self, turn: Turn) -> "FaultWindow":
        """Return a turn as a separate fault window."""
        update = {"at": turn.at, "node": turn.node, "nodes": [turn.node]}
        return FaultWindow((self.faults[0].model_copy(update=update),), turn.until)

    @property
    def hit(self) -> frozenset[str]:
        """Return all hosts that were hit."""
        return frozenset(name for fault in self.faults for name in (*fault.nodes, fault.node))

    @property
    def label(self) -> str:
        """Return faults and targets, as "kill primary"."""
        return listed([" ".join((fault.kind, fault.role)).strip() for fault in self.faults])

    @property
    def kind(self) -> str:
        """Return the class of the fault; of several the first one's."""
        return self.faults[0].kind

    @property
    def mtbf(self) -> float | None:
        """Return the seconds between two such faults, if the experiment gives them."""
        return self.faults[0].mtbf if len(self.faults) == 1 else None


def fault_windows(record: TrialRecord) -> list[FaultWindow]:
    """Return the faults of a trial in their order, those at once as one."""
    if record.windows is None:
        return []
    groups: list[list[FaultRecord]] = []
    for fault in sorted(record.faults, key=lambda fault: fault.at):
        if fault.kind == "none" or fault.at >= record.windows.end:
            continue
        if groups and fault.at - groups[-1][0].at < TOGETHER_MS:
            groups[-1].append(fault)
        else:
            groups.append([fault])
    starts = [group[0].at for group in groups]
    ends = [*starts[1:], record.windows.end]
    return [
        FaultWindow(tuple(group), end, _turns(group[0], end, record.events))
        for group, end in zip(groups, ends, strict=False)
    ]


def planned(faults: Sequence[FaultRecord]) -> int:
    """Return how many faults a trial should have; records of older versions do not say it."""
    return max([len(faults), *(fault.planned for fault in faults)])


def skipped(record: TrialRecord) -> list[str]:
    """Return a note if planned faults were not injected: a trial without them shows less."""
    should = planned(record.faults)
    missing = should - len(record.faults)
    return [f"{missing} of {should} faults were not injected"] if missing else []


def in_turn(windows: Sequence[FaultWindow]) -> list[FaultRecord]:
    """Return the faults of a trial that has several of one kind and target, one after the other; else []."""
    faults = [fault for window in windows for fault in window.faults]
    several = planned(faults) > 1 and len({(fault.kind, fault.role) for fault in faults}) == 1
    return faults if several else []


def turns_of(fault: FaultRecord, events: Sequence[Event]) -> list[Event]:
    """Return the events with which the servers' turns in a fault began."""
    until = math.inf if fault.ended is None else fault.ended
    return [
        event
        for event in events
        if event.kind == fault.kind and event.node in fault.nodes and fault.at <= event.t <= until
    ]


def _turns(fault: FaultRecord, until: float, events: Sequence[Event]) -> tuple[Turn, ...]:
    begun = [turn for turn in turns_of(fault, events) if turn.t < until]
    ends = [*(item.t for item in begun[1:]), until]
    return tuple(Turn(item.node, item.t, end) for item, end in zip(begun, ends, strict=False))
