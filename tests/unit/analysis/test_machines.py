"""Whether machines differ: found where it was planted, rarely where it was not."""

from collections import Counter

import numpy as np
import pytest

from fivenines.analysis.machines import effects, unbalanced
from fivenines.results.records import CellKey

CELLS = {"galera": 600.0, "pair": 1500.0, "alone": 2100.0}


def _measured(
    chance: np.random.Generator, factors: dict[str, float], trials: int
) -> list[tuple[str, str, float]]:
    return [
        (cell, machine, mean * factor * float(np.exp(chance.normal(0, 0.05))))
        for cell, mean in CELLS.items()
        for machine, factor in factors.items()
        for _ in range(trials)
    ]


def test_a_slow_machine_is_found_with_how_slow_it_is() -> None:
    factors = {"one": 1.0, "slow": 0.7, "two": 1.0}
    result = effects(_measured(np.random.default_rng(1), factors, 3))
    assert result is not None and result.differ and result.p < 1e-6
    mean = 0.7 ** (1 / 3)
    for effect in result.effects:
        assert effect.low < factors[effect.machine] / mean < effect.high
        assert effect.factor == pytest.approx(factors[effect.machine] / mean, rel=0.1)


def test_machines_that_are_alike_are_told_apart_by_chance_only() -> None:
    chance = np.random.default_rng(2)
    alike = {"one": 1.0, "two": 1.0, "three": 1.0}
    alarms = sum(
        result.differ for _ in range(1000) if (result := effects(_measured(chance, alike, 2))) is not None
    )
    assert 25 <= alarms <= 78, "5 % of 1,000, give or take chance (99.9 %)"


def test_unlike_shares_are_not_taken_for_a_machine() -> None:
    chance = np.random.default_rng(3)
    every = _measured(chance, {"one": 1.0, "two": 1.0}, 6)
    left = [item for n, item in enumerate(every) if not (item[:2] == ("alone", "two") and n % 6 > 1)]
    result = effects(left)
    assert result is not None
    assert all(0.9 < effect.factor < 1.1 for effect in result.effects)


@pytest.mark.parametrize(
    "values",
    [
        [],
        [("a", "one", 1.0), ("a", "one", 2.0), ("b", "one", 3.0)],
        [("a", "one", 1.0), ("a", "two", 2.0)],
        [("a", "one", 1.0), ("a", "one", 2.0), ("b", "two", 3.0), ("b", "two", 4.0)],
        [("a", "one", 0.0), ("a", "two", 0.0)],
    ],
)
def test_what_cannot_be_told_is_not(values: list[tuple[str, str, float]]) -> None:
    assert effects(values) is None


def test_cells_that_are_spread_unlike_most_are_named() -> None:
    def key(name: str) -> CellKey:
        return CellKey(solution=name, workload="kv", connections=1, network="lan", fault="none")

    usual = Counter({"one": 2, "two": 2})
    spread = {key("a"): usual, key("b"): Counter({"one": 3, "two": 1}), key("c"): usual}
    assert [item.solution for item in unbalanced(spread)] == ["b"]
    assert unbalanced({}) == []
