"""Means and differences against scipy, and their behaviour at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fivenines.analysis.statistics.means import Summary, compare, never_upper_bound, student_t, summarise

finite = st.floats(-1e6, 1e6)
samples = st.lists(finite, min_size=2, max_size=30)
spread_samples = samples.filter(lambda values: np.std(values) > 1e-3)


@given(spread_samples, st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_is_that_of_scipy(values: list[float], confidence: float) -> None:
    summary = summarise(values, confidence)
    low, high = stats.t.interval(confidence, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    tolerance = 1e-9 * (1 + max(map(abs, values)))
    assert summary.ci_low == pytest.approx(low, abs=tolerance)
    assert summary.ci_high == pytest.approx(high, abs=tolerance)
    assert summary.sd == pytest.approx(np.std(values, ddof=1), rel=1e-6)


def test_published_quantile_for_30_trials() -> None:
    # Mohsen (2020) takes t = 2.042, that of 30 degrees of freedom
    assert student_t(30) == pytest.approx(2.042, abs=5e-4)


def test_coefficient_of_variation() -> None:
    summary = summarise([8.0, 10.0, 12.0])
    assert (summary.n, summary.mean, summary.sd, summary.cov) == (3, 10.0, 2.0, 0.2)
    assert summarise([-1.0, 1.0]).cov is None
    assert summarise([-8.0, -12.0]).cov == pytest.approx(math.sqrt(8) / 10)


def test_few_values() -> None:
    assert summarise([]) == Summary(0)
    item = summarise([5.0])
    assert (item.mean, item.sd, item.ci_low, item.ci_high) == (5.0, None, None, None)


def test_no_variance_gives_an_interval_of_width_zero_if_the_values_are_not_few() -> None:
    summary = summarise([3.0] * 5)
    assert (summary.sd, summary.ci_low, summary.ci_high) == (0.0, 3.0, 3.0)
    # Times are rounded to slots of 20 ms: three equal ones have a spread that is not seen.
    few = summarise([3.0] * 3)
    assert (few.mean, few.sd, few.ci_low, few.ci_high) == (3.0, 0.0, None, None)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_was_not_measured_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="leave out values that were not measured"):
        summarise([1.0, value])


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        summarise([1.0, 2.0], confidence)


@given(spread_samples, spread_samples)
def test_difference_is_welchs(a: list[float], b: list[float]) -> None:
    difference = compare(summarise(a), summarise(b))
    expected = stats.ttest_ind(a, b, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert difference.df == pytest.approx(expected.df, rel=1e-6)
    assert difference.low == pytest.approx(interval.low, rel=1e-6, abs=1e-5)
    assert difference.high == pytest.approx(interval.high, rel=1e-6, abs=1e-5)


@given(spread_samples, spread_samples)
def test_difference_is_antisymmetric(a: list[float], b: list[float]) -> None:
    forth, back = compare(summarise(a), summarise(b)), compare(summarise(b), summarise(a))
    assert forth.differs == back.differs
    assert back.high is not None
    assert forth.low == pytest.approx(-back.high, rel=1e-9, abs=1e-9)


@given(
    st.lists(st.floats(10, 20), min_size=3, max_size=20), st.lists(st.floats(10, 20), min_size=3, max_size=20)
)
def test_ratio_agrees_with_difference(a: list[float], b: list[float]) -> None:
    difference = compare(summarise(a), summarise(b))
    if difference.ratio_low is None or difference.ratio_high is None:
        return
    assert difference.low is not None
    assert difference.high is not None
    if min(abs(difference.low), abs(difference.high)) > 1e-6:  # not on the edge itself
        outside = difference.ratio_low > 1 or difference.ratio_high < 1
        assert outside == difference.differs


def test_fieller_covers_the_true_ratio() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(400):
        a, b = rng.normal(120, 10, 5), rng.normal(100, 10, 5)
        difference = compare(summarise(a.tolist()), summarise(b.tolist()))
        assert difference.ratio_low is not None
        assert difference.ratio_high is not None
        covered += difference.ratio_low <= 1.2 <= difference.ratio_high
    assert 0.92 <= covered / 400 <= 0.985


def test_ratio_has_no_interval_if_the_divisor_may_be_zero() -> None:
    difference = compare(summarise([10.0, 11.0]), summarise([-1.0, 2.0]))
    assert difference.ratio is not None
    assert (difference.ratio_low, difference.ratio_high) == (None, None)


def test_too_few_to_compare() -> None:
    difference = compare(summarise([1.0]), summarise([1.0, 2.0]))
    assert (difference.absolute, difference.known, difference.differs) == (-0.5, False, False)
    assert compare(summarise([]), summarise([1.0])).absolute is None


def test_two_samples_without_variance() -> None:
    same = compare(summarise([2.0] * 5), summarise([2.0] * 5))
    assert (same.low, same.high, same.differs) == (0.0, 0.0, False)
    apart = compare(summarise([3.0] * 5), summarise([2.0] * 5))
    assert (apart.low, apart.high, apart.differs) == (1.0, 1.0, True)
    few = compare(summarise([3.0, 3.0]), summarise([2.0] * 5))
    assert (few.absolute, few.low, few.high, few.differs) == (1.0, None, None, False)


def test_upper_bound_of_what_was_never_seen() -> None:
    assert never_upper_bound(3) == pytest.approx(0.6316, abs=1e-4)
    exact = stats.binomtest(0, 29).proportion_ci(0.90, "exact").high  # two-sided 90 = one-sided 95
    assert never_upper_bound(29) == pytest.approx(exact)
    with pytest.raises(ValueError, match="at least one trial"):
        never_upper_bound(0)
