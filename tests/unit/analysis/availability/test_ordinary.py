"""The ordinary length of gaps: its quantiles are NumPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.ordinary import FEW, ordinary_ms, quantile

VALUES = st.lists(st.floats(0, 1e9), min_size=1, max_size=200)


@given(VALUES, st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_quantiles_are_those_of_numpy_to_the_bit(values: list[float], share: float) -> None:
    ordered = np.sort(np.array(values))
    assert quantile(ordered, share) == float(np.quantile(ordered, share))


@given(VALUES)
def test_no_gap_is_ordinary_that_is_longer_than_the_longest(values: list[float]) -> None:
    ordinary = ordinary_ms(values)
    assert ordinary <= max(values)
    if len(values) < FEW:
        assert ordinary == max(values)


def test_without_gaps_nothing_is_ordinary() -> None:
    assert ordinary_ms([]) == 0.0
