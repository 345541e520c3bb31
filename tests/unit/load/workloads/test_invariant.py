"""What invariants ask, and how many rows a tally expects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.load.workloads.invariant import Invariant, Tally
from fivenines.load.workloads.tatp import Tatp
from fivenines.load.workloads.tpcc import Tpcc

counts = st.integers(0, 10**9)


@given(counts, counts, counts, counts, counts)
def test_the_truth_lies_within_what_is_expected(
    before: int, inserted: int, deleted: int, unsure: int, applied: int
) -> None:
    tally = Tally("rows", "", "SELECT COUNT(*) FROM t", {"insert": 3, "delete": -1})
    happened = min(unsure, applied)
    done = {"insert": (inserted, unsure), "delete": (deleted, unsure), "read": (9, 9)}
    low, high = tally.expected(before, done)
    assert low <= before + 3 * (inserted + happened) - deleted <= high
    assert low <= before + 3 * inserted - (deleted + happened) <= high
    assert high - low == 4 * unsure


def test_without_doubt_one_number_is_right() -> None:
    tally = Tally("rows", "", "SELECT COUNT(*) FROM t", {"insert": 50})
    assert tally.expected(100, {"insert": (3, 0)}) == (250, 250)
    assert tally.expected(100, {}) == (100, 100)


def test_a_statement_is_bounded_and_in_the_dialect() -> None:
    invariant = Invariant("x", "y", "SELECT a\n  FROM t", "SELECT b FROM t")
    assert invariant.statement("postgres") == "SELECT a FROM t LIMIT 5"
    assert invariant.statement("mysql") == "SELECT b FROM t LIMIT 5"


@pytest.mark.parametrize("workload", [Tatp(workload="tatp"), Tpcc(workload="tpcc")])
def test_the_invariants_of_a_workload_have_different_names(workload: Tatp | Tpcc) -> None:
    names = [check.name for check in workload.invariants()]
    assert len(names) == len(set(names)) > 5


def test_tpcc_has_its_conditions_by_clause() -> None:
    sources = [check.source for check in Tpcc(workload="tpcc").invariants()]
    wanted = [f"TPC-C clause 3.3.2.{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)]
    assert sources[: len(wanted)] == wanted
