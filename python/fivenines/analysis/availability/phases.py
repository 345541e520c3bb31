"""A failover in phases, on one clock: detect, promote, route, client, reconnect, catch up.

Each phase ends with a *mark*, and begins at the mark before it, the first at the fault:

    phase      ends when                                                    resolution
    detect     the manager or the group decides (`decided`)                 the event; 10 ms for a group
    promote    a node accepts writes, asked directly (`writable`)           10 ms
    route      a write is acknowledged through the endpoint (`routed`), of  the spacing of attempts;
               a new connection or, if that was first, of a session         else the ledger's, 10 ms
    client     a session that waited for an answer gives up, by a client    10 ms
               time-out (`informed`): absent where none did
    reconnect  a write of the load succeeds (`reconnected`)                 10 ms
    catch up   throughput is back and no replica is behind (`caught_up`)    see `recovery`

Rules for marks that are missing or out of order:

- A mark that was not observed has no phase; its time belongs to the next phase with a mark. So there is no
  detect phase without a decision.
- Later marks prove earlier ones: a mark later than its successor is moved to it (a node that acknowledged a
  write did accept writes). A note reports a shift of more than the resolution. A decision more than `VAIN_MS`
  after the return of service had no effect; it is left out, with a note.
- Without any later mark the current phase is *open*: it ends at the next fault or with the load, and its
length
  is a lower bound. Without a decision that is promote.
- A fault that did not noticeably interrupt writes has only a catch up phase, from the fault on.

Thus phases are never negative, have no gaps between them, and add up to the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fivenines.results.layout import SLOT_MS

# The names of the phases in their order.
PHASES = ("detect", "promote", "route", "client", "reconnect", "catch up")

# The marks that end them: the names that `Marks` has for them.
_ENDS = ("decided", "writable", "routed", "informed", "reconnected", "caught_up")

_PROMOTE, _CLIENT, _RECONNECT, _CATCH_UP = 1, 3, 4, 5

# Marks that are out of order by more get a note: the poll of the nodes and a slot, 10 ms each.
NOTED_MS = 2.0 * SLOT_MS


# A decision that was reported later than this after the return of service did not cause it.
#
# A group's view is polled, on a busy machine tens of milliseconds after the first write under it.
VAIN_MS = 250.0


@dataclass(frozen=True)
class Marks:
    """The moments that end the phases after one fault, in ms of the load; None: not seen.

    `until` is the end of the fault's window. `interrupted`: whether writes were noticeably unavailable.
    `followed`: whether catching up could be measured. `informed`: when a session that waited while service
    was available for new connections gave up.
    """

    fault: float
    until: float
    decided: float | None = None
    writable: float | None = None
    routed: float | None = None
    reconnected: float | None = None
    caught_up: float | None = None
    interrupted: bool = True
    followed: bool = True
    informed: float | None = None


@dataclass(frozen=True)
class Phase:
    """A phase in ms of the load; not `closed`: it was open at the end, so its length is a lower bound."""

    name: str
    start: float
    end: float
    closed: bool = True

    @property
    def ms(self) -> float:
        """Return its length, never negative."""
        return self.end - self.start


@dataclass(frozen=True)
class Failover:
    """The phases after a fault, without gaps; `interrupted`: writes were noticeably unavailable."""

    fault: float
    phases: tuple[Phase, ...]
    interrupted: bool = True
    notes: tuple[str, ...] = ()

    @property
    def ms(self) -> float:
        """Return the whole, from the fault to the end of the last phase: the sum of all phases."""
        return self.phases[-1].end - self.fault if self.phases else 0.0

    @property
    def ended(self) -> bool:
        """Return whether no phase is open; else `ms` is a lower bound."""
        return all(phase.closed for phase in self.phases)

    @property
    def returned(self) -> bool:
        """Return whether the load wrote again (or was never interrupted)."""
        return not any(not phase.closed and phase.name != PHASES[_CATCH_UP] for phase in self.phases)

    @property
    def return_ms(self) -> float:
        """Return the time from the fault to the first success of the load: all phases except catch up."""
        before = [phase for phase in self.phases if phase.name != PHASES[_CATCH_UP]]
        return before[-1].end - self.fault if before else 0.0

    def phase(self, name: str) -> Phase | None:
        """Return the phase of this name; None where it is absent."""
        return next((phase for phase in self.phases if phase.name == name), None)


def split(marks: Marks) -> Failover:
    """Return the phases between the marks, see the module's text."""
    points, notes = _ordered(marks)
    phases: list[Phase] = []
    previous = marks.fault
    for name, point in zip(PHASES, points, strict=True):
        if point is not None:
            phases.append(Phase(name, previous, point))
            previous = point
    open_name = _under_way(points, marks)
    if open_name:
        phases.append(Phase(open_name, previous, marks.until, closed=False))
    return Failover(marks.fault, tuple(phases), marks.interrupted, tuple(notes))


def _ordered(marks: Marks) -> tuple[list[float | None], list[str]]:
    """Return the marks in ascending order within the window, and notes on corrections."""
    marks, notes = _without_vain_decision(_within(marks))
    points: list[float | None] = [getattr(marks, name) for name in _ENDS]
    later: float | None = None
    for index in reversed(range(len(points))):
        point = points[index]
        if point is not None and later is not None and point > later:
            if point - later > NOTED_MS:
                name = _ENDS[index].replace("_", " ")
                notes.append(f"{name} was observed {point - later:.0f} ms after its consequence")
            points[index] = later
        later = later if points[index] is None else points[index]
    return points, notes


def _within(marks: Marks) -> Marks:
    """Drop marks after the window, move marks before the fault to it, and keep only catch up if
    uninterrupted.
    """
    result: dict[str, Any] = {}
    for name in _ENDS:
        point = getattr(marks, name)
        applies = marks.followed if name == "caught_up" else marks.interrupted
        seen = applies and point is not None and point <= marks.until
        result[name] = max(point, marks.fault) if seen else None
    return replace(marks, **result)


def _without_vain_decision(marks: Marks) -> tuple[Marks, list[str]]:
    back = min((p for p in (marks.routed, marks.reconnected) if p is not None), default=None)
    if marks.decided is None or back is None or marks.decided <= back + VAIN_MS:
        return marks, []
    note = f"a failover was decided {marks.decided - back:.0f} ms after service had recovered: no detection"
    return replace(marks, decided=None), [note]


def _under_way(points: Sequence[float | None], marks: Marks) -> str:
    """Return the phase that was open at the end of the window; "" if all phases ended."""
    reached = max((i for i, point in enumerate(points) if point is not None), default=-1)
    if not marks.interrupted:
        following = _CATCH_UP if reached < 0 else len(PHASES)
    else:
        following = max(_PROMOTE, reached + 1)
        # It is unknown whether a session still waits or cannot reconnect.
        following = _RECONNECT if following == _CLIENT else following
    if following >= len(PHASES) or (following == _CATCH_UP and not marks.followed):
        return ""
    return PHASES[following]
