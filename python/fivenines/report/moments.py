"""Merge the events of a trial on one clock: events of the lab and the manager, and ends of phases."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.trials import TrialMeasures
from fivenines.analysis.wording import listed

_SAME_MS = 1.0
# What the end of each phase means.
_MARKS = {
    "detect": "failure detected",
    "promote": "a node accepts writes",
    "route": "the write endpoint answers",
    "client": "a session reaches the client's time-out",
    "reconnect": "the load writes again",
    "catch up": "caught up: 90 % of the steady rate, no replica behind",
}


@dataclass(frozen=True)
class Moment:
    """An event at `t` seconds after the first fault; `fault` marks the injection of another fault."""

    t: float
    text: str
    fault: bool = False


def moments(trial: TrialMeasures, since: float) -> list[Moment]:
    """Return all events from `since` ms before the first fault on, except that fault."""
    assert trial.availability
    at = trial.availability.fault_at
    logged = [
        (event.t, event.kind, _event_text(event.kind, event.node, event.detail))
        for event in trial.record.events
    ]
    every = [
        Moment((t - at) / 1000, text, kind == "fault")
        for t, kind, text in logged
        if t >= at - since and not (kind == "fault" and t <= at + _SAME_MS)
    ]
    if not any(kind == "ended" for _, kind, _ in logged):
        every += _ends(trial, at)
    for measures in trial.faults:
        every += [Moment((t - at) / 1000, text) for t, text in _marks(trial, measures)]
    every += [Moment((t - at) / 1000, text) for t, text in _splits(trial)]
    ended = trial.record.windows.end if trial.record.windows else math.inf
    return [
        replace(one, text=f"{one.text} (the load had ended)") if at + 1000 * one.t > ended else one
        for one in _merged(sorted(every, key=lambda moment: moment.t))
    ]


def _event_text(kind: str, node: str, detail: str) -> str:
    what = " ".join(part for part in (kind, node) if part)
    return f"{what}: {detail}" if detail else what


def _ends(trial: TrialMeasures, at: float) -> list[Moment]:
    return [
        Moment((fault.ended - at) / 1000, _event_text("ended", fault.node, fault.ended_detail))
        for fault in trial.record.faults
        if fault.ended is not None
    ]


def _marks(trial: TrialMeasures, measures: FaultMeasures) -> Iterator[tuple[float, str]]:
    """Yield the ends of phases, except decisions that an event has and catching up without an outage."""
    decisions = {event.t for event in trial.record.events if event.kind == "decided"}
    for phase in measures.failover.phases:
        if not phase.closed or (phase.name == "detect" and phase.end in decisions):
            continue
        if phase.name == "catch up" and phase.ms == 0 and not measures.failover.interrupted:
            continue
        yield phase.end, _MARKS[phase.name]


def _splits(trial: TrialMeasures) -> Iterator[tuple[float, str]]:
    for one in trial.split_brains:
        yield one.overlap.start, f"SPLIT BRAIN: {listed(list(one.overlap.nodes))} take writes"
        if not one.overlap.open_:
            yield one.overlap.end, "the split brain is over"


def _merged(every: list[Moment]) -> list[Moment]:
    """Merge the ends of phases at the same moment."""
    merged: list[Moment] = []
    for moment in every:
        last = merged[-1] if merged else None
        if (
            last
            and not last.fault
            and not moment.fault
            and _measured(last)
            and _measured(moment)
            and (moment.t - last.t < _SAME_MS / 1000)
        ):
            merged[-1] = Moment(last.t, listed([last.text, moment.text]))
        else:
            merged.append(moment)
    return merged


def _measured(moment: Moment) -> bool:
    return any(text in moment.text for text in _MARKS.values())
