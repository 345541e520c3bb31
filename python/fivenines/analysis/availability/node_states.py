"""Evaluation of the nodes' states during a failover, polled every 10 ms outside the network."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

WRITABLE = "writable"


@dataclass(frozen=True)
class StateChange:
    """A node is in `state` from `t` (ms of the load) on; `epoch` is its group view or time line."""

    t: float
    state: str
    epoch: str = ""


# The changes of each node, ascending in time.
States = Mapping[str, Sequence[StateChange]]


def state_at(changes: Sequence[StateChange], t: float) -> StateChange | None:
    """Return the state at a moment; None before the first change."""
    return next((change for change in reversed(changes) if change.t <= t), None)


def states_at(states: States, t: float) -> dict[str, str]:
    """Return the state of each node at a moment; empty before its first change."""
    found = {node: state_at(changes, t) for node, changes in states.items()}
    return {node: change.state if change is not None else "" for node, change in found.items()}


def multi_primary(states: States, t: float) -> bool:
    """Return whether several nodes accepted writes at a moment: then no manager decides, but the group."""
    return list(states_at(states, t).values()).count(WRITABLE) > 1


def first_new_epoch(states: States, hit: Collection[str], fault: float, until: float) -> float | None:
    """Return when a node that was not hit first reported another epoch than before the fault."""
    moments = []
    for node, changes in states.items():
        if node in hit:
            continue
        before = [change.epoch for change in changes if change.t < fault and change.epoch]
        known = before[-1] if before else None
        moments += [
            change.t
            for change in changes
            if fault <= change.t < until and change.epoch and known not in (None, change.epoch)
        ]
    return min(moments, default=None)


def first_writable(
    states: States, hit: Collection[str], fault: float, start: float, until: float
) -> float | None:
    """Return the first moment from `start` on at which a node other than those hit accepts writes.

    A node that was hit counts after it was seen not to accept writes: it was restarted, thawed or reached
    again.
    """
    moments = []
    for node, changes in states.items():
        begin = start
        if node in hit:
            stopped = _first_not_writable(changes, fault, until)
            if stopped is None:
                continue
            begin = max(start, stopped)
        now = state_at(changes, begin)
        if now is not None and now.state == WRITABLE:
            moments.append(begin)
        moments += [c.t for c in changes if begin <= c.t < until and c.state == WRITABLE]
    return min(moments, default=None)


def _first_not_writable(changes: Sequence[StateChange], fault: float, until: float) -> float | None:
    now = state_at(changes, fault)
    if now is not None and now.state != WRITABLE:
        return fault
    later = (c.t for c in changes if fault <= c.t < until and c.state != WRITABLE)
    return next(later, None)
