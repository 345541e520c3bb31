"""Intervals of percentiles hold as often as promised, and say nothing with too few trials."""

import math
import random

import pytest

from fivenines.analysis.statistics.quantiles import quantile_bounds, ratio_bounds, trials_for_bounds


def _known(values: list[float]) -> list[tuple[float, bool]]:
    return [(value, False) for value in values]


def test_the_upper_end_of_a_95th_percentile_takes_72_trials() -> None:
    values = _known([float(n) for n in range(72)])
    assert quantile_bounds(values, 0.95, 0.95)[1] == 71.0
    assert quantile_bounds(values[:71], 0.95, 0.95)[1] is None
    assert quantile_bounds([], 0.5, 0.95) == (None, None)


def test_a_lower_bound_never_gives_an_upper_end() -> None:
    ten = [float(n) for n in range(10)]
    low, high = quantile_bounds(_known(ten), 0.5, 0.95)
    assert (low, high) == (1.0, 8.0)
    censored = [(value, value == 0.0) for value in ten]
    assert quantile_bounds(censored, 0.5, 0.95) == (1.0, 9.0)
    two = [(value, value < 2.0) for value in ten]
    assert quantile_bounds(two, 0.5, 0.95) == (1.0, None)


@pytest.mark.parametrize(("share", "n"), [(0.5, 12), (0.9, 60)])
def test_the_interval_of_a_ratio_holds_as_often_as_promised(share: float, n: int) -> None:
    rng = random.Random(f"quantiles {share}")
    truth, held, campaigns = 1.4, 0, 600
    for _ in range(campaigns):
        before = _known([rng.lognormvariate(0, 0.5) for _ in range(n)])
        after = _known([truth * rng.lognormvariate(0, 0.5) for _ in range(n)])
        low, high = ratio_bounds(after, before, share, 0.95)
        held += (low or 0.0) <= truth <= (high or math.inf)
    # 570 are promised; chance takes at most 16 of them in 999 of 1000 tests
    assert held >= 554


def test_enough_trials_are_enough_and_one_less_is_not() -> None:
    for share in (0.5, 0.9, 0.95):
        n = trials_for_bounds(share, 0.95)
        values = _known([1.0 + k for k in range(n)])
        assert None not in ratio_bounds(values, values, share, 0.95)
        assert None in ratio_bounds(values[:-1], values[:-1], share, 0.95)
