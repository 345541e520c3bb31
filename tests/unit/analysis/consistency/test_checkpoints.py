"""The lag of the global checkpoint: a saw's tooth whose peak is what the loss of all data nodes would
take."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.consistency.checkpoints import lag_between, lag_of


def test_it_grows_from_what_a_checkpoint_takes_to_that_and_the_distance_of_two() -> None:
    line = lag_of([1000, 3000, 5000], [100, 100, 100], 6000)
    assert line.v.tolist() == [100, 2100, 100, 2100, 100, 1100]
    result = lag_between(line, 1000, 5000)
    assert result is not None
    assert result.max == pytest.approx(2100) and result.mean == pytest.approx(1100, rel=1e-3)


def test_where_none_completes_any_more_it_goes_on_growing() -> None:
    result = lag_between(lag_of([1000], [50], 9000), 0, 9000)
    assert result is not None and result.max == 8050


def test_what_is_not_known_has_no_lag() -> None:
    assert lag_between(lag_of([], [], 9000), 0, 9000) is None
    assert lag_between(lag_of([5000], [50], 9000), 0, 4000) is None


@given(st.lists(st.tuples(st.floats(1, 5000), st.floats(0, 1)), min_size=2, max_size=20), st.floats(0, 1000))
def test_the_largest_lag_is_the_longest_way_from_a_start_to_the_next_end(
    steps: list[tuple[float, float]], more: float
) -> None:
    completed = np.cumsum([step for step, _ in steps]).tolist()
    took = [step * share for step, share in steps]
    end = completed[-1] + more
    result = lag_between(lag_of(completed, took, end), completed[0], end)
    begun = [t - ms for t, ms in zip(completed, took, strict=True)]
    reached = [*completed[1:], end]
    assert result is not None
    assert result.max == pytest.approx(max(t - b for b, t in zip(begun, reached, strict=True)), abs=0.1)
