"""Power: what is promised is what simulated experiments tell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.performance.interleaved_ratio import ratio_of
from fivenines.analysis.statistics import power
from fivenines.analysis.statistics.means import compare, summarise

CAMPAIGNS = 1000
# Four standard errors of a share of so many campaigns, at most.
SLACK = 4 * math.sqrt(0.25 / CAMPAIGNS)


def lognormal(rng: np.random.Generator, mean: float, cov: float, n: int) -> list[float]:
    sd = math.sqrt(math.log1p(cov**2))
    return list(mean * np.exp(rng.normal(-sd * sd / 2, sd, n)))


@pytest.mark.parametrize(
    ("n", "difference", "cov"), [(3, 0.5, 0.2), (10, 0.15, 0.2), (10, 0.3, 0.2), (20, 0.1, 0.1)]
)
def test_trials_tell_a_difference_as_often_as_promised(n: int, difference: float, cov: float) -> None:
    rng = np.random.default_rng([n, int(100 * difference)])
    shown = sum(
        compare(
            summarise(lognormal(rng, 1 + difference, cov, n)), summarise(lognormal(rng, 1, cov, n))
        ).differs
        for _ in range(CAMPAIGNS)
    )
    # with three trials Welch's degrees of freedom are uncertain themselves
    allowance = SLACK + (0.08 if n < 5 else 0.02)
    assert shown / CAMPAIGNS == pytest.approx(power.power_of_two(difference, cov, n), abs=allowance)


@pytest.mark.parametrize(("n", "difference", "sd"), [(12, 0.1, 0.1), (24, 0.05, 0.1)])
def test_rounds_tell_a_difference_as_often_as_the_t_test_of_their_logarithms(
    n: int, difference: float, sd: float
) -> None:
    rng = np.random.default_rng([n, 5])
    shift = math.log1p(difference)
    result = [summarise(list(rng.normal(shift, sd, n))) for _ in range(CAMPAIGNS)]
    shown = sum(item.ci_low is not None and item.ci_low > 0 for item in result)
    assert shown / CAMPAIGNS == pytest.approx(power.power_of_pairs(difference, sd, n), abs=SLACK)
    # the interval of an interleaved comparison allows for memory between batches, which costs some of it
    blocks = sum(
        item is not None and item.differs
        for item in (ratio_of([list(rng.normal(shift, sd, n))]) for _ in range(CAMPAIGNS))
    )
    assert blocks / CAMPAIGNS > 0.6 * shown / CAMPAIGNS


@given(st.floats(0.01, 1.0), st.integers(2, 200))
def test_the_smallest_difference_is_told_with_the_promised_chance(spread: float, n: int) -> None:
    two = power.detectable_by_two(spread, n)
    pairs = power.detectable_by_pairs(spread, n)
    assert two is not None and pairs is not None
    if two < 1e5:
        assert power.power_of_two(two, spread, n) == pytest.approx(power.POWER, abs=1e-3)
    if pairs < 1e5:
        assert power.power_of_pairs(pairs, spread, n) == pytest.approx(power.POWER, abs=1e-3)
    # pairs have half the variance, but also half the degrees of freedom: with two or three that costs more
    assert n < 4 or pairs <= two


@given(st.floats(0.01, 1.0), st.sampled_from([0.05, 0.1, 0.2]))
def test_the_number_that_is_needed_is_the_smallest_that_suffices(spread: float, difference: float) -> None:
    for fewest, chance in (
        (power.trials_for(difference, spread), power.power_of_two),
        (power.pairs_for(difference, spread), power.power_of_pairs),
    ):
        assert fewest is not None and fewest >= 2
        assert chance(difference, spread, fewest) >= power.POWER
        assert fewest == 2 or chance(difference, spread, fewest - 1) < power.POWER


def test_ten_trials_do_not_tell_fifteen_per_cent_of_what_spreads_by_a_fifth() -> None:
    assert power.power_of_two(0.15, 0.2, 10) < 0.4
    assert power.detectable_by_two(0.2, 1) is None
    assert power.trials_for(0.0001, 1.0) is None
