"""Invariants of a workload, asked of a real server: figures before the load, all checks after it.

Works on any DB-API connection, so that a lab's primary and a server behind a DSN are judged alike.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from fivenines.errors import brief
from fivenines.results.records import InvariantCheck
from fivenines.workloads.invariant import SHOWN, Check, Driver, Invariant, Tally

# Opens a connection to the workload's database on which no statement lasts longer than so many
# seconds.
Open = Callable[[float], AbstractContextManager[Any]]

# Seconds that all checks of a trial may take together.
BOUND = 120.0

_LEAST = 1.0

# The dialects in which the checks are written.
WRITTEN: Mapping[str, Driver] = {"mysql": "mysql", "postgres": "postgres"}


def count_before(connect: Open, checks: Sequence[Check], bound: float = BOUND) -> dict[str, int]:
    """The figures of all tallies before the load, by the tally's name.

    A figure that cannot be had is absent: its tally will be unknown. Never raises.
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
    load: Mapping[str, Any],
    bound: float = BOUND,
) -> list[InvariantCheck]:
    """Ask everything, one check after the other; what cannot be asked is unknown. Never raises.

    Args:
        connect: to the primary of record.
        driver: the dialect that it understands; of all but two every check is unknown.
        checks: what must be true.
        before: what `count_before` found.
        load: load.json, for what the load was told to have done.
        bound: seconds for all of it.
    """
    dialect = WRITTEN.get(driver)
    if dialect is None:
        return unknown(checks, f"not written for the SQL of {driver}")
    deadline = time.monotonic() + bound
    done = committed(load)
    results = []
    for check in checks:
        began = time.monotonic()
        left = deadline - began
        try:
            if left <= 0:
                result = _result(check, "unknown", f"no time was left of {bound:g} s")
            elif isinstance(check, Tally):
                result = _tally(connect, check, before, done, left)
            else:
                result = _rows(connect, dialect, check, left)
        except Exception as error:  # drivers raise what they like; a check must not break a trial
            result = _result(check, "unknown", f"could not be asked: {brief(error)}")
        seconds = round(time.monotonic() - began, 3)
        results.append(result.model_copy(update={"seconds": seconds}))
    return results


def unknown(checks: Sequence[Check], why: str) -> list[InvariantCheck]:
    """All checks as not asked, for one reason."""
    return [_result(check, "unknown", why) for check in checks]


def committed(load: Mapping[str, Any]) -> dict[str, tuple[int, int]] | None:
    """Committed transactions and those in doubt by type, from load.json; None without `types`."""
    types = load.get("types")
    if not isinstance(types, list):
        return None
    return {
        str(one.get("name")): (int(one.get("ok", 0)), int(one.get("in_doubt", 0)))
        for one in types
        if isinstance(one, dict)
    }


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
        return _result(check, "unknown", "it was not counted before the load")
    if done is None and check.adds:
        return _result(check, "unknown", "the load did not count its transactions by type")
    low, high = check.expected(before[check.name], done or {})
    found = _figure(connect, check, seconds)
    wanted = f"{low}" if low == high else f"{low} to {high} (commits in doubt)"
    told = f"expected {wanted}, found {found}; before the load {before[check.name]}"
    return _result(check, "holds" if low <= found <= high else "violated", told)


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
