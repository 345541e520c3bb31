"""Check a workload's invariants on a server: counts before the load, all checks after it.

Works on any DB-API connection, so that a lab's primary and a server of a DSN are checked in the same way.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from fivenines.base.errors import brief
from fivenines.load.workloads.invariant import SHOWN, Check, Driver, Invariant, Tally
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import InvariantCheck

# Opens a connection to the workload's database, with a statement timeout in seconds.
Open = Callable[[float], AbstractContextManager[Any]]

# Longest total time, in seconds, of all checks of a trial.
BOUND = 120.0

_LEAST = 1.0

# The dialects in which the checks are written.
WRITTEN: Mapping[str, Driver] = {"mysql": "mysql", "postgres": "postgres"}


def count_before(connect: Open, checks: Sequence[Check], bound: float = BOUND) -> dict[str, int]:
    """Return the counts of all tallies before the load, by name.

    A failed count is absent, and its tally will be unknown. Never raises.
    """
    found: dict[str, int] = {}
    deadline = time.monotonic() + bound
    for check in checks:
        if isinstance(check, Tally) and (left := deadline - time.monotonic()) > 0:
            try:
                found[check.name] = _figure(connect, check, left)
            except Exception:
                continue
    return found


def check_after(
    connect: Open,
    driver: str,
    checks: Sequence[Check],
    before: Mapping[str, int],
    load: LoadSummary,
    bound: float = BOUND,
) -> list[InvariantCheck]:
    """Run all checks, one after another; failed ones are unknown. Never raises.

    Args:
        connect: opens a connection to the primary.
        driver: the SQL dialect; checks exist only for two dialects.
        checks: the invariants.
        before: the result of `count_before`.
        load: the load, for the acknowledged transactions.
        bound: longest total time, in seconds.
    """
    dialect = WRITTEN.get(driver)
    if dialect is None:
        return unknown(checks, f"not available for the SQL of {driver}")
    deadline = time.monotonic() + bound
    done = committed(load)
    results = []
    for check in checks:
        began = time.monotonic()
        left = deadline - began
        try:
            if left <= 0:
                result = _result(check, "unknown", f"not checked within {bound:g} s")
            elif isinstance(check, Tally):
                result = _tally(connect, check, before, done, left)
            else:
                result = _rows(connect, dialect, check, left)
        except Exception as error:  # drivers raise any exception, and a check must not break a trial
            result = _result(check, "unknown", f"the query failed: {brief(error)}")
        seconds = round(time.monotonic() - began, 3)
        results.append(result.model_copy(update={"seconds": seconds}))
    return results


def unknown(checks: Sequence[Check], why: str) -> list[InvariantCheck]:
    """Return all checks as unknown, for one reason."""
    return [_result(check, "unknown", why) for check in checks]


def committed(load: LoadSummary) -> dict[str, tuple[int, int]] | None:
    """Return the committed and in-doubt transactions by type; None if they were not counted by type."""
    if load.types is None:
        return None
    return {counts.name: (counts.ok, counts.in_doubt) for counts in load.types}


def _rows(connect: Open, driver: Driver, check: Invariant, seconds: float) -> InvariantCheck:
    with connect(max(seconds, _LEAST)) as connection, connection.cursor() as cursor:
        cursor.execute(check.statement(driver))
        names = [str(column[0]) for column in cursor.description]
        rows = [
            {name: _text(value) for name, value in zip(names, row, strict=True)} for row in cursor.fetchall()
        ]
    if not rows:
        return _result(check, "holds")
    many = f"{SHOWN} rows or more" if len(rows) == SHOWN else f"{len(rows)} rows"
    detail = f"{'1 row' if len(rows) == 1 else many} found"
    return _result(check, "violated", detail, rows)


def _tally(
    connect: Open,
    check: Tally,
    before: Mapping[str, int],
    done: Mapping[str, tuple[int, int]] | None,
    seconds: float,
) -> InvariantCheck:
    if check.name not in before:
        return _result(check, "unknown", "not counted before the load")
    if done is None and check.adds:
        return _result(check, "unknown", "the load did not count its transactions by type")
    low, high = check.expected(before[check.name], done or {})
    found = _figure(connect, check, seconds)
    expected = f"{low}" if low == high else f"{low} to {high} (commits in doubt)"
    detail = f"expected {expected}, found {found}; before the load {before[check.name]}"
    return _result(check, "holds" if low <= found <= high else "violated", detail)


def _figure(connect: Open, check: Tally, seconds: float) -> int:
    with connect(max(seconds, _LEAST)) as connection, connection.cursor() as cursor:
        cursor.execute(check.sql)
        return int(cursor.fetchone()[0])


def _result(
    check: Check, status: str, detail: str = "", rows: list[dict[str, str]] | None = None
) -> InvariantCheck:
    return InvariantCheck.model_validate(
        {
            "name": check.name,
            "source": check.source,
            "status": status,
            "detail": detail,
            "offending": rows or [],
        }
    )


def _text(value: object) -> str:
    return "NULL" if value is None else str(value)
