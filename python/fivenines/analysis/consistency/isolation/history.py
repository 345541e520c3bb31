"""The operations of list-append transactions as arrays, and the order of each key's versions.

A list says in which order its elements were appended, so one long read of a key reveals the order of all
its versions (Kingsbury and Alvaro 2020, section 4). The longest read of a key by an acknowledged
transaction is taken as that order. Every other read should be a prefix of it; then its number of
elements says everything, and lists need neither be parsed nor kept: DuckDB compares them as text.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
import numpy.typing as npt

FAILED, IN_DOUBT, OK = 0, 1, 2
# Writer of an element that no transaction appended, or place of an append that no transaction read.
ABSENT = -1

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_READS = """
    CREATE OR REPLACE TEMP TABLE reads AS
    SELECT txn, position, key, outcome, coalesce(list, '') AS list,
           CASE WHEN list IS NULL OR list = '' THEN 0
                ELSE 1 + length(list) - length(replace(list, ',', '')) END AS n
    FROM history WHERE source = 'lists' AND kind = 'read'
        AND (outcome = 'ok' OR (outcome = 'in_doubt' AND list IS NOT NULL))
"""
_LONGEST = """
    CREATE OR REPLACE TEMP TABLE longest AS
    SELECT key, arg_max(list, n) AS list, max(n) AS n FROM reads WHERE outcome = 'ok' GROUP BY key
"""
_ELEMENTS = """
    SELECT key, try_cast(element AS BIGINT) AS value
    FROM (SELECT key, unnest(string_split(list, ',')) AS element, unnest(range(n)) AS place
          FROM longest WHERE n > 0)
    ORDER BY key, place
"""
_COMPARED = """
    SELECT r.txn, r.position, r.key, r.n,
           r.n = 0 OR coalesce(starts_with(l.list || ',', r.list || ','), false) AS fits
    FROM reads r LEFT JOIN longest l USING (key)
"""
_APPENDS = """
    SELECT txn, position, key, value FROM history
    WHERE source = 'lists' AND kind = 'append' AND value IS NOT NULL
"""
_TRANSACTIONS = """
    SELECT txn, min(client) AS client, min(started_us) AS started, max(completed_us) AS completed,
           min(CASE outcome WHEN 'ok' THEN 2 WHEN 'in_doubt' THEN 1 ELSE 0 END)::BIGINT AS outcome
    FROM history WHERE source = 'lists' GROUP BY txn ORDER BY txn
"""


@dataclass(frozen=True)
class Appends:
    """One entry for each append: transaction and key as indexes, `place` in the key's order."""

    txn: Ints
    position: Ints
    key: Ints
    value: Ints
    place: Ints


@dataclass(frozen=True)
class Reads:
    """One entry for each read: `n` elements; `fits`: they are the first n of the key's order."""

    txn: Ints
    position: Ints
    key: Ints
    n: Ints
    fits: Flags


@dataclass(frozen=True)
class Orders:
    """The elements of all keys, one key after the other: key k has [start[k], start[k + 1]).

    `writer` is the transaction that appended the element, `last` whether that was its last append to
    the key, `again` whether the element stands in the list for the second time or more.
    """

    start: Ints
    key: Ints
    value: Ints
    writer: Ints
    last: Flags
    again: Flags


@dataclass(frozen=True)
class History:
    """A list-append history. Transactions and keys are numbered from 0; `txns` and `keys` name them.

    `alive`: the transaction was committed, as it was acknowledged, or as its commit was in doubt and a
    later read shows one of its appends (Elle calls this recovery).
    """

    txns: Ints
    client: Ints
    outcome: Ints
    started: Ints
    completed: Ints
    alive: Flags
    keys: Ints
    appends: Appends
    reads: Reads
    orders: Orders


def read_history(connection: duckdb.DuckDBPyConnection) -> History:
    """Return the history in the connection's relation `history`, whose columns are those of the layout."""
    txns = _columns(connection, _TRANSACTIONS)
    connection.execute(_READS)
    connection.execute(_LONGEST)
    elements = _columns(connection, _ELEMENTS)
    compared = _columns(connection, _COMPARED)
    written = _columns(connection, _APPENDS)
    keys = np.unique(np.concatenate([compared["key"], written["key"]]))
    outcome = txns["outcome"]
    appends, orders = _ordered(elements, written, txns["txn"], outcome, keys)
    alive = outcome == OK
    seen = appends.txn[appends.place != ABSENT]
    alive[seen[outcome[seen] == IN_DOUBT]] = True
    reads = Reads(
        np.searchsorted(txns["txn"], compared["txn"]),
        compared["position"],
        np.searchsorted(keys, compared["key"]),
        compared["n"],
        compared["fits"].astype(np.bool_),
    )
    # a read whose transaction may never have been committed proves nothing
    kept = alive[reads.txn] & (reads.fits | (outcome[reads.txn] == OK))
    reads = Reads(*(column[kept] for column in vars(reads).values()))
    return History(
        txns["txn"],
        txns["client"],
        outcome,
        txns["started"],
        txns["completed"],
        alive,
        keys,
        appends,
        reads,
        orders,
    )


def _ordered(
    elements: dict[str, Ints], written: dict[str, Ints], txns: Ints, outcome: Ints, keys: Ints
) -> tuple[Appends, Orders]:
    """Find the append of each element, and the element of each append."""
    key, append_key = (np.searchsorted(keys, item["key"]) for item in (elements, written))
    start = np.searchsorted(key, np.arange(len(keys) + 1))
    txn = np.searchsorted(txns, written["txn"])
    append_pair, pair = _pairs(append_key, written["value"], key, elements["value"])
    append = _appended(append_pair, outcome[txn], pair)
    again = np.ones(len(key), dtype=np.bool_)
    again[np.unique(pair, return_index=True)[1]] = False
    known = append != ABSENT
    writer = np.full(len(key), ABSENT, dtype=np.int64)
    writer[known] = txn[append[known]]
    place = np.full(len(txn), ABSENT, dtype=np.int64)
    shown = known & ~again
    place[append[shown]] = (np.arange(len(key)) - start[key])[shown]
    appends = Appends(txn, written["position"], append_key, written["value"], place)
    last = np.ones(len(key), dtype=np.bool_)
    last[known] = _last_of_transaction(appends, len(keys))[append[known]]
    return appends, Orders(start, key, elements["value"], writer, last, again)


def _pairs(append_key: Ints, appended: Ints, key: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Key and value as one number, of the appends and of the elements."""
    values, rank = np.unique(np.concatenate([appended, value]), return_inverse=True)
    pair = np.concatenate([append_key, key]) * len(values) + rank
    return pair[: len(appended)], pair[len(appended) :]


def _appended(append_pair: Ints, outcome: Ints, pair: Ints) -> Ints:
    """Return the append of each element; of several with the same value, the one with the best outcome."""
    if not len(append_pair):
        return np.full(len(pair), ABSENT, dtype=np.int64)
    ranked = append_pair * (OK + 1) + (OK - outcome)
    order = np.argsort(ranked, kind="stable")
    at = np.minimum(np.searchsorted(ranked[order], pair * (OK + 1)), len(order) - 1)
    ints: Ints = np.where(append_pair[order[at]] == pair, order[at], ABSENT)
    return ints


def _last_of_transaction(appends: Appends, keys: int) -> Flags:
    """Return whether each append is the last one of its transaction to its key."""
    group = appends.txn * keys + appends.key
    order = np.lexsort((appends.position, group))
    last = np.ones(len(order), dtype=np.bool_)
    last[order[:-1]] = group[order[1:]] != group[order[:-1]]
    return last


def _columns(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Ints]:
    result = connection.execute(sql).fetchnumpy()
    return {
        name: np.ma.filled(column, ABSENT).astype(np.int64, copy=False) for name, column in result.items()
    }
