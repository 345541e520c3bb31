"""The ratio from neighbouring windows: planted ratios are found, and intervals cover what they promise."""

import math
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.performance.interleaved_ratio import (
    BATCHES,
    LEAST_ROUNDS,
    STRONG,
    batches,
    memory,
    ratio_of,
)

CAMPAIGNS = 1000
LOGARITHMS = st.floats(-3, 3)
BLOCKS = st.lists(st.lists(LOGARITHMS, min_size=1, max_size=40), min_size=1, max_size=4)

Floats = npt.NDArray[np.float64]


def remembering(rng: np.random.Generator, n: int, r: float, sd: float) -> Floats:
    """Return a stationary series of the first order: each value is r times the one before, and noise."""
    noise = np.empty(n)
    noise[0] = rng.normal(0, sd)
    noise[1:] = rng.normal(0, sd * math.sqrt(1 - r * r), n)[1:]
    return decaying(n, r) @ noise


@cache
def decaying(n: int, r: float) -> Floats:
    """How much of each value's noise later values keep: a matrix, as a loop would take most of the time."""
    ages = np.subtract.outer(np.arange(n), np.arange(n))
    kept: Floats = np.where(ages >= 0, float(r) ** np.maximum(ages, 0), 0.0)
    return kept


def block(rng: np.random.Generator, rounds: int, true: float, own: float) -> Floats:
    """Return the logarithms of a block: a machine whose mood lasts, and noise of each solution's own.

    The machine's mood (spread 0.2, correlation 0.9 from window to window) meets both solutions of a round in
    random order, as in an interleaved comparison.
    """
    mood = remembering(rng, 2 * rounds, 0.9, 0.2)
    first = rng.integers(0, 2, rounds)
    places = 2 * np.arange(rounds)
    a = mood[places + first] + remembering(rng, rounds, own, 0.05)
    b = mood[places + 1 - first] + remembering(rng, rounds, own, 0.05)
    floats: Floats = math.log(true) + a - b
    return floats


@pytest.mark.parametrize(
    ("blocks", "rounds", "own"), [(1, 24, 0.0), (3, 12, 0.0), (2, 20, 0.3), (1, 100, 0.5), (5, 8, 0.3)]
)
@pytest.mark.parametrize("true", [1.0, 1.12])
def test_intervals_cover_the_planted_ratio_as_often_as_they_promise(
    blocks: int, rounds: int, own: float, true: float
) -> None:
    rng = np.random.default_rng([blocks, rounds, int(100 * true)])
    result = [ratio_of([block(rng, rounds, true, own) for _ in range(blocks)]) for _ in range(CAMPAIGNS)]
    covered = sum(item is not None and item.low <= true <= item.high for item in result)  # type: ignore[operator]
    # three standard errors of a proportion of 95 % in so many campaigns
    slack = 3 * math.sqrt(0.95 * 0.05 / CAMPAIGNS)
    assert covered / CAMPAIGNS >= 0.95 - slack
    middle = np.median([item.ratio for item in result if item is not None])
    assert middle == pytest.approx(true, rel=0.02)


def test_pairs_are_far_narrower_than_two_samples_of_the_same_windows() -> None:
    rng = np.random.default_rng(7)
    paired, apart = [], []
    for _ in range(200):
        mood_a, mood_b = remembering(rng, 24, 0.9, 0.2), remembering(rng, 24, 0.9, 0.2)
        item = ratio_of([block(rng, 24, 1.1, 0.0)])
        assert item is not None and item.low is not None and item.high is not None
        paired.append(math.log(item.high / item.low))
        two = ratio_of([mood_a - mood_b + rng.normal(0, 0.07, 24)])
        assert two is not None and two.low is not None and two.high is not None
        apart.append(math.log(two.high / two.low))
    assert np.median(paired) < np.median(apart) / 2


def test_blocks_that_came_up_differently_widen_the_interval_and_say_so() -> None:
    rng = np.random.default_rng(3)
    same = [rng.normal(0.1, 0.02, 12) for _ in range(3)]
    moved = [item + shift for item, shift in zip(same, (-0.2, 0.0, 0.2), strict=True)]
    alike, apart = ratio_of(same), ratio_of(moved)
    assert alike is not None and apart is not None
    assert not alike.apart and alike.differs
    assert apart.apart and not apart.differs
    assert apart.df == 2


def test_rounds_that_favour_one_for_long_are_not_taken_for_independent() -> None:
    rng = np.random.default_rng(11)
    result = [ratio_of([remembering(rng, 20, 0.9, 0.4) for _ in range(3)]) for _ in range(CAMPAIGNS // 2)]
    assert np.median([item.remembered for item in result if item is not None]) > STRONG
    alarms = sum(item is not None and item.differs for item in result)
    # rounds taken for independent ones would raise the alarm in more than half
    assert alarms / len(result) < 0.12


@given(BLOCKS)
def test_an_interval_holds_its_ratio_and_turns_round_with_the_pair(blocks: list[list[float]]) -> None:
    result = ratio_of(blocks)
    assert result is not None
    assert (result.rounds, result.blocks) == (sum(map(len, blocks)), len(blocks))
    assert result.ratio == pytest.approx(math.exp(np.concatenate(blocks).mean()))
    turned = ratio_of([[-value for value in block] for block in blocks])
    assert turned is not None
    inverse = result.inverse
    assert inverse.ratio == pytest.approx(turned.ratio)
    if result.low is None or result.high is None:
        assert result.rounds < LEAST_ROUNDS or result.df < 1
        assert not result.differs
        return
    assert result.low <= result.ratio * (1 + 1e-12) and result.ratio <= result.high * (1 + 1e-12)
    assert (inverse.low, inverse.high) == pytest.approx((turned.low, turned.high))


@given(BLOCKS)
def test_batches_keep_all_rounds_and_never_reach_over_a_block(blocks: list[list[float]]) -> None:
    series = [np.asarray(block) for block in blocks]
    result = batches(series)
    assert len(result) == len(series)
    for own, means in zip(series, result, strict=True):
        assert 1 <= len(means) <= len(own)
        assert own.min() - 1e-9 <= means.min() and means.max() <= own.max() + 1e-9
    rounds = sum(map(len, series))
    if rounds >= BATCHES and len(series) == 1:
        assert BATCHES <= len(result[0]) < 2 * BATCHES


@given(BLOCKS)
def test_memory_is_a_correlation_that_only_widens(blocks: list[list[float]]) -> None:
    assert 0 <= memory([np.asarray(block) for block in blocks]) <= 0.9


def test_what_cannot_be_a_logarithm_is_refused() -> None:
    assert ratio_of([]) is None
    assert ratio_of([[], []]) is None
    with pytest.raises(ValueError, match="not finite"):
        ratio_of([[0.1, math.inf]])
    with pytest.raises(ValueError, match="confidence"):
        ratio_of([[0.1]], confidence=1.0)
