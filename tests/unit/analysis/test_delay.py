"""The truth about replication delay, and verdicts on what servers say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.delay import judge, merged, truth
from fivenines.analysis.series import Series

IDS = np.array([1, 3, 5, 7])
DONE = np.array([1000, 2000, 3000, 4000])


def test_the_oldest_missing_acknowledged_write_counts() -> None:
    found = truth(np.array([5000, 5000, 5000, 2500]), [[7], [1], [0], [1]], {0: (IDS, DONE)})
    assert found.v.tolist() == [0.0, 3.0, 4.0, 0.5]
    assert found.t.tolist() == [5.0, 5.0, 5.0, 2.5]


def test_a_write_is_not_missing_before_it_is_acknowledged() -> None:
    found = truth(np.array([1500]), [[1]], {0: (IDS, DONE)})
    assert found.v.tolist() == [0.0]


def test_the_worst_client_counts() -> None:
    writes = {0: (IDS, DONE), 1: (np.array([2, 4]), np.array([1500, 2500]))}
    assert truth(np.array([4500]), [[7, 2]], writes).v.tolist() == [2.0]
    # a view of fewer clients lacks all of the others
    assert truth(np.array([4500]), [[7]], writes).v.tolist() == [3.0]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(0, 10**6))
def test_the_truth_is_at_least_0_and_at_most_the_age_of_the_first_write(
    held: list[int], t: int
) -> None:
    ids = np.arange(1, 41)
    found = truth(np.full(len(held), t), [[h] for h in held], {0: (ids, ids * 10_000)})
    assert (found.v >= 0).all()
    assert (found.v <= max(0, t - 10_000) / 1000 + 1e-9).all()
    in_order = np.argsort(held)
    assert (np.diff(found.v[in_order]) <= 1e-9).all()


TRUE = Series.of([0, 1000, 2000, 3000], [0, 1500, 3000, 0])


def test_zeros_nulls_and_exaggerations_are_counted() -> None:
    said = Series.of([100, 1100, 2100, 3100], [0, 0, np.nan, 5])
    verdict = judge(said, "s", TRUE)
    assert (verdict.samples, verdict.zero, verdict.null, verdict.over) == (4, 1, 1, 1)
    assert (verdict.zero_worst, verdict.null_worst) == (1500, 3000)
    assert verdict.told.tolist() == [0, 0, 5]
    assert verdict.misled


def test_a_distance_is_not_compared_as_time() -> None:
    verdict = judge(Series.of([100, 1100], [5000, 9000]), "transactions", TRUE)
    assert not verdict.misled
    assert judge(Series.of([1100], [0]), "B", TRUE).misled


def test_a_null_without_delay_misleads_nobody() -> None:
    verdict = judge(Series.of([100, 3100], [np.nan, np.nan]), "ms", TRUE)
    assert verdict.null == 2
    assert not verdict.misled


def test_without_the_truth_nothing_is_judged() -> None:
    nothing = Series(np.zeros(0), np.zeros(0))
    verdict = judge(Series.of([100], [0]), "s", nothing)
    assert verdict.samples == 0
    both = merged([verdict, judge(Series.of([1100], [0]), "s", TRUE)])
    assert (both.samples, both.zero) == (1, 1)
    assert both.truth.tolist() == [pytest.approx(1500)]
