"""Figures of client stacks from planted transactions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.load.stacks.figures import Gap, Rows, figures, judge, longest
from fivenines.load.stacks.protocol import Task, Transaction

SECOND = 1_000_000


def task(workers: int, think_ms: int = 100) -> Task:
    return Task("shop", "mysql", ("db:3306",), "app", "", "shop", "t", workers, think_ms)


def line(n: int, end: float, **changes: Any) -> Transaction:
    """Return a committed transaction of worker n modulo 2 that ended at this second."""
    values = {"n": n, "worker": n % 2, "start_us": 0, "end_us": round(end * SECOND), "outcome": "committed"}
    return Transaction.model_validate({"event": "transaction", "stage": "release", **values, **changes})


def failed(n: int, end: float, stage: str = "acquire", code: str = "refused", **changes: Any) -> Transaction:
    return line(n, end, outcome="failed", stage=stage, code=code, **changes)


def test_an_outage_is_the_longest_time_without_a_commit() -> None:
    lines = [line(0, 1), line(1, 1.5), failed(2, 2), failed(3, 4, "work", "57P01"), line(4, 5.5), line(5, 6)]
    found = figures([*lines, failed(7, 6.1)], task(2), 0, 6 * SECOND, None)
    assert found.gap == Gap(1500, 5500) and found.gap.length == 4000
    assert found.workers == (Gap(1000, 5500), Gap(1500, 6000))
    assert (found.committed, found.failed, found.in_doubt, found.back) == (4, 3, 0, 2)
    assert found.errors == (("acquire", "refused", 2), ("work", "57P01", 1))


def test_an_outage_that_does_not_end_is_a_lower_bound() -> None:
    found = figures([line(0, 1), line(1, 2), failed(2, 9)], task(2), 0, 10 * SECOND, None)
    assert found.gap == Gap(2000, 10_000, open=True) and found.back == 0
    assert figures([], task(2), 0, 10 * SECOND, None).gap == Gap(0, 10_000, open=True)


def test_a_worker_that_stays_away_is_no_worker_that_is_back() -> None:
    lines = [line(2 * n, n) for n in range(1, 20)] + [line(1, 1)]
    found = figures(lines, task(2), 0, 20 * SECOND, None)
    assert found.gap.length == 1000, "the other worker wrote on"
    assert found.workers[1] == Gap(1000, 20_000, open=True) and found.back == 1


def test_a_worker_that_came_back_and_went_away_again() -> None:
    # Its longest gap is the first one, and it is away at the end all the same.
    found = figures([line(0, 1), line(0, 9), line(2, 10)], task(1), 0, 14 * SECOND, None)
    assert found.workers == (Gap(1000, 9000),) and found.back == 0


def test_a_worker_that_pauses_is_back() -> None:
    lines = [line(0, 1), line(0, 6)]
    assert figures(lines, task(1), 0, 10 * SECOND, None).back == 0
    assert figures(lines, task(1, think_ms=5000), 0, 10 * SECOND, None).back == 1


def test_rows_say_what_was_committed() -> None:
    lines = [
        line(0, 1),
        line(1, 1),
        line(2, 1, outcome="in_doubt", stage="commit", code="x"),
        line(2, 2, attempt=2),
        line(4, 3, outcome="in_doubt", stage="commit", code="x"),
        line(6, 3, outcome="in_doubt", stage="commit", code="x"),
        line(8, 4),
    ]
    # 1 is lost; 2 was repeated and committed twice; 4 was committed, 6 was not; 8 was repeated by the driver;
    # 10 was on its way at the end.
    found = judge(lines, {0: 1, 2: 2, 4: 1, 8: 2, 10: 1})
    assert found == Rows(twice=2, by_driver=1, lost=1, in_doubt_kept=1)


@given(st.lists(st.integers(0, 1000), max_size=50))
def test_gaps_cover_the_whole_time(moments: list[int]) -> None:
    found = longest(sorted(moments), 0, 1000)
    assert found.length >= 1.0 / (len(moments) + 1) - 1e-9
    assert not any(1000 * found.start < moment < 1000 * found.end for moment in moments)
    assert found.open == (found.end == 1.0 and all(moment <= 1000 * found.start for moment in moments))


def test_without_rows_nothing_is_claimed() -> None:
    document = figures([line(0, 1)], task(1), 0, SECOND, None).as_json()
    assert document["lost"] is None and document["committed_twice"] is None
    assert document["longest_gap_ms"] == pytest.approx(1000)
