"""Student's t test without scipy: quantiles and powers are those that scipy computes."""

import math

import pytest
from scipy import special

from fivenines.analysis.statistics import student

DEGREES = (1, 2, 3, 4, 8, 18, 99, 1999, 199_998)


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_the_quantile_is_that_of_scipy(df: int, confidence: float) -> None:
    expected = special.stdtrit(df, (1 + confidence) / 2)
    assert student.quantile(df, confidence) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("centre", [0.01, 0.3, 1.0, 2.8, 5.0, 20.0, 99.0])
def test_the_power_is_that_of_the_noncentral_t_distribution(df: int, centre: float) -> None:
    t = float(special.stdtrit(df, 0.975))
    below = special.nctdtr(df, centre, -t)
    # scipy has no answer far out in the lower tail, where there is nothing
    expected = 1 - special.nctdtr(df, centre, t) + (0.0 if math.isnan(below) else below)
    assert student.rejected(df, centre, t) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("df", DEGREES)
def test_without_a_difference_the_chance_is_that_of_a_false_alarm(df: int) -> None:
    assert student.rejected(df, 0.0, student.quantile(df, 0.95)) == pytest.approx(0.05, abs=1e-9)
