"""The machine as a block: by hand, against the paired t test, and how often intervals hold the truth."""

import statistics as plain
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from simulated import Campaign, Random, inside, require_at_least, require_exact

from fivenines.analysis.statistics import blocked
from fivenines.analysis.statistics.means import Difference, Summary, compare, of_two_runs, scaled, summarise

FACTORS = {"fast": 1.4, "usual": 1.0, "slow": 0.55, "odd": 0.8}


def _of(values: Sequence[tuple[str, float]]) -> Summary:
    return summarise([value for _, value in values], machines=[machine for machine, _ in values])


def test_one_trial_on_each_machine_is_the_paired_t_test() -> None:
    a, b = [140.0, 101.0, 56.0, 83.0], [120.0, 90.0, 50.0, 70.0]
    result = compare(_of(list(zip(FACTORS, a, strict=True))), _of(list(zip(FACTORS, b, strict=True))))
    expected = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert result.df == 3
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high))
    assert result.absolute == pytest.approx(plain.fmean(a) - plain.fmean(b))


def test_unbalanced_cells_are_compared_within_machines() -> None:
    # a had the slow machine more often; on each machine it is faster by 10
    a = _of([("fast", 110.0), ("slow", 60.0), ("slow", 61.0), ("slow", 59.0)])
    b = _of([("fast", 100.0), ("fast", 101.0), ("fast", 99.0), ("slow", 50.0)])
    assert (a.mean or 0) < (b.mean or 0)
    result = compare(a, b)
    assert result.absolute == pytest.approx(10.0) and result.low is not None and result.low > 0
    assert result.ratio is not None and result.ratio > 1
    assert result.ratio_low is not None and result.ratio_low > 1


def test_what_no_machine_has_both_of_is_not_compared() -> None:
    result = compare(_of([("one", 1.0), ("one", 2.0)]), _of([("two", 5.0), ("two", 6.0)]))
    assert not result.known and not result.differs
    apart = compare(*of_two_runs(result.a, result.b))
    assert apart.known


def test_one_machine_alone_is_no_block() -> None:
    values = [3.0, 4.0, 6.0], [5.0, 5.5, 9.0]
    alone = compare(*(_of([("here", value) for value in some]) for some in values))
    usual = compare(*map(summarise, values))
    assert (alone.low, alone.high, alone.df) == (usual.low, usual.high, usual.df)


def test_another_unit_changes_no_ratio() -> None:
    a = _of([("one", 3.0), ("two", 5.0), ("one", 3.5)])
    b = _of([("one", 2.0), ("two", 4.0), ("two", 4.5)])
    result, milli = compare(a, b), compare(scaled(a, 1000.0), scaled(b, 1000.0))
    assert (milli.ratio, milli.ratio_low) == pytest.approx((result.ratio, result.ratio_low))


def test_lower_bounds_leave_an_end_open() -> None:
    values = [("one", 3.0), ("two", 5.0), ("one", 3.5), ("two", 5.5)]
    bounded = summarise([value for _, value in values], bounds=1, machines=[machine for machine, _ in values])
    result = compare(bounded, _of([("one", 2.0), ("two", 4.0), ("two", 4.4)]))
    assert result.low is not None and result.high is None and result.ratio_high is None


VALUES = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.floats(1.0, 1000.0)), min_size=2, max_size=12
)


@given(VALUES, VALUES)
def test_the_interval_of_the_ratio_excludes_1_as_that_of_the_difference_excludes_0(
    first: list[tuple[str, float]], second: list[tuple[str, float]]
) -> None:
    result = compare(_of(first), _of(second))
    if result.low is None or result.high is None or result.ratio_low is None or result.absolute is None:
        return
    assert result.low <= result.absolute <= result.high
    near = min(abs(result.low), abs(result.high)) < 1e-6 * max(value for _, value in first + second)
    assert near or (result.ratio_low > 1 or (result.ratio_high or 0) < 1) == result.differs


@given(VALUES, VALUES, st.floats(0.5, 2.0))
def test_a_machine_that_is_slower_by_an_amount_changes_no_difference(
    first: list[tuple[str, float]], second: list[tuple[str, float]], by: float
) -> None:
    def moved(values: list[tuple[str, float]]) -> list[tuple[str, float]]:
        return [(machine, value + 100 * by * (machine == "b")) for machine, value in values]

    result, later = blocked.moments(first, second), blocked.moments(moved(first), moved(second))
    if result is None or later is None:
        assert result is later
        return
    assert later.a - later.b == pytest.approx(result.a - result.b, abs=1e-6)

    def spread(one: blocked.Moments) -> float:
        return one.var_a + one.var_b - 2 * one.cov

    assert spread(later) == pytest.approx(spread(result), rel=1e-6, abs=1e-5)


# --- coverage, with machine effects --------------------------------------------------------------------


def _sample(chance: Random, mean: float, share: dict[str, int]) -> Summary:
    return _of(
        [
            (machine, mean * FACTORS[machine] * chance.normal(1, 0.05))
            for machine, n in share.items()
            for _ in range(n)
        ]
    )


def _ratio(a: dict[str, int], b: dict[str, int]) -> Campaign:
    def campaign(chance: Random) -> bool:
        found = compare(_sample(chance, 1100.0, a), _sample(chance, 1000.0, b))
        # no ends: b may be 0, as far as so few machines can tell
        return found.ratio_low is None or inside(1.1, found.ratio_low, found.ratio_high)

    return campaign


def _difference(a: dict[str, int], b: dict[str, int]) -> Campaign:
    """Machines that add the same to both; errors alike."""

    def sample(chance: Random, mean: float, share: dict[str, int]) -> Summary:
        return _of(
            [
                (machine, mean + 500 * FACTORS[machine] + chance.normal(0, 40))
                for machine, n in share.items()
                for _ in range(n)
            ]
        )

    def campaign(chance: Random) -> bool:
        found = compare(sample(chance, 1100.0, a), sample(chance, 1000.0, b))
        return inside(100.0, found.low, found.high)

    return campaign


BALANCED = {"fast": 2, "usual": 2, "slow": 2}
UNLIKE = ({"fast": 1, "usual": 3, "slow": 4}, {"fast": 4, "usual": 2, "slow": 1})
SHARES = [
    ({"fast": 1, "slow": 1, "usual": 1}, {"fast": 1, "slow": 1, "usual": 1}),
    (BALANCED, BALANCED),
    UNLIKE,
    ({"fast": 3, "slow": 1}, {"slow": 2, "usual": 4}),
]


@pytest.mark.parametrize(("a", "b"), SHARES)
def test_the_difference_is_covered_as_promised(a: dict[str, int], b: dict[str, int]) -> None:
    require_exact(_difference(a, b))


@pytest.mark.parametrize(("a", "b"), SHARES)
def test_the_ratio_is_covered_as_promised(a: dict[str, int], b: dict[str, int]) -> None:
    require_at_least(_ratio(a, b))


def test_without_blocks_unlike_shares_mislead() -> None:
    """What these tests would say of the comparison without blocks."""

    def campaign(chance: Random) -> bool:
        a, b = (_sample(chance, mean, share) for mean, share in zip((1100.0, 1000.0), UNLIKE, strict=True))
        found = compare(*(summarise([value for _, value in item.machines]) for item in (a, b)))
        return inside(1.1, found.ratio_low, found.ratio_high)

    with pytest.raises(AssertionError):
        require_at_least(campaign)


def test_blocks_make_intervals_narrow_where_machines_differ() -> None:
    chance = np.random.default_rng(7)
    result: list[float] = []
    for _ in range(50):
        a, b = _sample(chance, 1100.0, BALANCED), _sample(chance, 1000.0, BALANCED)
        with_blocks = compare(a, b)
        without = compare(*(summarise([value for _, value in item.machines]) for item in (a, b)))
        result.append(_width(with_blocks) / _width(without))
    assert plain.median(result) < 0.4


def _width(difference: Difference) -> float:
    assert difference.low is not None and difference.high is not None
    return difference.high - difference.low
