"""Choosing the best variant: unbiased where there is nothing to choose, right where there is."""

import math
import random
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.statistics.best_case import Choice, Observation, choose, chooses, mean_ratio
from fivenines.analysis.statistics.means import summarise


def _observed(values: Sequence[float], bounds: Sequence[int] = ()) -> dict[str, list[Observation]]:
    """Return trials 1, 2, ... of the only stratum."""
    numbered = enumerate(values, start=1)
    return {"": [Observation(number, value, number in bounds) for number, value in numbered]}


def _chosen(variants: dict[str, list[float]], *, higher: bool = True) -> Choice:
    result = choose({name: _observed(values) for name, values in variants.items()}, higher=higher)
    assert result is not None
    return result


def test_the_odd_half_chooses_and_the_even_half_reports() -> None:
    result = _chosen({"a": [10.0, 1.0, 12.0, 3.0], "b": [9.0, 50.0, 9.0, 52.0]})
    assert [candidate.name for candidate in result.candidates] == ["a", "b"]
    assert (result.best.choosing.strata[""].mean, result.best.reporting.strata[""].mean) == (11.0, 2.0)
    assert result.verdict == "behind"  # the half that had no say contradicts the choice
    assert result.optimism is not None and result.optimism.absolute == 9.0
    assert _chosen({"a": [10.0, 1.0], "b": [9.0, 5.0]}, higher=False).best.name == "b"


_VALUES = st.floats(1e-3, 1e6)


@given(
    st.lists(st.lists(_VALUES, min_size=4, max_size=4), min_size=2, max_size=5),
    st.lists(_VALUES, min_size=10, max_size=10),
    st.booleans(),
)
def test_the_reporting_half_has_no_say(drawn: list[list[float]], others: list[float], higher: bool) -> None:
    variants = {f"v{n}": values for n, values in enumerate(drawn)}
    fresh = iter(others)
    replaced = {
        name: [value if chooses(n + 1) else next(fresh) for n, value in enumerate(values)]
        for name, values in variants.items()
    }
    item, other = _chosen(variants, higher=higher), _chosen(replaced, higher=higher)
    assert [each.name for each in item.candidates] == [each.name for each in other.candidates]
    means = [each.choosing.strata[""].mean or 0.0 for each in item.candidates]
    assert means == sorted(means, reverse=higher)


def test_the_reported_mean_is_unbiased_where_the_best_of_all_is_not() -> None:
    """4000 sweeps of 5 variants that do not differ: true mean 100, standard deviation 10."""
    draw = random.Random(1)
    naive, reported, covered, decided = [], [], 0, 0
    for _ in range(4000):
        variants = {f"v{n}": [draw.gauss(100, 10) for _ in range(10)] for n in range(5)}
        naive.append(max(statistics.fmean(values) for values in variants.values()))
        result = _chosen(variants)
        summary = result.best.reporting.strata[""]
        reported.append(summary.mean or 0.0)
        covered += (summary.ci_low or 0.0) <= 100 <= (summary.ci_high or 0.0)
        decided += result.verdict in ("ahead", "behind")
    standard_error = 10 / math.sqrt(5 * 4000)
    assert abs(statistics.fmean(reported) - 100) < 4 * standard_error
    assert statistics.fmean(naive) > 103  # E[max of 5] = 1.163 sd of a mean of 10
    assert covered / 4000 == pytest.approx(0.95, abs=0.015)
    assert decided / 4000 < 0.06


def test_a_variant_that_is_truly_better_is_found_and_told_apart() -> None:
    draw = random.Random(2)
    right = ahead = 0
    for _ in range(300):
        variants = {f"v{n}": [draw.gauss(100 + 15 * (n == 3), 5) for _ in range(10)] for n in range(5)}
        result = _chosen(variants)
        right += result.best.name == "v3"
        ahead += result.verdict == "ahead"
    assert right == 300
    assert ahead > 270


def test_what_cannot_be_known() -> None:
    assert _chosen({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 4.0]}).verdict == "unknown"
    assert choose({"a": _observed([1.0, 2.0]), "b": _observed([])}, higher=True) is None
    assert choose({}, higher=True) is None
    silent = {"": [Observation(2, 5.0)]}
    result = choose({"a": _observed([1.0]), "b": _observed([2.0]), "c": silent}, higher=True)
    assert result is not None and (result.best.name, result.left_out) == ("b", ["c"])
    difference = result.against(result.best)
    assert difference is not None and not difference.known


def test_who_does_not_come_back_is_worse_and_not_compared() -> None:
    variants = {
        "gone": _observed([1.0, 1.0, 1.0, 1.0], bounds=[3, 4]),
        "slow": _observed([900.0, 900.0, 901.0, 902.0]),
    }
    result = choose(variants, higher=False)
    assert result is not None and result.best.name == "slow"
    # what was seen of the one that is not back is shorter: nothing is proven
    difference = result.against(result.candidates[1])
    assert difference is not None and difference.low is None and not difference.differs
    assert result.verdict == "alike"


def test_strata_count_alike_and_only_those_that_all_have() -> None:
    small, large = [1.0, 1.0, 1.1, 1.1], [1000.0, 1000.0, 1010.0, 1010.0]
    variants = {
        "a": _strata(small=[3 * item for item in small], large=large, rare=[1.0, 1.0]),
        "b": _strata(small=small, large=[2 * item for item in large]),
    }
    result = choose(variants, higher=True)
    assert result is not None and result.best.name == "a"  # 3 : 1 outweighs 1 : 2
    assert list(result.strata) == ["small", "large"]
    difference = result.against(result.candidates[1])
    assert difference is not None and difference.ratio == pytest.approx(math.sqrt(1.5))
    assert result.verdict == "ahead"


def _strata(**values: list[float]) -> dict[str, list[Observation]]:
    return {name: _observed(some)[""] for name, some in values.items()}


@given(
    st.lists(
        st.tuples(st.lists(_VALUES, min_size=2, max_size=4), st.lists(_VALUES, min_size=2, max_size=4)),
        min_size=1,
        max_size=4,
    ),
    st.floats(0.01, 100),
)
def test_a_mean_ratio_has_no_unit_and_turns_around(
    drawn: list[tuple[list[float], list[float]]], unit: float
) -> None:
    pairs = [(summarise(a), summarise(b)) for a, b in drawn]
    result = mean_ratio(pairs)
    back = mean_ratio([(b, a) for a, b in pairs])
    scaled = mean_ratio(
        [(summarise([unit * v for v in a]), summarise([unit * v for v in b])) for a, b in drawn]
    )
    assert result.ratio is not None and back.ratio is not None
    assert result.ratio * back.ratio == pytest.approx(1)
    assert scaled.ratio == pytest.approx(result.ratio)
    assert (result.ratio_low or 0) <= result.ratio <= (result.ratio_high or 0)
    assert result.differs is back.differs


def test_a_mean_ratio_covers_the_truth() -> None:
    """Three strata of very different size, each with a ratio of 1.2: 95 % of intervals hold it."""
    draw = random.Random(3)
    covered = 0
    for _ in range(2000):
        pairs = [
            (
                summarise([draw.gauss(1.2 * mean, 0.08 * mean) for _ in range(5)]),
                summarise([draw.gauss(mean, 0.05 * mean) for _ in range(5)]),
            )
            for mean in (1.0, 100.0, 40_000.0)
        ]
        result = mean_ratio(pairs)
        covered += (result.ratio_low or 0) <= 1.2 <= (result.ratio_high or 0)
    assert covered / 2000 == pytest.approx(0.95, abs=0.02)


def test_a_mean_ratio_without_spread_or_sense() -> None:
    same = summarise([2.0, 2.0])
    assert mean_ratio([(same, same)]).ratio_low == mean_ratio([(same, same)]).ratio_high == 1
    assert not mean_ratio([(summarise([0.0, 0.0]), same)]).known
    assert not mean_ratio([(summarise([1.0]), same)]).known
