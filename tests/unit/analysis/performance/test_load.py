"""The rate that an open loop offers, and what is known of a load's failures."""

import pytest

from fivenines.analysis.performance.load import errors_of, failed_share, offered_rate
from fivenines.results.load_parts import ErrorEntry, Schedule, Step, Transactions
from fivenines.results.load_summary import LoadSummary


def test_the_offered_rate_is_that_of_the_window() -> None:
    steps = [Step(from_s=0, to_s=4, rate=100), Step(from_s=4, to_s=10, rate=400)]
    schedule = Schedule(kind="open", rate=100)
    assert offered_rate(schedule, steps, 0, 4000) == 100
    assert offered_rate(schedule, steps, 2000, 6000) == pytest.approx(250)
    assert offered_rate(schedule, steps, 4000, 60_000) == 400
    assert offered_rate(schedule, [], 0, 4000) == 100
    unknown = [Step(from_s=0, to_s=4, rate=100), Step(from_s=4, to_s=10)]
    assert offered_rate(schedule, unknown, 0, 4000) == 100
    assert offered_rate(schedule, unknown, 0, 6000) is None
    assert offered_rate(schedule, unknown, 4000, 6000) is None
    assert offered_rate(Schedule(kind="closed"), steps, 0, 4000) is offered_rate(None, [], 0, 1) is None


def test_the_share_of_failures_is_that_of_ended_transactions() -> None:
    assert failed_share(LoadSummary(transactions=Transactions(ok=75, failed=25, in_doubt=9))) == 0.25
    assert failed_share(LoadSummary()) == 0.0
    # Those that were running at the end of the load have not failed.
    cut = ErrorEntry("load", "timeout", "end", "the run ended before the reply", 20)
    assert failed_share(LoadSummary(transactions=Transactions(ok=95, failed=25), errors=(cut,))) == 0.05
    assert failed_share(LoadSummary(transactions=Transactions(ok=95, failed=15), errors=(cut,))) == 0.0


def test_failures_that_a_script_counted_can_be_left_out() -> None:
    load = LoadSummary.of({"script_counters": {"error": 3, "other": 9}})
    assert [(entry.kind, entry.count) for entry in errors_of(load)] == [("script", 3)]
    assert errors_of(load, scripts=False) == errors_of(load, "ledger") == []
