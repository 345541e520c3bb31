"""The register check: is each register linearizable, as a single copy is?

An operation writes a register or reads it, in a statement of its own. Registers are judged one by one, as a
system is linearizable if each of its objects is (Herlihy and Wing, "Linearizability: A Correctness Condition
for Concurrent Objects", ACM TOPLAS 12 (1990) 463, theorem 1). `zones` says which operations contradict the
order of time.

    unknown-value        a read of a value that no operation wrote
    G1a                  a read of a value whose write was refused
    stale-read-process   a read of an older value than its own client had written, and was acknowledged
    stale-read-realtime  the same with what another client had written before the read began
    backwards-process    a read of an older value than its own client had read before
    backwards-realtime   the same with what another client had read before the read began
    reads-disagree       a value and another one were each there before the other was last read
    early-read           a read that ended before the write of its value began: clocks differ

The kinds exclude each other: a read is counted once, and `reads-disagree` counts values without stale reads.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import numpy as np

from fivenines.analysis.consistency.isolation.history import ABSENT
from fivenines.analysis.consistency.isolation.zones import (
    INITIAL,
    Flags,
    Ints,
    Operations,
    Values,
    contradictions,
    stale_reads,
    values_of,
)
from fivenines.results.records import Anomaly, Isolation

# Maximum number of anomalies of each kind that are described in words.
EXAMPLES = 10

_OPERATIONS = """
    SELECT txn, client, key, value, kind = 'write' AS writes, outcome = 'ok' AS acknowledged,
           outcome NOT IN ('ok', 'in_doubt') AS refused, started_us AS started, completed_us AS completed
    FROM history WHERE source = 'registers' AND (kind = 'write' OR outcome = 'ok') ORDER BY txn, position
"""
_SIZE = "SELECT count(*) FROM history WHERE source = 'registers'"


def check_registers(connection: duckdb.DuckDBPyConnection, *, one_clock: bool = True) -> Isolation | None:
    """Judge the rows of source `registers` of the relation `history`; None if there is none.

    Args:
        connection: with a relation `history` whose columns are those of `layout.TABLES`.
        one_clock: whether all clients have the same clock; otherwise the order in time is not judged.
    """
    began = time.monotonic()
    size = connection.execute(_SIZE).fetchone()
    if not size or not size[0]:
        return None
    history = _read(connection)
    examples = [
        _direct(kind, history, int(at))
        for kind, found in history.direct.items()
        for at in np.flatnonzero(found)[:EXAMPLES]
    ]
    in_time = _in_time(history) if one_clock else {}
    examples += [one for found in in_time.values() for one in found.examples]
    return Isolation(
        source="registers",
        transactions=int(size[0]),
        counts={kind: int(found.sum()) for kind, found in history.direct.items() if found.any()},
        in_time={kind: found.count for kind, found in in_time.items()} if one_clock else None,
        examples=examples,
        seconds=round(time.monotonic() - began, 3),
        note="" if one_clock else "Clients have different clocks: the order in time was not judged.",
    )


@dataclass(frozen=True)
class _History:
    """All operations, which of them are wrong whatever the time, and the values of the others.

    `registers` is each register by its key in the database, `shown` each value as the database showed it,
    `writer` the operation that wrote it.
    """

    operations: Operations
    direct: dict[str, Flags]
    sound: Operations
    values: Values
    registers: Ints
    shown: Ints
    writer: Ints


@dataclass(frozen=True)
class _Found:
    count: int
    examples: list[Anomaly]


def _read(connection: duckdb.DuckDBPyConnection) -> _History:
    columns = connection.execute(_OPERATIONS).fetchnumpy()
    rows = {name: np.ma.filled(column, INITIAL).astype(np.int64) for name, column in columns.items()}
    writes, acknowledged, refused = (
        rows[name].astype(np.bool_) for name in ("writes", "acknowledged", "refused")
    )
    never = int(max(rows["completed"].max(initial=0), rows["started"].max(initial=0))) + 1
    places, rank = np.unique(rows["value"], return_inverse=True)
    registers, key = np.unique(rows["key"], return_inverse=True)
    pairs, value = np.unique(key * len(places) + rank, return_inverse=True)
    shown = places[pairs % len(places)] if len(pairs) else pairs
    operations = Operations(
        rows["txn"],
        rows["client"],
        key,
        value,
        writes,
        rows["started"],
        np.where(writes & ~acknowledged, never, rows["completed"]),
    )
    writer = np.full(len(pairs), ABSENT, dtype=np.int64)
    writer[value[writes]] = np.flatnonzero(writes)
    initial, written = shown == INITIAL, writer != ABSENT
    direct = {
        "unknown-value": ~writes & ~(written | initial)[value],
        "G1a": ~writes & written[value] & refused[writer[value]],
    }
    sound = operations.only(~(refused & writes) & ~direct["unknown-value"] & ~direct["G1a"])
    values = values_of(sound, len(pairs), initial, never)
    return _History(operations, direct, sound, values, registers, shown, writer)


def _in_time(history: _History) -> dict[str, _Found]:
    """Return what contradicts the order of time, by kind; kinds that were not found are absent."""
    found: dict[str, _Found] = {}
    operations, values = history.sound, history.values
    early = ~operations.writes & (operations.completed < values.begun[operations.value])
    if early.any():
        some = [_early(history, operations, int(at)) for at in np.flatnonzero(early)[:EXAMPLES]]
        found["early-read"] = _Found(int(early.sum()), some)
        operations = operations.only(~early)
        values = values.again(operations)
    stale = np.zeros(len(operations.txn), dtype=np.bool_)
    for kind, group, witnesses in _orders(operations):
        reads, newer = stale_reads(operations, values, group, witnesses)
        fresh = ~stale[reads]
        reads, newer = reads[fresh], newer[fresh]
        if len(reads):
            pairs = zip(reads[:EXAMPLES].tolist(), newer[:EXAMPLES].tolist(), strict=True)
            some = [
                _stale(kind, history, operations, *pair, witnesses & (group == group[pair[0]]))
                for pair in pairs
            ]
            found[kind] = _Found(len(reads), some)
        stale[reads] = True
    rest = operations.only(~stale)
    one, other = contradictions(values.again(rest))
    if len(one):
        pairs = zip(one[:EXAMPLES].tolist(), other[:EXAMPLES].tolist(), strict=True)
        found["reads-disagree"] = _Found(len(one), [_disagreeing(history, rest, *pair) for pair in pairs])
    return found


def _orders(operations: Operations) -> Iterator[tuple[str, Ints, Flags]]:
    """Yield each kind of stale read, the plainest first: what is compared, and what proves a newer value."""
    client = operations.key * (operations.client.max(initial=0) + 1) + operations.client
    own = np.unique(client, return_inverse=True)[1]
    for name, witnesses in (("stale-read", operations.writes), ("backwards", ~operations.writes)):
        yield f"{name}-process", own, witnesses
        yield f"{name}-realtime", operations.key, witnesses


def _direct(kind: str, history: _History, at: int) -> Anomaly:
    operations = history.operations
    read = f"T{operations.txn[at]} read {_named(history, int(operations.value[at]))}"
    txns = [int(operations.txn[at])]
    if kind == "unknown-value":
        return Anomaly(kind=kind, transactions=txns, explanation=f"{read}, which no operation wrote.")
    writer = int(operations.txn[history.writer[operations.value[at]]])
    return Anomaly(
        kind=kind,
        transactions=[writer, *txns],
        explanation=f"{read}, which T{writer} had tried to write: it was refused.",
        edges=[(writer, f"wr {history.registers[operations.key[at]]}", txns[0])],
    )


def _early(history: _History, operations: Operations, at: int) -> Anomaly:
    read = int(operations.txn[at])
    writer = int(history.operations.txn[history.writer[operations.value[at]]])
    text = (
        f"T{read} had read {_named(history, int(operations.value[at]))} before T{writer} began to write it."
    )
    return Anomaly(kind="early-read", transactions=[read, writer], explanation=text)


def _stale(
    kind: str, history: _History, operations: Operations, at: int, newer: int, witnesses: Flags
) -> Anomaly:
    """Describe a stale read as a cycle: a newer value was there, then the read began and shows an older one.

    Args:
        kind: the kind of stale read.
        history: all operations.
        operations: those that `at` counts in.
        at: the place of the read.
        newer: the newer value.
        witnesses: the operations whose end proves that a value was there.
    """
    read, old = int(operations.txn[at]), int(operations.value[at])
    with_it = np.flatnonzero((operations.value == newer) & witnesses)
    witness = int(operations.txn[with_it[np.argmin(operations.completed[with_it])]])
    writer = int(history.operations.txn[history.writer[newer]])
    key = int(history.registers[operations.key[at]])
    whose = "the same client's " if kind.endswith("process") else ""
    new, verb = history.shown[newer], "wrote" if witness == writer else "read"
    text = (
        f"T{read} read {_named(history, old)}, although {whose}T{witness}, which {verb} {new}, had ended "
        f"before T{read} began. The write of {new} began when {_shown(history, old)} was there."
    )
    edges = [(writer, f"wr {key}", witness)] if witness != writer else []
    edges += [(witness, kind.rpartition("-")[2], read), (read, f"rw {key}", writer)]
    return Anomaly(kind=kind, transactions=_once([writer, witness, read]), explanation=text, edges=edges)


def _disagreeing(history: _History, operations: Operations, one: int, other: int) -> Anomaly:
    """Describe two values, each of which was there before an operation with the other one began."""
    ends = []
    for value in (one, other):
        mine = np.flatnonzero(operations.value == value)
        first = int(operations.txn[mine[np.argmin(operations.completed[mine])]])
        last = int(operations.txn[mine[np.argmax(operations.started[mine])]])
        ends.append((first, last))
    (one_first, one_last), (other_first, other_last) = ends
    a, b = _shown(history, one), _shown(history, other)
    register = history.registers[history.values.key[one]]
    text = (
        f"Register {register} had {a} when T{one_first} ended, before T{other_last} began, "
        f"which has {b}; and it had {b} when T{other_first} ended, before T{one_last} began, which has {a}."
    )
    edges = [(one_first, "realtime", other_last), (other_first, "realtime", one_last)]
    return Anomaly(
        kind="reads-disagree",
        transactions=_once([one_first, other_last, other_first, one_last]),
        explanation=text,
        edges=edges,
    )


def _named(history: _History, value: int) -> str:
    return f"{_shown(history, value)} in register {history.registers[history.values.key[value]]}"


def _shown(history: _History, value: int) -> str:
    shown = int(history.shown[value])
    return "nothing" if shown == INITIAL else str(shown)


def _once(txns: list[int]) -> list[int]:
    return list(dict.fromkeys(txns))
