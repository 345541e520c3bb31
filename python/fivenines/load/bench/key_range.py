"""Compare the ids that a workload chooses from with those in the tables, before a load.

On a database that another tool has filled, the workload's default size may be a small part of the rows, or
the rows may be gone: the load runs either way, and its figures are those of another data set.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from typing import Any

from fivenines.load.workloads.settings import WorkloadSettings

# Number of ids that are looked for, evenly spaced.
PROBES = 100

# Share of them that must exist: transactions that delete a row and insert it again may be under way.
ENOUGH = 0.9

# Up to this factor above the chosen range, rows are those that a load has inserted.
GROWN = 2


def caution(connect: Callable[[float], AbstractContextManager[Any]], workload: WorkloadSettings) -> str:
    """Return how the tables differ from the data set that the workload expects; empty if not, or unknown."""
    expected = workload.key_range()
    if expected is None:
        return ""
    table, key, size, option = expected
    probed = min(PROBES, size)
    ids = ", ".join(str(1 + number * size // probed) for number in range(probed))
    try:
        with connect(10.0) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(f"SELECT count(*) FROM {table} WHERE {key} IN ({ids})")
            found = int(cursor.fetchone()[0])
            cursor.execute(f"SELECT max({key}) FROM {table}")
            largest = int(cursor.fetchone()[0] or 0)
    except Exception:  # each driver has its own; the load reports what is wrong with the tables
        return ""
    if found < ENOUGH * probed:
        return (
            f"Only {found} of {probed} rows that the load chooses from are in {table} ({key} 1 to {size}):"
            " most statements find fewer rows than they should. Fill the tables anew with --prepare --drop, "
            f"or correct {option}."
        )
    if largest > GROWN * size:
        return (
            f"{table} has rows up to {key} {largest}, and the load chooses from 1 to {size} only: set "
            f"{option}."
        )
    return ""
