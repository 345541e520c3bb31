"""Rates of counters that may restart, holes, windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.resources.series import (
    GAP,
    Series,
    gain_between,
    gains,
    mean_between,
    rates,
    thinned,
    value_at,
)

LIVES = st.lists(st.lists(st.integers(0, 1000), min_size=1, max_size=6), min_size=1, max_size=5)


@given(LIVES)
def test_gains_are_never_negative_and_never_more_than_what_was_counted(lives: list[list[int]]) -> None:
    """Each life counts from 0; what is gained in all is at most the sum of all lives."""
    values = [float(v) for life in lives for v in np.cumsum(life)]
    result = gains(np.array(values))
    assert len(result) == len(values) - 1
    assert (result >= 0).all()
    assert result.sum() <= sum(sum(life) for life in lives) + 1e-9


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20))
def test_without_a_restart_nothing_is_lost(steps: list[int]) -> None:
    values = np.cumsum([0, *steps]).astype(float)
    assert gains(values).sum() == values[-1] - values[0]


def test_rates_are_per_second_and_break_at_holes() -> None:
    series = Series.of([0, 1000, 2000, 9000, 10000], [0, 50, 150, 10, 30])
    result = rates(series)
    assert result.t.tolist() == [1000, 2000, 9000, 10000]
    assert result.v[:2].tolist() == [50, 100]
    assert np.isnan(result.v[2])
    assert result.v[3] == 20
    assert len(rates(Series.of([5], [1]))) == 0
    # two samples at one moment tell no rate
    assert np.isnan(rates(Series.of([0, 1000, 1000], [0, 1, 2])).v[-1])


def test_samples_may_come_in_any_order() -> None:
    assert Series.of([2, 1], [20, 10]).v.tolist() == [10, 20]


def test_a_gain_of_a_window_is_interpolated_and_scaled() -> None:
    series = Series.of([0, 1000, 2000, 3000, 4000], [0, 100, 200, 300, 400])
    assert gain_between(series, 500, 2500) == pytest.approx(200)
    # the last samples reach half a second short of the window's end
    assert gain_between(series, 2500, 4500) == pytest.approx(200)
    assert gain_between(series, 3500, 5500) is None
    assert gain_between(series, 100, 100) is None
    assert gain_between(Series.of([], []), 0, 100) is None


def test_a_hole_is_no_part_of_a_window() -> None:
    series = Series.of([0, 1000, 2000, 8000, 9000], [0, 100, 200, 10, 110])
    assert gain_between(series, 0, 2500) == pytest.approx(250)


@given(st.lists(st.integers(0, 100), min_size=4, max_size=20))
def test_windows_add_up(steps: list[int]) -> None:
    t = 1000.0 * np.arange(len(steps) + 1)
    series = Series.of(t, np.cumsum([0, *steps]))
    middle = float(t[-1]) / 2
    first, second = gain_between(series, 0, middle), gain_between(series, middle, float(t[-1]))
    assert first is not None
    assert second is not None
    assert first + second == pytest.approx(sum(steps))


def test_means_and_held_values() -> None:
    series = Series.of([0, 1000, 2000], [1.0, np.nan, 4.0])
    assert mean_between(series, 0, 2001) == 2.5
    assert mean_between(series, 900, 1500) is None
    held = value_at(series, np.array([-1.0, 500.0, 2500.0, 9000.0]), 1500)
    assert np.isnan(held[[0, 3]]).all()
    assert held[[1, 2]].tolist() == [1.0, 4.0]
    assert np.isnan(value_at(Series.of([], []), np.array([1.0]), 10)).all()


@given(st.lists(st.floats(0, 1e6), max_size=500), st.integers(1, 60))
def test_thinning_keeps_the_peak(values: list[float], most: int) -> None:
    series = Series.of(range(len(values)), values)
    result = thinned(series, most)
    assert len(result) <= most
    if values:
        assert result.v.max() == max(values)


def test_thinning_keeps_what_is_unknown() -> None:
    result = thinned(Series.of(range(4), [np.nan, np.nan, 1.0, np.nan]), 2)
    assert np.isnan(result.v[0])
    assert result.v[1] == 1.0


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=40))
def test_holes_are_wider_than_the_median_distance(wide: list[float]) -> None:
    series = Series.of(np.cumsum([0.0, *wide]), np.zeros(len(wide) + 1))
    distances = np.diff(series.t)
    assert series.steps.holes.tolist() == (distances > GAP * np.median(distances)).tolist()
