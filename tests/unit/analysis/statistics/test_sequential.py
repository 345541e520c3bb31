"""Repeated intervals hold in 95 % of campaigns whenever they stop, and ordinary ones do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.statistics.means import CONFIDENCE, Summary, compare, student_t, summarise
from fivenines.analysis.statistics.sequential import all_at_level, at_level, level, look

CAMPAIGNS = 4000


def _stopped(spread: float, at_least: int, at_most: int, nominal: float, within: float) -> float:
    """Return the share of campaigns whose interval holds the true mean, each stopped as soon as it may."""
    draw = np.random.default_rng(5)
    values = 1 + spread * draw.standard_normal((CAMPAIGNS, at_most))
    n = np.arange(1, at_most + 1)
    means = values.cumsum(axis=1) / n
    looks = range(1, at_most + 1)
    spreads = np.array([values[:, :k].std(axis=1, ddof=min(1, k - 1)) for k in looks]).T
    quantiles = np.array([student_t(max(k - 1, 1), nominal) for k in looks])
    half = quantiles * spreads / np.sqrt(n)
    ends = half <= within * means
    ends[:, : at_least - 1], ends[:, -1] = False, True
    at = ends.argmax(axis=1)
    rows = np.arange(CAMPAIGNS)
    return float((np.abs(means[rows, at] - 1) <= half[rows, at]).mean())


@pytest.mark.parametrize("spread", [0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize(("at_least", "at_most"), [(2, 10), (3, 20), (5, 30)])
def test_an_interval_holds_whenever_a_campaign_stops(spread: float, at_least: int, at_most: int) -> None:
    held = _stopped(spread, at_least, at_most, level(at_least, at_most), 0.1)
    assert held >= CONFIDENCE - 0.01


def test_the_usual_interval_would_not() -> None:
    # the defect that the level is for: who stops when the usual one is narrow is wrong more often
    assert _stopped(0.1, 2, 20, CONFIDENCE, 0.1) < CONFIDENCE - 0.02


@pytest.mark.parametrize(("at_least", "at_most"), [(2, 3), (3, 20), (5, 30)])
def test_all_looks_hold_at_once_as_often_as_is_said(at_least: int, at_most: int) -> None:
    draw = np.random.default_rng(11)
    values = draw.standard_normal((CAMPAIGNS, at_most))
    nominal = level(at_least, at_most)
    held = np.ones(CAMPAIGNS, dtype=bool)
    for n in range(at_least, at_most + 1):
        some = values[:, :n]
        half = student_t(n - 1, nominal) * some.std(axis=1, ddof=1) / np.sqrt(n)
        held &= np.abs(some.mean(axis=1)) <= half
    # three times the standard error of a share of so many campaigns
    assert held.mean() == pytest.approx(CONFIDENCE, abs=0.011)


def test_it_is_narrower_than_bonferronis_and_wider_than_the_usual_one() -> None:
    assert CONFIDENCE < level(5, 20) < 1 - (1 - CONFIDENCE) / 16
    assert level(5, 5) == CONFIDENCE
    assert level(3, 20) < level(3, 100)


def test_a_mean_is_settled_by_the_wider_interval() -> None:
    values = [(value, False) for value in (95.0, 100.0, 105.0)]
    usual = summarise([value for value, _ in values])
    assert usual.ci_high is not None and usual.mean is not None
    share = (usual.ci_high - usual.mean) / usual.mean
    assert look(values, 3, 3, share, CONFIDENCE).state == "settled"
    assert look(values, 3, 3, share, level(3, 20)).state == "open"
    assert look([*values * 4], 12, 3, 0.1, level(3, 20)).state == "settled"


def test_what_is_not_back_is_never_settled() -> None:
    # the upper end of the interval is not known
    values = [(10.0, False)] * 9 + [(10.1, True)]
    result = look(values, 10, 3, 0.5, level(3, 20))
    assert (result.state, result.share, result.summary.bounds) == ("open", None, 1)


def test_trials_without_a_value_do_not_count_and_none_at_all_ends_the_cell() -> None:
    assert look([(5.0, False), (5.1, False)], 9, 3, 0.1, level(3, 20)).state == "open"
    assert look([], 2, 3, 0.1, level(3, 20)).state == "open"
    assert look([], 3, 3, 0.1, level(3, 20)).state == "not measured"


def test_values_that_are_all_equal_are_known_when_they_are_some() -> None:
    assert look([(0.0, False)] * 3, 3, 3, 0.1, level(3, 20)).state == "open"
    assert look([(0.0, False)] * 5, 5, 3, 0.1, level(3, 20)).state == "settled"


@given(st.lists(st.floats(0.1, 1e6), min_size=2, max_size=30), st.floats(0.96, 0.999), st.booleans())
def test_the_wider_interval_has_the_usual_one_in_it(values: list[float], nominal: float, bound: bool) -> None:
    usual = summarise(values, bounds=int(bound))
    wide = at_level(usual, nominal)
    assert (wide.n, wide.mean, wide.sd, wide.bounds) == (usual.n, usual.mean, usual.sd, int(bound))
    assert (usual.ci_low is None) == (wide.ci_low is None) == usual.few_equal
    if usual.ci_low is None or wide.ci_low is None:
        return
    assert wide.ci_low <= usual.ci_low + 1e-9 * abs(usual.ci_low)
    assert (wide.ci_high is None) == bound


def test_summaries_are_found_wherever_they_are() -> None:
    usual = summarise([1.0, 2.0, 3.0])
    result = all_at_level({"a": [usual, (usual, 7)], "b": "text"}, 0.99)
    wide = at_level(usual, 0.99)
    assert result == {"a": [wide, (wide, 7)], "b": "text"}


def test_a_difference_of_two_such_means_is_as_wide_as_they_are() -> None:
    a, b = summarise([10.0, 11.0, 12.0]), summarise([20.0, 21.0, 22.0])
    usual, wide = compare(a, b), compare(at_level(a, 0.99), at_level(b, 0.99))
    assert usual.low is not None and wide.low is not None and wide.low < usual.low
    # the claim is the same; it holds although both were looked at after each trial
    assert wide.confidence == usual.confidence == CONFIDENCE
    assert compare(at_level(a, 0.99), b).low == wide.low


def test_a_summary_of_nothing_stays_one() -> None:
    assert at_level(Summary(0), 0.99).mean is None
