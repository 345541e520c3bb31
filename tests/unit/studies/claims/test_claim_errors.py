"""How often is a verdict wrong where it is hardest? 400 simulated studies at the border of each test.

The truth lies exactly at the border, so that neither verdict may come more often than its error allows: an
interval of 95 % errs on each side in 2.5 %. Chance does its part to such a count (99.9 % of a binomial
distribution). Away from the border each test must tell, or it would keep every promise by saying nothing.
Seeds are fixed, so nothing flickers; the last test puts wrong quantiles in, and sees that these would have
failed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from planted_figures import Planted, row, trials, two
from scipy import special, stats

from fivenines.analysis.statistics import contrasts, shares
from fivenines.analysis.statistics import means as statistics
from fivenines.experiment.validation.mistakes import validated
from fivenines.studies.claims.figures import Events, Sample, Variants
from fivenines.studies.claims.kinds import AnyTest

STUDIES = 400
CHANCE = 0.999

Random = np.random.Generator
Draw = Callable[[Random], Planted]


def normal(chance: Random, mean: float, cov: float = 0.1, n: int = 8) -> Sample:
    return trials(chance.normal(mean, cov * mean, n).tolist())


def sides(a: float, b: float, covs: tuple[float, float] = (0.1, 0.1), ns: tuple[int, int] = (8, 8)) -> Draw:
    return lambda chance: two(normal(chance, a, covs[0], ns[0]), normal(chance, b, covs[1], ns[1]))


def levels(*means: float, cov: float = 0.05) -> Draw:
    return lambda chance: row({x: normal(chance, mean, cov) for x, mean in enumerate(means, 1)})


def phases(share: float) -> Draw:
    def draw(chance: Random) -> Planted:
        whole = chance.normal(8.0, 1.5, 8)
        part = share * whole + chance.normal(0, 0.4, 8)
        return Planted(
            {
                ("phase:route", "a", ""): trials(part.tolist()),
                ("outage_writes", "a", ""): trials(whole.tolist()),
            }
        )

    return draw


def many(*ratios: float) -> Draw:
    def draw(chance: Random) -> Planted:
        return Planted(
            {
                ("tps", name, str(at)): normal(chance, 100 * (ratio if name == "a" else 1))
                for at, ratio in enumerate(ratios, 1)
                for name in "ab"
            }
        )

    return draw


def gains(of: float) -> Draw:
    means = {("x", "1"): 150.0 * of, ("y", "1"): 100.0, ("x", "2"): 750.0, ("y", "2"): 500.0}
    return lambda chance: Planted({("tps", *key): normal(chance, mean, n=20) for key, mean in means.items()})


def events(share: float, n: int = 29) -> Draw:
    return lambda chance: Planted(seen={"a": Events(int(chance.binomial(n, share)), n)})


def sweep(*means: float) -> Draw:
    def draw(chance: Random) -> Planted:
        samples = {str(index): normal(chance, mean, 0.05) for index, mean in enumerate(means)}
        return Planted(swept={"a": Variants(samples, measure="tps")})

    return draw


PAIR = {"measure": "tps", "a": "a", "b": "b"}
AXIS = {"measure": "tps", "over": "connections", "solution": "a"}
GAINS = {
    "measure": "tps",
    "a": {"solution": "x", "over": "y", "connections": 1},
    "b": {"solution": "x", "over": "y", "connections": 2},
}


@dataclass(frozen=True)
class Border:
    """A test, a truth at its border, and one on either side of it (None: nothing is beyond).

    `holds`, `against`: how often either verdict may come at the border.
    """

    test: dict[str, Any]
    at: Draw
    inside: Draw
    outside: Draw | None
    holds: float = 0.025
    against: float = 0.025


BORDERS = {
    "greater": Border({"greater": PAIR}, sides(100, 100), sides(140, 100), sides(70, 100)),
    "greater, unequal": Border(
        {"greater": PAIR | {"by": 2}}, sides(200, 100, (0.3, 0.05), (4, 20)), sides(400, 100), sides(120, 100)
    ),
    "gains": Border({"greater": GAINS}, gains(1), gains(1.4), gains(0.7)),
    "same": Border(
        {"same": PAIR | {"within": "20%"}}, sides(120, 100), sides(100, 100, (0.05, 0.05)), sides(160, 100)
    ),
    "order": Border(
        {"order": {"measure": "tps", "of": ["a", "b"]}}, sides(100, 105), sides(130, 100), sides(70, 100)
    ),
    "rises": Border(
        {"trend": AXIS | {"is": "rises"}},
        levels(100, 100, 100, 100),
        levels(100, 120, 140, 160),
        levels(160, 140, 120, 100),
    ),
    "flat": Border(
        {"trend": AXIS | {"is": "flat"}},
        levels(100, 110, 100, 110),
        levels(100, 100, 100, cov=0.02),
        levels(100, 120, 140),
    ),
    "linear": Border(
        {"trend": AXIS | {"is": "linear", "slope": [20, 40]}},
        levels(20, 40, 60, 80),
        levels(30, 60, 90, 120, cov=0.03),
        levels(50, 100, 150, 200),
        against=0.05,
    ),
    "bent": Border(
        # the line that fits these misses the second level by just 10 %
        {"trend": AXIS | {"is": "linear", "within": "10%"}},
        levels(100, 225.94, 300, 400),
        levels(100, 200, 300, 400, cov=0.02),
        levels(100, 350, 250, 400),
        against=0.05,
    ),
    "peak": Border(
        {"peak": AXIS | {"in": [2]}},
        levels(60, 100, 100),
        levels(60, 130, 100),
        levels(60, 70, 100),
        holds=0.05,
        against=0.05,
    ),
    "choice": Border(
        {"choice": {"solution": "a", "in": [1]}},
        sweep(60, 100, 100),
        sweep(60, 130, 100),
        sweep(60, 70, 100),
        holds=0.05,
        against=0.05,
    ),
    "limit": Border(
        {"limit": {"measure": "tps", "solution": "a", "at_most": 100}},
        sides(100, 100),
        sides(70, 100),
        sides(140, 100),
    ),
    "share": Border(
        {"share": {"phase": "route", "of": "outage_writes", "solution": "a", "at_least": 0.6}},
        phases(0.6),
        phases(0.8),
        phases(0.4),
    ),
    "never": Border(
        {"never": {"measure": "lost", "solution": "a"}},
        events(0.1),
        events(0.0),
        events(0.5),
        holds=0.05,
        against=1.0,
    ),
    "occurs": Border(
        {"occurs": {"measure": "lost", "solution": "a"}},
        events(0.1),
        events(0.5),
        events(0.0),
        holds=1.0,
        against=0.05,
    ),
    "all": Border(
        {"greater": PAIR | {"for_each": "connections"}},
        many(1, 1, 1, 1, 1),
        many(1.4, 1.4, 1.4, 1.4, 1.4),
        many(1.4, 1.4, 0.6, 1.4, 1.4),
        against=0.05,
    ),
    "any": Border(
        {"any": [{"greater": PAIR | {"connections": at}} for at in range(1, 6)]},
        many(1, 1, 1, 1, 1),
        many(0.7, 1.6, 0.7, 0.7, 0.7),
        many(0.7, 0.7, 0.7, 0.7, 0.7),
        holds=0.05,
    ),
}


def rates(test: dict[str, Any], draw: Draw, studies: int) -> tuple[float, float]:
    """Return how often it holds, and how often it is contradicted."""
    made: AnyTest = validated(AnyTest, test)
    chance = np.random.default_rng(20260301)
    result = [made.judge(draw(chance)).status for _ in range(studies)]
    return result.count("holds") / studies, result.count("contradicted") / studies


def most(nominal: float) -> float:
    return float(stats.binom.ppf(CHANCE, STUDIES, nominal)) / STUDIES


def require_kept(name: str) -> None:
    """Neither verdict comes more often at the border than promised."""
    border = BORDERS[name]
    holds, against = rates(border.test, border.at, STUDIES)
    assert holds <= most(border.holds), f"{name} holds in {holds}, promised {border.holds}"
    assert against <= most(border.against), f"{name} is against in {against}, promised {border.against}"


@pytest.mark.parametrize("name", BORDERS)
def test_a_verdict_errs_no_more_often_at_its_border_than_promised(name: str) -> None:
    require_kept(name)


@pytest.mark.parametrize("name", BORDERS)
def test_a_verdict_tells_what_is_far_from_its_border(name: str) -> None:
    border = BORDERS[name]
    assert rates(border.test, border.inside, 100)[0] >= 0.9
    if border.outside is not None:
        assert rates(border.test, border.outside, 100)[1] >= 0.9


@pytest.mark.parametrize("name", ["greater", "same", "rises", "limit", "share"])
def test_a_wrong_quantile_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(_df: float, confidence: float = 0.95) -> float:
        return 0.6 * float(special.ndtri((1 + confidence) / 2))

    for module in (statistics, contrasts, shares):
        monkeypatch.setattr(module, "student_t", narrow)
    with pytest.raises(AssertionError, match="promised"):
        require_kept(name)
