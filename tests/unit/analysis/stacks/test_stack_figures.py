"""Figures of client stacks from planted transactions."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.stacks.figures import Attempt, Figures, Gap, Rows, figures, judge, longest

SECOND = 1_000_000


def of(attempts: Sequence[Attempt], workers: int, seconds: float, pause_ms: float = 100) -> Figures:
    """Return the figures of the first seconds, without rows."""
    return figures(attempts, workers, pause_ms, 0, round(seconds * SECOND), None)


def line(n: int, end: float, **changes: Any) -> Attempt:
    """Return a committed transaction of worker n modulo 2 that ended at this second."""
    plain = Attempt(n % 2, n, 1, 0, round(end * SECOND), "committed", "release", "")
    return plain._replace(**changes)


def failed(n: int, end: float, stage: str = "acquire", code: str = "refused") -> Attempt:
    return line(n, end, outcome="failed", stage=stage, code=code)


def test_an_outage_is_the_longest_time_without_a_commit() -> None:
    lines = [line(0, 1), line(1, 1.5), failed(2, 2), failed(3, 4, "work", "57P01"), line(4, 5.5), line(5, 6)]
    found = of([*lines, failed(7, 6.1)], 2, 6.2)
    assert found.gap == Gap(1500, 5500) and found.gap.length == 4000
    assert found.workers == (Gap(1000, 5500), Gap(1500, 6000))
    assert (found.committed, found.failed, found.in_doubt, found.back) == (4, 3, 0, 2)
    assert found.errors == (("acquire", "refused", 2), ("work", "57P01", 1))


def test_an_outage_that_does_not_end_is_a_lower_bound() -> None:
    found = of([line(0, 1), line(1, 2), failed(2, 9)], 2, 10)
    assert found.gap == Gap(2000, 10_000, open=True) and found.back == 0
    assert of([], 2, 10).gap == Gap(0, 10_000, open=True)


def test_a_worker_that_stays_away_is_no_worker_that_is_back() -> None:
    lines = [line(2 * n, n) for n in range(1, 20)] + [line(1, 1)]
    found = of(lines, 2, 20)
    assert found.gap.length == 1000, "the other worker wrote on"
    assert found.workers[1] == Gap(1000, 20_000, open=True) and found.back == 1


def test_a_worker_that_came_back_and_went_away_again() -> None:
    # Its longest gap is the first one, and it is away at the end all the same.
    found = of([line(0, 1), line(0, 9), line(2, 10)], 1, 14)
    assert found.workers == (Gap(1000, 9000),) and found.back == 0


def test_a_worker_that_pauses_is_back() -> None:
    lines = [line(0, 1), line(0, 6)]
    assert of(lines, 1, 10).back == 0
    assert of(lines, 1, 10, pause_ms=5000).back == 1


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


def test_an_attempt_that_was_running_at_the_end_may_have_left_a_row() -> None:
    lines = [line(0, 1), line(1, 2, outcome="in_doubt", stage="commit", code="x")]
    # the blind retry of 1 was committed, and the program ended before it could report that
    assert judge(lines, {0: 1, 1: 2}) == Rows(twice=1, by_driver=0, lost=0, in_doubt_kept=1)
    # the first attempt of 2 was running, and an attempt inserts one row
    assert judge(lines, {0: 1, 1: 3, 2: 2}) == Rows(twice=2, by_driver=2, lost=0, in_doubt_kept=1)
    # 0 was acknowledged and is not tried again
    assert judge(lines, {0: 2}).by_driver == 1


@given(st.lists(st.integers(0, 1000), max_size=50))
def test_gaps_cover_the_whole_time(moments: list[int]) -> None:
    found = longest(sorted(moments), 0, 1000)
    assert found.length >= 1.0 / (len(moments) + 1) - 1e-9
    assert not any(1000 * found.start < moment < 1000 * found.end for moment in moments)
    assert found.open == (found.end == 1.0 and all(moment <= 1000 * found.start for moment in moments))


def test_without_rows_nothing_is_claimed() -> None:
    document = of([line(0, 1)], 1, 1).as_json()
    assert document["lost"] is None and document["committed_twice"] is None
    assert document["longest_gap_ms"] == pytest.approx(1000)
