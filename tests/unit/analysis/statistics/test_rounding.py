"""Means have the digits that their intervals leave certain."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.statistics.rounding import rounding
from fivenines.analysis.wording import THIN, bearable


@pytest.mark.parametrize(
    ("mean", "low", "high", "milli", "text"),
    [
        (911, 497, 1326, False, "900 (500 to 1 300)"),
        (1010, 385, 1630, True, "1.0 s (0.4 to 1.6 s)"),
        (1340, 963, 1710, True, "1.3 s (1.0 to 1.7 s)"),
        (18.4, 7.8, 29.1, True, "18 ms (8 to 29 ms)"),
        (0.5, 0.4, 0.6, True, "500 µs (400 to 600 µs)"),
        (0.0044, -0.001, 0.0092, False, "0.004 (0 to 0.009)"),
        (3, -50, 60, False, "3 (0 to 60)"),
        (48_115, 48_114, 48_116, False, "48 115 (48 114 to 48 116)"),
        (110, 110, 110, False, "110 (110)"),
    ],
)
def test_a_mean_is_rounded_to_what_its_interval_bears(
    mean: float, low: float, high: float, milli: bool, text: str
) -> None:
    assert bearable(mean, low, high, milli).replace(THIN, " ") == text


@given(mean=st.floats(1e-3, 1e9), low=st.floats(0, 1, exclude_max=True), high=st.floats(0.001, 5))
def test_what_is_left_out_is_less_than_the_interval(mean: float, low: float, high: float) -> None:
    ends = (mean * low, mean * (1 + high))
    result = rounding(mean, *ends)
    assert result is not None
    shown = float(result.text(mean).replace(",", ""))
    half = (ends[1] - ends[0]) / 2
    # half of the last digit that is printed, which is at most a third of the uncertainty
    assert abs(shown - mean) <= 0.15 * half + 1e-12 * mean or abs(shown - mean) <= 10**result.exponent / 2
    assert not re.search(r"e", result.text(mean))
