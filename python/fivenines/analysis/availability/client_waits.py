"""Outages of established sessions that a client time-out ended.

A session whose server fell silent waits for an answer until a client time-out. Service may have been
available for new connections much earlier: the rest of the outage is due to the client, not to the solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.availability import Floats, Gap, Outage
from fivenines.results.layout import SLOT_MS
from fivenines.results.load_parts import ClientBounds

# Without attempts of new connections, a time-out at most this long before the return of service ended the
# outage.
_AFTER_MS = 1000.0

# A time-out this near to the end of a configured bound is attributed to that bound.
_NEAR_MS, _NEAR_SHARE = 300.0, 0.05


@dataclass(frozen=True)
class Wait:
    """The wait of a session at the end of an outage, until a time-out of the client at `until` (ms).

    `ms`: how long service had been available for new connections; None: not attempted. `bound`: the time-out
    in words, as "time-out of 30 s".
    """

    until: float
    ms: float | None
    bound: str


def wait_of(gap: Gap, connections: Outage | None, timeouts: Floats, bounds: ClientBounds) -> Wait | None:
    """Return the wait at the end of an outage of sessions; None where no client time-out ended it.

    `connections` is the outage of new connections, `timeouts` the times of client time-outs, ascending.
    """
    # An operation that timed out may be retried with success in the same slot.
    own = timeouts[(timeouts > gap.start) & (timeouts <= gap.end + SLOT_MS)]
    if not gap.closed or not len(own):
        return None
    last = min(float(own[-1]), gap.end)
    bound = _bound(gap, [float(item) for item in own], bounds)
    if connections is None:
        return Wait(last, None, bound) if gap.end - last <= _AFTER_MS else None
    back = served_again(gap, connections)
    if back is None or last - back <= connections.floor_ms:
        return None
    return Wait(last, last - back, bound)


def served_again(gap: Gap, connections: Outage) -> float | None:
    """Return when new connections were served again during an outage of sessions; None if not before its
    end.
    """
    outages = [item for item in connections.gaps if item.start < gap.end and item.end > gap.start]
    if not outages:
        return gap.start
    return outages[-1].end if outages[-1].closed and outages[-1].end <= gap.end else None


def _bound(gap: Gap, own: Sequence[float], bounds: ClientBounds) -> str:
    """Return the matching time-out in words: that for an answer counts from the last success, that to connect
    from another.
    """
    answer, connect = bounds.answer_s, bounds.connect_s
    begins = [gap.start, *own[:-1]]
    for seconds, since in ((answer, begins[:1]), (connect, begins[1:]), (answer, begins[1:])):
        if seconds is not None and any(_near(own[-1] - start, 1000 * seconds) for start in since):
            return f"time-out of {seconds:g} s"
    known = [
        f"{value:g} s {what}"
        for value, what in ((answer, "for an answer"), (connect, "to connect"))
        if value is not None
    ]
    return f"time-outs ({', '.join(known)})" if known else "time-out"


def _near(ms: float, bound_ms: float) -> bool:
    return abs(ms - bound_ms) <= max(_NEAR_MS, _NEAR_SHARE * bound_ms)
