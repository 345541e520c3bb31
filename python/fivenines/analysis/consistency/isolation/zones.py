"""Operations on registers as arrays, and which of them contradict the order of time.

Gibbons and Korach, "Testing Shared Memories", SIAM J. Computing 26 (1997) 1208: as each value is written
once, a read names the write that it saw. The register had a value from `f`, the earliest end of the
operations that wrote or read it, to `s`, the latest begin of one. Two values contradict each other if each
was there before an operation with the other began: f1 < s2 and f2 < s1. The register is linearizable if and
only if there is no such pair, and no read ended before the write of its value began.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# The value of a register that has not been written: no operation writes it.
INITIAL = -(1 << 62)
# Before all operations, whose times are 0 and later.
_EVER = -1


@dataclass(frozen=True)
class Operations:
    """One entry for each operation: `key` and `value` count registers and their values from 0; times in µs.

    `completed` is `never` for a write in doubt, which may take effect late.
    """

    txn: Ints
    client: Ints
    key: Ints
    value: Ints
    writes: Flags
    started: Ints
    completed: Ints

    def only(self, kept: Flags) -> "Operations":
        """Return some of the operations."""
        return Operations(*(column[kept] for column in vars(self).values()))


@dataclass(frozen=True)
class Values:
    """One entry for each value: its register, the begin of its write, and `f` and `s` as above.

    The initial value was written at `_EVER`.
    """

    key: Ints
    begun: Ints
    f: Ints
    s: Ints
    never: int

    def again(self, operations: Operations) -> "Values":
        """Return the values as these operations show them."""
        f = np.full(len(self.key), self.never, dtype=np.int64)
        s = np.full(len(self.key), _EVER, dtype=np.int64)
        np.minimum.at(f, operations.value, operations.completed)
        np.maximum.at(s, operations.value, operations.started)
        f[self.begun == _EVER] = _EVER
        return Values(self.key, self.begun, f, s, self.never)


def values_of(operations: Operations, count: int, initial: Flags, never: int) -> Values:
    """Return `count` values, each of which an operation wrote or that is `initial`."""
    key = np.zeros(count, dtype=np.int64)
    key[operations.value] = operations.key
    begun = np.full(count, never, dtype=np.int64)
    begun[operations.value[operations.writes]] = operations.started[operations.writes]
    begun[initial] = _EVER
    return Values(key, begun, begun, begun, never).again(operations)


def stale_reads(operations: Operations, values: Values, group: Ints, witnesses: Flags) -> tuple[Ints, Ints]:
    """Return reads that began when a newer value was there, and for each the newest such value.

    A value is newer if its write began when the older one was there.

    Args:
        operations: all that count.
        values: of these operations.
        group: of each operation; only operations of the same group are compared.
        witnesses: the operations whose end proves that their value was there.
    """
    # When each value was first there, for each group that had it.
    shown = group * len(values.key) + operations.value
    pairs, pair = np.unique(shown[witnesses], return_inverse=True)
    f = np.full(len(pairs), values.never, dtype=np.int64)
    np.minimum.at(f, pair, operations.completed[witnesses])
    seen = _Newest(pairs // len(values.key), f, values.begun[pairs % len(values.key)], values.never)
    reads = np.flatnonzero(~operations.writes)
    if not len(reads) or not len(pairs):
        return reads[:0], reads[:0]
    at = seen.before(group[reads], operations.started[reads])
    newest = pairs[seen.best[at]] % len(values.key)
    stale = (at >= 0) & (values.begun[newest] > values.f[operations.value[reads]])
    return reads[stale], newest[stale]


def contradictions(values: Values) -> tuple[Ints, Ints]:
    """Return the values that contradict another one, and for each of them one that it contradicts.

    Of two values that were both there for a while, only the later one counts.
    """
    forward = np.flatnonzero(values.f < values.s)
    backward = np.flatnonzero(values.f >= values.s)
    if not len(forward):
        return forward, forward
    held = _Newest(values.key[forward], values.f[forward], values.s[forward], values.never)
    later, earlier = held.entry[1:], held.best[:-1]
    same = values.key[forward[later]] == values.key[forward[earlier]]
    overlap = same & (values.f[forward[later]] < values.s[forward[earlier]])
    at = held.before(values.key[backward], values.s[backward])
    around = forward[held.best[at]]
    within = (at >= 0) & (values.s[around] > values.f[backward])
    return (
        np.concatenate([forward[later[overlap]], backward[within]]),
        np.concatenate([forward[earlier[overlap]], around[within]]),
    )


class _Newest:
    """Entries of groups in the order of `f`, and of all up to each the one with the greatest `rank`."""

    def __init__(self, group: Ints, f: Ints, rank: Ints, never: int) -> None:
        """`f` and `rank` lie between `_EVER` and `never`."""
        self._width = never + 2
        self.entry = np.lexsort((f, group))
        self._group = group[self.entry]
        self._at = self._group * self._width + f[self.entry] + 1
        ranks = self._group * self._width + rank[self.entry] + 1
        places = np.where(ranks == np.maximum.accumulate(ranks), np.arange(len(ranks)), 0)
        self.best = self.entry[np.maximum.accumulate(places)]

    def before(self, group: Ints, time: Ints) -> Ints:
        """Return the place of the last entry of each group with `f` before this time; -1: there is none."""
        at = np.searchsorted(self._at, group * self._width + time + 1, side="left") - 1
        found: Ints = np.where((at >= 0) & (self._group[np.maximum(at, 0)] == group), at, -1)
        return found
