"""Needless failover: what a cluster did although no server had died.

A *hiccup* is a fault that kills no server and is seen to begin and to end: a frozen server, manager or host,
a cut or slow link, a slow disk or CPU, many connections, a long transaction, a stalled replica, the death
of a manager, a proxy or an arbiter that is started again, or a user's own commands that are said to kill
none. A trial without a fault counts as well: its window is the load without the warm-up. Members without
SQL, as NDB's data nodes, are not watched, so a hiccup that hits one is left out.

The response to a hiccup is the strongest of these, by the nodes' states (polled outside the network) and the
events of the failover manager:

promoted
    Another node began to accept writes.
expelled
    The group removed a member: its own event, or in a group that writes everywhere a new epoch of a node that
    was not hit.
fenced
    The manager ended a server, and no other node was promoted.
demoted
    The manager's own event; or a node stopped accepting writes while it answered. No other node was promoted.
errors
    No role changed, and operations of the load failed or are in doubt.
none
    Nothing of these.

A server that died in the window makes the failover necessary: there is no response then. A server has died if
it had to be started again without having been fenced or demoted, or if no process was left when it was fenced
(known of the operator and of MHA). If a node that no fault had hit did not answer before another was
promoted, the cause is not known, and there is no response either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fivenines.analysis.availability.fault_windows import fault_windows
from fivenines.analysis.availability.node_states import (
    WRITABLE,
    States,
    first_new_epoch,
    multi_primary,
    states_at,
)
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import FOUND_DEAD, Event, FaultRecord, TrialRecord

# Faults that kill no server. All others end a server, are planned changes, or are a user's own.
HICCUPS = frozenset(
    (
        *("freeze", "partition", "degrade", "slow-disk", "connection-storm", "long-transaction"),
        *("host-freeze", "manager-freeze", "slow-cpu", "stalled-replica", "manager", "proxy", "arbiter"),
    )
)

Kind = Literal["promoted", "expelled", "fenced", "demoted", "errors", "none"]

# Responses that change roles or membership: each of them is a needless failover.
NEEDLESS: frozenset[Kind] = frozenset(("promoted", "expelled", "fenced", "demoted"))

# Kinds of hosts that are no members of the cluster.
_NO_MEMBERS = frozenset(("client", "proxy", "manager", "arbiter", "etcd", "resolver"))

# States of a node that answers and accepts no writes.
_REFUSES = ("read_only", "refusing")


@dataclass(frozen=True)
class Response:
    """What a cluster did in one trial in which nothing had died.

    Attributes:
        kind: the strongest response.
        ms: time from the beginning of the hiccup to the response; None: no roles changed.
        after_end: whether the hiccup was over at that moment; None: there was no hiccup or no response.
        observed_ms: length of the window in which a response would have been seen.
        hiccup_ms: from the beginning of the first hiccup to the end of the last one; None: there was none.
        why: why the cause is unknown or a death was seen; then the trial has no response, and `kind` is none.
        served: transactions a second during the hiccup, or until the response if that came earlier, as a
            share of the steady rate; None: not known.
    """

    kind: Kind
    ms: float | None = None
    after_end: bool | None = None
    observed_ms: float = 0.0
    hiccup_ms: float | None = None
    why: str = ""
    served: float | None = None

    @property
    def counts(self) -> bool:
        """Return whether the trial says something about needless failovers."""
        return not self.why

    @property
    def needless(self) -> bool:
        """Return whether it is a needless failover."""
        return self.counts and self.kind in NEEDLESS


def response(record: TrialRecord, states: States, failed: int) -> Response | None:
    """Return the response of a trial.

    Args:
        record: the trial.
        states: the states of its nodes.
        failed: operations of the load that failed or are in doubt, from the first fault on.

    Returns:
        None if the trial had another fault than hiccups, or the nodes that were hit were not watched.
    """
    windows = record.windows
    if windows is None or not states or not all(is_hiccup(fault, windows.end) for fault in record.faults):
        return None
    first = fault_windows(record)
    at = first[0].at if first else windows.warmup_end
    until, hit = windows.end, frozenset(name for window in first for name in window.hit)
    if unwatched(record, hit, states):
        return None
    length, lasted = until - at, _lasted(record.faults)
    change = role_change(record, states, hit, at, until)
    if change.why:
        return Response("none", observed_ms=length, hiccup_ms=lasted, why=change.why)
    if change.kind == "none":
        return Response("errors" if failed else "none", observed_ms=length, hiccup_ms=lasted)
    return Response(change.kind, round(change.t - at, 1), _over(record.faults, change.t), length, lasted)


@dataclass(frozen=True)
class RoleChange:
    """The strongest change of roles in a window, and its time in ms, that of the window's end without one.

    `why`: why the cause is unknown or a death was seen; then `kind` is none.
    """

    kind: Kind
    t: float
    why: str = ""


def role_change(
    record: TrialRecord, states: States, hit: frozenset[str], at: float, until: float
) -> RoleChange:
    """Return the change of roles in a window of a trial; `hit`: the nodes that faults had hit."""
    changes = [event for event in record.events if at <= event.t < until]
    if dead := _died([event for event in changes if event.node in states or not event.node]):
        return RoleChange("none", until, f"{dead} died")
    kind, moment, new = _strongest(states, hit, at, until, changes)
    if kind == "promoted" and (silent := _silent(states, hit, new, at, moment)):
        return RoleChange("none", until, f"{silent} did not answer, and no fault had hit it")
    return RoleChange(kind, moment)


def _strongest(
    states: States, hit: frozenset[str], at: float, until: float, changes: Sequence[Event]
) -> tuple[Kind, float, str]:
    """Return the strongest response, its moment, and the node that was promoted."""
    everywhere = multi_primary(states, at - SLOT_MS)
    before = {node for node, state in states_at(states, at).items() if state == WRITABLE}
    if not everywhere and (promoted := _promoted(states, before, at, until)):
        return "promoted", *promoted
    removed = [event.t for event in changes if event.kind == "expelled"]
    if everywhere and (epoch := first_new_epoch(states, hit, at, until)) is not None:
        removed.append(epoch)
    if removed:
        return "expelled", min(removed), ""
    fenced = [event.t for event in changes if event.kind == "fenced"]
    if fenced:
        return "fenced", min(fenced), ""
    refused = [
        change.t
        for node in before
        for change in states[node]
        if at <= change.t < until and change.state in _REFUSES
    ]
    refused += [event.t for event in changes if event.kind == "demoted"]
    return ("demoted", min(refused), "") if refused else ("none", until, "")


def _promoted(states: States, before: set[str], at: float, until: float) -> tuple[float, str] | None:
    """Return when a node that was not writable before began to accept writes, and its name."""
    found = [
        (change.t, node)
        for node, own in states.items()
        if node not in before
        for change in own
        if at <= change.t < until and change.state == WRITABLE
    ]
    return min(found, default=None)


def _silent(states: States, hit: frozenset[str], new: str, at: float, moment: float) -> str:
    """Return the node that was writable, was not hit, and did not answer before the promotion; else ""."""
    for node, state in states_at(states, at).items():
        if node == new or node in hit or state != WRITABLE:
            continue
        if any(at <= change.t <= moment and change.state == "away" for change in states[node]):
            return node
    return ""


def _died(changes: Sequence[Event]) -> str:
    """Return the name of a server that was dead before it was fenced, or not fenced and started again."""
    for event in changes:
        if event.kind == "fenced" and event.detail.endswith(FOUND_DEAD):
            return event.node or "a server"
        # A detail says why a live server was restarted.
        if event.kind != "restarted" or event.detail:
            continue
        ended = (e for e in changes if e.kind in ("fenced", "demoted") and e.t <= event.t)
        if not any(e.node in (event.node, "") for e in ended):
            return event.node
    return ""


def harmless(fault: FaultRecord) -> bool:
    """Return whether a fault kills no server, by its kind or as the experiment says."""
    return fault.kind in HICCUPS or fault.hiccup


def is_hiccup(fault: FaultRecord, until: float) -> bool:
    """Return whether a fault was a hiccup: verified, and seen to end during the load."""
    return (
        harmless(fault)
        and fault.verified
        and fault.ended_verified is True
        and fault.ended is not None
        and fault.ended <= until
    )


def unwatched(record: TrialRecord, hit: frozenset[str], states: States) -> bool:
    """Return whether a hit host is a member whose state was not recorded."""
    hosts = record.deployment.hosts if record.deployment else {}
    return any(name in hosts and hosts[name].kind not in _NO_MEMBERS for name in hit if name not in states)


def _lasted(faults: Sequence[FaultRecord]) -> float | None:
    """Return the time from the first beginning to the last end of hiccups, in ms; None without any."""
    ends = [fault.ended for fault in faults if fault.ended is not None]
    return max(ends) - min(fault.at for fault in faults) if ends else None


def _over(faults: Sequence[FaultRecord], moment: float) -> bool | None:
    """Return whether all hiccups had ended at a moment; None without any."""
    return all(fault.ended is not None and fault.ended <= moment for fault in faults) if faults else None
