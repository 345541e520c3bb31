"""Distributions of lengths, as a user writes them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.lengths import parse_lengths


@pytest.mark.parametrize(
    ("text", "shortest", "middle", "longest"),
    [
        ("fixed 1500ms", 1.5, 1.5, 1.5),
        ("uniform 1s..5s", 1.002, 3.0, 4.998),
        # -3 ln(1 - share), at shares of 0.0005, 0.5 and 0.9995.
        ("exponential 3s", 0.0015, 2.0794, 22.803),
        ("lognormal 2s..8s", 1.0, 4.0, 16.0),
        ("one of 7s, 1.5s, 2s", 1.5, 2.0, 7.0),
        ("one of 400ms", 0.4, 0.4, 0.4),
    ],
)
def test_the_lengths_of_each_distribution(text: str, shortest: float, middle: float, longest: float) -> None:
    known = parse_lengths(f" {text} ")
    assert known.text == text and list(known.seconds) == sorted(known.seconds)
    assert known.seconds[0] == pytest.approx(shortest, rel=0.01)
    assert known.seconds[len(known.seconds) // 2] == pytest.approx(middle, rel=0.01)
    assert known.longest == pytest.approx(longest, rel=0.01)


@given(low=st.floats(0.01, 100), ratio=st.floats(1.001, 100), seed=st.integers())
def test_a_drawn_length_is_one_of_them(low: float, ratio: float, seed: int) -> None:
    known = parse_lengths(f"lognormal {low:.6f}s..{low * ratio:.6f}s")
    drawn = known.drawn(Random(seed))
    assert drawn == known.drawn(Random(seed))
    assert drawn >= 0.001 and min(abs(drawn - one) for one in known.seconds) <= 0.001


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a distribution"),
        ("lognorm 2s..8s", "did you mean 'lognormal'?"),
        ("fixed", "write fixed 3s"),
        ("uniform 1s..", "write uniform 2s..8s"),
        ("uniform 2s..2s", "write the shorter length first"),
        ("exponential 0", "write one above 0"),
        ("one of", "'one' is not a distribution"),
        ("one of 1s,", "write a number and a unit"),
        ("one of 1s, 0s", "write one above 0"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_lengths(text)
    assert message in str(caught.value)
