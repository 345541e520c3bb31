"""The bank check: transfers move money between accounts, so that every audit must find the same total.

A history row of source `bank` is one step of a transaction: `read` (key: account, value: what was
found there) or `add` (key: account, value: what was added, negative where it was taken). An *audit* is
an acknowledged transaction that did nothing but read, and read every account. The total is what the first
audit found.

    wrong-sum         an audit found another total (Jepsen's bank test): it saw half of a transfer, or one
                      of two transfers at the same time was overwritten
    wrong-end-sum     audits that began after the last transfer had ended still find another total: money
                      was made or lost for good, which is a lost update
    negative-balance  an audit found an account below zero, where that is forbidden
"""

import time
from collections.abc import Sequence

import duckdb
import numpy as np

from fivenines.results.records import Anomaly, Isolation

# Maximum number of anomalies of each kind that are described in words.
EXAMPLES = 10

_AUDITS = """
    WITH audits AS (
        SELECT txn, min(started_us) AS started, sum(value)::BIGINT AS total, min(value) AS least,
               count(DISTINCT key) AS accounts
        FROM history WHERE source = 'bank'
        GROUP BY txn HAVING bool_and(outcome = 'ok' AND kind = 'read' AND value IS NOT NULL)
    )
    SELECT txn, started, total, least FROM audits
    WHERE accounts = (SELECT max(accounts) FROM audits) ORDER BY started, txn
"""
_SIZE = "SELECT count(DISTINCT txn) FROM history WHERE source = 'bank'"
_LAST_TRANSFER = """
    SELECT coalesce(max(completed_us), 0) FROM history WHERE source = 'bank' AND kind <> 'read'
"""
_BALANCES = "SELECT key, value FROM history WHERE source = 'bank' AND txn = ? ORDER BY key"


def check_bank(connection: duckdb.DuckDBPyConnection, overdraft: bool = False) -> Isolation | None:
    """Judge the rows of source `bank` of the relation `history`; None if there is none.

    Args:
        connection: with a relation `history` whose columns are those of `layout.TABLES`.
        overdraft: whether accounts may be below zero.
    """
    began = time.monotonic()
    size = _number(connection, _SIZE)
    if not size:
        return None
    audits = connection.execute(_AUDITS).fetchnumpy()
    txn, started, total, least = (np.ma.filled(audits[name]) for name in ("txn", "started", "total", "least"))
    if not len(txn):
        return Isolation(source="bank", transactions=size, note="No audit was recorded.")
    end = started > _number(connection, _LAST_TRANSFER)
    wrong = total != total[0]
    kinds = {"wrong-sum": wrong & ~end, "wrong-end-sum": wrong & end}
    if not overdraft:
        kinds["negative-balance"] = least < 0
    return Isolation(
        source="bank",
        transactions=size,
        counts={kind: int(bad.sum()) for kind, bad in kinds.items() if bad.any()},
        examples=[
            _described(connection, kind, int(txn[row]), int(total[row]), int(total[0]))
            for kind, bad in kinds.items()
            for row in np.flatnonzero(bad)[:EXAMPLES]
        ],
        seconds=round(time.monotonic() - began, 3),
        note=f"Audits: {len(txn):,}; the first one found {total[0]}.",
    )


def _described(connection: duckdb.DuckDBPyConnection, kind: str, txn: int, total: int, first: int) -> Anomaly:
    balances = connection.execute(_BALANCES, [txn]).fetchall()
    if kind == "negative-balance":
        text = f"Audit T{txn} found accounts below zero: {_listed(balances, below=True)}."
    else:
        when = ", after the last transfer had ended" if kind == "wrong-end-sum" else ""
        text = f"Audit T{txn} found {total} in all instead of {first}{when}. Balances: {_listed(balances)}."
    return Anomaly(kind=kind, transactions=[txn], explanation=text)


def _listed(balances: Sequence[tuple[int, int]], below: bool = False) -> str:
    named = [f"{key}: {value}" for key, value in balances if value < 0 or not below]
    return ", ".join(named[:20]) + (", ..." if len(named) > 20 else "")


def _number(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0
