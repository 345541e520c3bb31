"""Simulated campaigns whose truth is known: how often intervals hold it."""

from collections.abc import Callable

import numpy as np
from scipy import stats

from fivenines.analysis.statistics.means import CONFIDENCE

CAMPAIGNS = 1000
CHANCE = 0.999

Random = np.random.Generator
# Simulates one campaign; whether its interval holds the truth.
Campaign = Callable[[Random], bool]


def coverage(campaign: Campaign, campaigns: int = CAMPAIGNS) -> float:
    """Return the share of campaigns whose interval holds the truth."""
    chance = np.random.default_rng(20260102)
    return sum(campaign(chance) for _ in range(campaigns)) / campaigns


def by_chance(promised: float = CONFIDENCE) -> tuple[float, float]:
    """Between which shares a count of covered campaigns lies if the promise is kept exactly."""
    low, high = stats.binom.interval(CHANCE, CAMPAIGNS, promised)
    return low / CAMPAIGNS, high / CAMPAIGNS


def require_exact(campaign: Campaign, promised: float = CONFIDENCE) -> None:
    """It covers as often as it promises: neither less nor more."""
    low, high = by_chance(promised)
    result = coverage(campaign)
    assert low <= result <= high, f"{result:.3f} of campaigns covered, {promised} promised"


def require_at_least(campaign: Campaign, promised: float = CONFIDENCE) -> None:
    """It covers at least as often as it promises: some methods are cautious with few trials."""
    low, _ = by_chance(promised)
    result = coverage(campaign)
    assert result >= low, f"{result:.3f} of campaigns covered, {promised} promised"


def inside(truth: float, low: float | None, high: float | None) -> bool:
    assert low is not None and high is not None
    return low <= truth <= high
