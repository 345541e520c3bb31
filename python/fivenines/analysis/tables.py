"""Tables of many trials, read by one query and cut by trial, node, host or name."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from fivenines.errors import FiveninesError
from fivenines.results.store import Column, StoredTrial, query

Columns = Mapping[str, Column]
"""Columns of equal length by their names."""


def by_trial(trials: Sequence[StoredTrial], table: str, sql: str) -> dict[str, Columns]:
    """The rows of a query, which orders them by `trial`, by the name of each trial's folder.

    A damaged table counts as absent: the trials' own notes tell of it.
    """
    try:
        return split(query(trials, table, sql), "trial")
    except FiveninesError:
        return {}


def split(columns: Columns, by: str) -> dict[str, Columns]:
    """Columns that are ordered by one of them, cut where that one changes, and without it."""
    names = columns[by]
    if not len(names):
        return {}
    starts = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist(), len(names)]
    return {
        str(names[low]): {name: each[low:high] for name, each in columns.items() if name != by}
        for low, high in pairwise(starts)
    }
