"""Invariants where no server answers; what they find on real ones is tested in the lab."""

from contextlib import AbstractContextManager
from typing import Any

from fivenines.load.invariants import check_after, committed, count_before, unknown
from fivenines.load.workloads.tatp import Tatp
from fivenines.results.load_summary import LoadSummary

CHECKS = Tatp(workload="tatp").invariants()


def _refused(timeout: float) -> AbstractContextManager[Any]:
    raise ConnectionRefusedError("connection refused")


def test_what_cannot_be_asked_is_unknown_and_says_why() -> None:
    assert count_before(_refused, CHECKS) == {}
    found = check_after(_refused, "postgres", CHECKS, {}, LoadSummary.of({"types": []}))
    assert [one.name for one in found] == [check.name for check in CHECKS]
    assert {one.status for one in found} == {"unknown"}
    assert {one.detail for one in found} == {
        "the query failed: connection refused",
        "not counted before the load",
    }


def test_no_check_begins_when_the_time_is_over() -> None:
    found = check_after(_refused, "mysql", CHECKS, {}, LoadSummary.of({"types": []}), bound=0.0)
    assert {one.detail for one in found} == {"not checked within 0 s"}


def test_a_load_that_did_not_count_leaves_tallies_unknown() -> None:
    name = "call forwardings: loaded + inserted - deleted"
    found = check_after(_refused, "mysql", CHECKS, {name: 5}, LoadSummary())
    (tally,) = [one for one in found if one.name == name]
    assert tally.detail == "the load did not count its transactions by type"


def test_transactions_are_counted_by_type() -> None:
    types = [{"name": "a", "ok": 3, "in_doubt": 1, "failed": 9}, {"name": "b"}, "rubbish"]
    assert committed(LoadSummary.of({"types": types})) == {"a": (3, 1), "b": (0, 0)}
    assert committed(LoadSummary()) is None


def test_without_a_primary_all_is_unknown() -> None:
    assert {one.detail for one in unknown(CHECKS, "no primary")} == {"no primary"}
