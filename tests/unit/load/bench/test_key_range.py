"""The rows that a load chooses from, against those in the tables (here: of DuckDB)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pytest

from fivenines.load.bench.key_range import caution
from fivenines.load.workloads.oltp import Oltp


def _caution(first: int, last: int, size: int = 1000, workload: str = "oltp_point_select") -> str:
    """Return the caution on a table with the ids from `first` to `last`."""

    @contextmanager
    def connect(_seconds: float) -> Iterator[Any]:
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE sbtest1 AS SELECT * FROM range({first}, {last + 1}) AS r(id)")
            yield connection

    settings = Oltp.model_validate({"workload": workload, "table_size": size})
    return caution(connect, settings)


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (1, 1000, ""),
        (1, 1400, ""),  # rows that a load has inserted
        (1, 950, ""),  # rows that a load has deleted
        (1, 100, "Only 10 of 100 rows that the load chooses from are in sbtest1 (id 1 to 1000)"),
        (5000, 6000, "Only 0 of 100 rows"),
        (1, 50_000, "sbtest1 has rows up to id 50000, and the load chooses from 1 to 1000 only"),
    ],
)
def test_a_table_of_another_size_is_a_caution(first: int, last: int, words: str) -> None:
    found = _caution(first, last)
    assert found.startswith(words) and bool(found) == bool(words)


@pytest.mark.parametrize("size", [1, 20, 99, 100, 150])
def test_the_ids_that_are_looked_for_span_a_small_table(size: int) -> None:
    assert _caution(1, size, size) == ""
    # Half of the rows are missing, so that half of the ids are found.
    assert _caution(size // 2 + 1, size, size).startswith("Only ") == (size > 1)


def test_what_chooses_no_rows_and_what_cannot_be_asked_is_none() -> None:
    assert _caution(1, 10, workload="oltp_insert") == ""

    @contextmanager
    def away(_seconds: float) -> Iterator[Any]:
        raise OSError("away")
        yield

    assert caution(away, Oltp.model_validate({"workload": "oltp_read_only"})) == ""
