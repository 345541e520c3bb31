"""The strongest isolation level that a list-append history does not contradict.

Each level excludes kinds of anomalies (Adya 1999; Cerone and Gotsman 2018), and the same kinds in the order
of time: strict serializability those in real time, strong session levels those of a client (Daudjee and
Salem 2004 and 2006). A lost append is no matter of isolation. That a history does not contradict a level is
no proof of it: a key that was seldom read shows little.
"""

from collections.abc import Mapping

_BELOW_READ_COMMITTED = frozenset(
    ("duplicate-elements", "unknown-element", "incompatible-order", "G0", "G1a", "G1b", "dirty-update", "G1c")
)
_BELOW_SNAPSHOT = frozenset(("internal", "lost-update", "G-single", "G-nonadjacent"))
_BELOW_SERIALIZABLE = frozenset(("G2-item",))

BELOW = "below read committed"
READ_COMMITTED = "read committed"
SNAPSHOT = "snapshot isolation"
SERIALIZABLE = "serializable"


def strongest(counts: Mapping[str, int], in_time: Mapping[str, int] | None, *, complete: bool = True) -> str:
    """Return the strongest level that these anomalies do not contradict.

    Args:
        counts: anomalies by kind.
        in_time: cycles that close only in time, by kind; None: not judged.
        complete: whether all cycles were searched; otherwise no order in time is claimed.
    """
    found = frozenset(counts)
    if found & _BELOW_READ_COMMITTED:
        return BELOW
    if found & _BELOW_SNAPSHOT:
        return READ_COMMITTED
    snapshot = bool(found & _BELOW_SERIALIZABLE)
    plain = SNAPSHOT if snapshot else SERIALIZABLE
    if in_time is None or not complete:
        return plain
    late = {kind for kind in in_time if not (snapshot and "G2-item" in kind)}
    if any(kind.endswith("-process") for kind in late):
        return plain
    if late:
        return f"strong session {plain}"
    return f"{'strong' if snapshot else 'strict'} {plain}"


def excluders(counts: Mapping[str, int]) -> list[str]:
    """Return the kinds of anomalies that exclude the level above the strongest one, without time."""
    for kinds in (_BELOW_READ_COMMITTED, _BELOW_SNAPSHOT, _BELOW_SERIALIZABLE):
        if found := [kind for kind in counts if kind in kinds]:
            return found
    return []
