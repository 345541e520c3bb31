"""Verdicts on what servers say about their replication delay."""

import numpy as np
import pytest

from fivenines.analysis.replication.lag import judge, merged
from fivenines.analysis.resources.series import Series

TRUE = Series.of([0, 1000, 2000, 3000], [0, 1500, 3000, 0])


def test_zeros_nulls_and_exaggerations_are_counted() -> None:
    reported = Series.of([100, 1100, 2100, 3100], [0, 0, np.nan, 5])
    verdict = judge(reported, "s", TRUE)
    assert (verdict.samples, verdict.zero, verdict.null, verdict.over) == (4, 1, 1, 1)
    # a whole second may be missing from a figure of whole seconds
    assert verdict.under == 0
    assert judge(Series.of([2100], [1]), "s", TRUE).under == 1
    assert judge(Series.of([1100, 2100], [499, 2001]), "ms", TRUE).under == 1
    assert (verdict.zero_worst, verdict.null_worst) == (1500, 3000)
    assert verdict.reported.tolist() == [0, 0, 5]
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
