"""Tables of many trials, read by one query and split by trial, node, host or name."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np

from fivenines.base.errors import FiveninesError
from fivenines.results.reading import reader
from fivenines.results.store import Column, StoredTrial, query
from fivenines.results.unreadable import UnreadableError

# Columns of equal length by their names.
Columns = Mapping[str, Column]


def by_trial(trials: Sequence[StoredTrial], table: str, sql: str) -> dict[str, Columns]:
    """Return the rows of a query, which orders them by `trial`, by the name of each trial's folder.

    A damaged table counts as absent and does not affect other trials: the trial's notes report it.
    """
    try:
        return split(query(trials, table, sql), "trial")
    except FiveninesError:
        if len(trials) < 2:
            return {}
    each = (by_trial([trial], table, sql) for trial in trials)
    return {name: columns for tables in each for name, columns in tables.items()}


@contextmanager
def ledger_reader(trial: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide a connection for the ledger's tables in a trial's folder.

    Raises:
        FiveninesError: a table is damaged.
    """
    with readable_ledger(trial), reader() as connection:
        yield connection


@contextmanager
def readable_ledger(trial: Path) -> Iterator[None]:
    """Report errors of DuckDB as those of the ledger in a trial's folder.

    Raises:
        FiveninesError: a table is damaged.
    """
    try:
        yield
    except duckdb.Error as error:
        brief = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UnreadableError(f"{trial}: the ledger cannot be read: {brief}") from error


def split(columns: Columns, by: str) -> dict[str, Columns]:
    """Split columns, which are ordered by the column `by`, into groups without that column."""
    names = columns[by]
    if not len(names):
        return {}
    starts = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist(), len(names)]
    return {
        str(names[low]): {name: each[low:high] for name, each in columns.items() if name != by}
        for low, high in pairwise(starts)
    }
