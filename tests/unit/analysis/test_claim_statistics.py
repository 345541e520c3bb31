"""Holm, contrasts, lines, shares, quotients and sets of the best, against other ways to compute them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fivenines.analysis.statistics.contrasts import contrast
from fivenines.analysis.statistics.equivalence import same
from fivenines.analysis.statistics.holm import adjusted
from fivenines.analysis.statistics.means import Summary, compare, of_moments, summarise
from fivenines.analysis.statistics.peaks import may_be_best
from fivenines.analysis.statistics.quotients import Quotient
from fivenines.analysis.statistics.shares import of_summaries, of_trials
from fivenines.analysis.statistics.sides import side, smallest_error
from fivenines.analysis.statistics.trend import Point, falling_step, line, ordered

A, B = [10.0, 12.0, 11.0, 9.5], [20.0, 24.0, 21.0]


def summary(mean: float, cov: float = 0.05, n: int = 10) -> Summary:
    return of_moments(n, mean, cov * mean)


# --- Holm ------------------------------------------------------------------------------------------


def test_holm_by_the_example_of_a_textbook() -> None:
    # 0.01, 0.04, 0.03, 0.005: 4 x 0.005, 3 x 0.01, 2 x 0.03, and never less than the one before
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([]) == [] and adjusted([0.9, 0.9]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_between_none_and_bonferroni_and_keeps_the_order(errors: list[float]) -> None:
    result = adjusted(errors)
    for error, after in zip(errors, result, strict=True):
        assert error <= after <= min(1.0, len(errors) * error) + 1e-12
    for (a, x), (b, y) in itertools.combinations(zip(errors, result, strict=True), 2):
        assert a >= b or x <= y


# --- contrasts -------------------------------------------------------------------------------------


def test_a_contrast_of_two_is_welchs_difference() -> None:
    result, known = (contrast([summarise(B), summarise(A)], [1, -1]), compare(summarise(B), summarise(A)))
    assert (result.estimate, result.low, result.high) == pytest.approx(
        (known.absolute, known.low, known.high)
    )


def test_a_contrast_of_one_is_students_interval() -> None:
    low, high = stats.t.interval(0.95, 3, np.mean(A), stats.sem(A))
    result = contrast([summarise(A)], [1])
    assert (result.low, result.high) == pytest.approx((low, high))


def test_bounds_open_the_end_that_they_could_move() -> None:
    open_, closed = summarise(B, bounds=1), summarise(A)
    more, less = contrast([open_, closed], [1, -1]), contrast([closed, open_], [1, -1])
    assert more.low is not None and more.high is None and more.estimate is None
    assert less.high is not None and less.low is None
    both = contrast([open_, open_], [1, -1])
    assert (both.low, both.high) == (None, None)
    assert contrast([open_, closed], [0, 1]).high is not None  # it has no part in it


def test_no_spread_of_few_values_is_no_interval() -> None:
    assert contrast([summarise([2.0] * 4)], [1]).low is None
    assert contrast([summarise([2.0] * 5)], [1]).low == 2.0
    assert contrast([Summary(1, 2.0), summarise(A)], [1, 1]).low is None
    assert contrast([Summary(0)], [1]).estimate is None


# --- trends ----------------------------------------------------------------------------------------


def points(means: list[float], xs: list[float] | None = None, cov: float = 0.05) -> list[Point]:
    where = xs or [float(index) for index in range(len(means))]
    return [Point(x, summary(mean, cov)) for x, mean in zip(where, means, strict=True)]


@pytest.mark.parametrize("means", [[10, 20], [10, 20, 30], [10, 20, 30, 40, 50]])
def test_the_rise_of_a_straight_line_is_last_minus_first(means: list[float]) -> None:
    assert ordered(points(means)).estimate == pytest.approx(means[-1] - means[0])


def test_a_step_falls_only_beyond_the_margin() -> None:
    assert falling_step(points([100, 50, 100]), 0.05, 0.95) is not None
    assert falling_step(points([100, 97, 100], cov=0.001), 0.05, 0.95) is None
    assert falling_step(points([100, 90, 100], cov=0.5), 0.05, 0.95) is None


def test_a_line_is_that_of_weighted_least_squares() -> None:
    xs, means = [0.0, 1.0, 10.0, 100.0], [5.0, 24.0, 190.0, 1950.0]
    result = line(points(means, xs))
    assert result is not None
    # numpy weighs the deviations, not their squares
    slope, start = np.polyfit(xs, means, 1, w=1 / np.array(means))
    assert result.slope().estimate == pytest.approx(slope)
    assert result.fitted() == pytest.approx([start + slope * x for x in xs])


def test_near_a_line_is_told_like_sameness() -> None:
    straight = line(points([100, 200, 300, 400], cov=0.02))
    bent = line(points([100, 400, 300, 400], cov=0.02))
    vague = line(points([100, 200, 300, 400], cov=0.8))
    assert straight is not None and bent is not None and vague is not None
    assert all(straight.near(index, 0.1, 0.95) for index in range(4))
    low = line(points([100, 120, 300, 400], cov=0.02))
    assert low is not None and low.near(1, 0.1, 0.95) is False
    assert bent.near(1, 0.1, 0.95) is False
    assert vague.near(1, 0.1, 0.95) is None


def test_no_line_of_one_place_or_of_a_mean_of_zero() -> None:
    assert line(points([1, 2], [3.0, 3.0])) is None
    assert line([Point(0, of_moments(5, 0, 1)), Point(1, summary(2))]) is None


# --- sets ------------------------------------------------------------------------------------------


def test_those_that_cannot_be_told_from_the_best_stay() -> None:
    samples = {"a": summary(100), "b": summary(98), "c": summary(60)}
    assert may_be_best(samples, more=True, confidence=0.95) == ["a", "b"]
    assert may_be_best(samples, more=False, confidence=0.95) == ["c"]
    vague = samples | {"c": Summary(1, 60.0)}
    assert may_be_best(vague, more=True, confidence=0.95) == ["a", "b", "c"]


def test_a_few_equal_values_leave_nobody_out() -> None:
    samples = {"a": summarise([2.0, 2.0]), "b": summarise([1.0, 1.0])}
    assert may_be_best(samples, more=True, confidence=0.95) == ["a", "b"]


# --- shares ----------------------------------------------------------------------------------------


def test_a_share_is_beyond_a_limit_where_the_t_test_of_the_differences_is() -> None:
    chance = np.random.default_rng(3)
    whole = chance.normal(8, 2, 9)
    part = 0.7 * whole + chance.normal(0, 0.5, 9)
    pairs = list(zip(part.tolist(), whole.tolist(), strict=True))
    trials = of_trials(summarise(part.tolist()), summarise(whole.tolist()), pairs)
    interval = trials.interval()
    assert interval.low is not None and interval.high is not None
    for share in (0.5, interval.low, 0.7, interval.high, 0.9):
        p = stats.ttest_1samp(part - share * whole, 0).pvalue
        shown = trials.beyond(share) is not None
        assert shown == (p < 0.05) or p == pytest.approx(0.05)
    for end in (interval.low, interval.high):
        assert stats.ttest_1samp(part - end * whole, 0).pvalue == pytest.approx(0.05)


def test_without_trials_a_share_is_less_sure() -> None:
    part, whole = summarise([6.0, 7.0, 5.0, 8.0]), summarise([8.0, 9.5, 6.5, 10.5])
    pairs = [(6.0, 8.0), (7.0, 9.5), (5.0, 6.5), (8.0, 10.5)]
    paired, bare = of_trials(part, whole, pairs).interval(), of_summaries(part, whole).interval()
    assert paired.low and paired.high and bare.low and bare.high
    assert bare.low < paired.low < paired.high < bare.high


# --- quotients -------------------------------------------------------------------------------------


def test_a_ratio_of_ratios_is_the_difference_of_logarithms() -> None:
    result = Quotient(summary(140), summary(110), summary(100), summary(100)).interval()
    error = math.sqrt(4 * 0.05**2 / 10)
    half = stats.t.ppf(0.975, 36) * error
    assert result.estimate == pytest.approx(1.4 / 1.1)
    assert (result.low, result.high) == pytest.approx(
        (1.4 / 1.1 * math.exp(-half), 1.4 / 1.1 * math.exp(half))
    )


def test_bounds_of_a_ratio_of_ratios() -> None:
    open_, closed = summarise(B, bounds=1), summarise(A)
    assert Quotient(open_, closed, closed, closed).interval().high is None
    assert Quotient(closed, closed, open_, closed).interval().low is None
    assert Quotient(closed, open_, closed, closed).interval().low is None
    assert Quotient(closed, closed, closed, open_).interval().high is None


def test_two_one_sided_tests_agree_with_those_of_scipy() -> None:
    chance = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        a, b = chance.normal(100, 8, 10), chance.normal(chance.uniform(90, 112), 8, 10)
        shown = same(Quotient(summarise(a.tolist()), summarise(b.tolist())), 0.2)
        tests = [
            stats.ttest_ind(x, 1.2 * y, equal_var=False, alternative="less").pvalue
            for x, y in ((a, b), (b, a))
        ]
        worst = max(tests)
        if abs(worst - 0.025) > 0.01:  # Fieller's degrees of freedom differ a little from Welch's
            assert (shown is True) == (worst < 0.025)
            seen.add(shown)
    assert seen >= {True, None}


def test_the_smallest_error_is_the_p_value() -> None:
    a, b = summarise(A), summarise(B)
    p = stats.ttest_ind(A, B, equal_var=False).pvalue
    result = smallest_error(lambda level: Quotient(b, a).more_than(1, level) is True, 0.05)
    assert result == pytest.approx(p, rel=1e-3)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(1.0, 2.0, "above"), (None, 0.5, "below"), (0.5, None, None), (None, None, None), (0, 2, None)],
)
def test_the_side_of_a_limit(low: float | None, high: float | None, text: str | None) -> None:
    assert side(low, high, 1.0) == text
