"""Adaptive search for the length of a hiccup at which a failover manager fails over as likely as not.

`next_length` proposes the length of the next trial, and None when the search has ended. `estimate` returns
the threshold with its interval and a state. Both are functions of the outcomes alone, so a campaign can
continue after an interruption. The model and its sources are described in `psychometric`.

Stopping when the interval is narrow favours lucky outcomes, so intervals of such campaigns are wrong more
often. The prior of the width and `LEVEL` were therefore chosen by simulated campaigns that stop by this rule.
Their interval contains the threshold in at least 95 % of campaigns, except for ramps that are wider than the
threshold (93 % from 1 to 5 s, 89 % from 0 to 10 s), see docs/explanation/statistics.md.

A threshold outside the tested lengths is a bound, never a value:

- `never`, `always`: all trials had the same outcome. If k trials of at least x seconds did not fail over,
  the threshold is above x with a confidence of 1 - 0.5^k, for any rising curve (Clopper and Pearson,
  Biometrika 26 (1934) 404). Five trials give 97 %.
- `open`: at least one end is unknown. With few lapses in a campaign that would otherwise be `never`, the
  lower end is the longest length and the upper end is unknown.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy import special

from fivenines.analysis.statistics.psychometric import (
    Grid,
    Outcome,
    Posterior,
    grid,
    posterior,
    ratio_quantiles,
)

# Posterior probability of the interval, calibrated as described above.
LEVEL = 0.95

# The same for the ratio of two halves, where few trials must also give the width.
DRIFT_LEVEL = 0.98

# Trials with the same outcome that give a bound with a confidence of 95 %: 0.5^5 = 3 %.
SAME = 5

# Trials before a search ends because its interval is narrow: 0.25 s is a wide target for short lengths.
LEAST = 8

# A measured length counts as the longest or shortest one within this share, the shortest also within
# `at_end_seconds` of the design: a hiccup of 0.1 s is rarely exact.
_AT_END = 0.1

# Bayes factor from which outcomes contradict a rising curve. It takes two odd outcomes: one multiplies the
# factor by at most 49. A factor of 100 is called decisive (Kass and Raftery); a single lapse can reach it.
_CONTRADICTION = 1000.0

# Chances of a manager that ignores the length.
_FLAT = 0.1, 0.9

# Bayes factor from which the most surprising outcome is tried again.
_SUSPICION = 20.0

# A half of a campaign with fewer trials shows no drift.
_LEAST_HALF = 4

# Outcomes are processed recursively, one level each.
_MOST = 500

State = Literal["bracketed", "never", "always", "open", "inconsistent"]


@dataclass(frozen=True)
class Design:
    """Settings of a search.

    Attributes:
        shortest: shortest permitted length of a hiccup, in seconds.
        longest: longest permitted length, in seconds.
        at_most: largest number of trials.
        within_seconds: target for half the width of the interval, in seconds.
        within_share: the same as a share of the threshold. The larger target counts.
        at_end_seconds: a trial counts as one of the shortest length within these seconds.

    Raises:
        ValueError: the range is empty, or a setting is out of range.
    """

    shortest: float = 0.1
    longest: float = 120.0
    at_most: int = 20
    within_seconds: float = 0.25
    within_share: float = 0.1
    at_end_seconds: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.shortest < self.longest < math.inf:
            raise ValueError(
                f"The range {self.shortest} to {self.longest} s is empty: give 0 < shortest < longest."
            )
        if not 1 <= self.at_most <= _MOST:
            raise ValueError(f"The number of trials is {self.at_most}: give 1 to {_MOST}.")
        if self.within_seconds < 0 or self.within_share < 0:
            raise ValueError("The target for half the width of the interval is negative: give 0 or more.")

    @property
    def grid(self) -> Grid:
        """Return the grid of the posterior."""
        return grid(self.shortest, self.longest)

    def target(self, threshold: float) -> float:
        """Return the permitted half width at a threshold, both in seconds."""
        return max(self.within_seconds, self.within_share * threshold)


@dataclass(frozen=True)
class Threshold:
    """Length of a hiccup with a 50 % chance of a failover.

    Attributes:
        state: see the module; `inconsistent`: shorter hiccups fail over and longer ones do not.
        trials: number of trials.
        median: posterior median, in seconds; None unless `bracketed`.
        low: lower end of the interval, in seconds; None: unknown. `never`: lower bound.
        high: upper end of the interval, in seconds; None: unknown. `always`: upper bound.
        spread: seconds from a 10 % to a 90 % chance of a failover, median; None unless `bracketed`.
        spread_low: lower end of its interval, in seconds.
        spread_high: upper end of its interval, in seconds.
    """

    state: State
    trials: int
    median: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    spread_low: float | None = None
    spread_high: float | None = None

    @property
    def half_width(self) -> float | None:
        """Return half the width of the interval, in seconds; None: an end is unknown."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True)
class Drift:
    """Threshold of the second half of the trials divided by that of the first half.

    Attributes:
        ratio: posterior median; None if an end is unknown.
        low: lower end of its interval; None: unknown.
        high: upper end of its interval; None: unknown.
        changed: whether the interval excludes 1. False in 93 to 100 % of simulated campaigns
            without drift.
    """

    ratio: float | None
    low: float | None
    high: float | None
    changed: bool


def next_length(outcomes: Sequence[Outcome], design: Design) -> float | None:
    """Return the length of the next hiccup, in seconds; None: the search has ended.

    The search ends when the interval meets the target after `LEAST` trials, when the outcomes are `never`,
    `always` or `inconsistent`, or when `at_most` trials are used. Where the only bound is one end of the
    range, the other end must have been tried: a reversed manager would pass as `never` or `always`. Outcomes
    that fit a falling or flat curve better repeat the length of the most surprising outcome.
    """
    if len(outcomes) >= design.at_most or finished(outcomes, design):
        return None
    result = estimate(outcomes, design)
    opposite = _opposite(result, design)
    if opposite is not None and not _tried(opposite, outcomes, design):
        return opposite
    known = posterior(design.grid, tuple(outcomes))
    if _suspicious(outcomes, design):
        surprise = min(outcomes, key=known.chance_of)
        return min(max(surprise.length, design.shortest), design.longest)
    return known.next_length()


def finished(outcomes: Sequence[Outcome], design: Design) -> bool:
    """Return whether further trials are unnecessary."""
    result = estimate(outcomes, design)
    if result.state == "inconsistent":
        return True
    opposite = _opposite(result, design)
    if opposite is not None and not _tried(opposite, outcomes, design):
        return False
    if result.state in ("never", "always"):
        return opposite is not None
    if len(outcomes) < LEAST:
        return False
    if result.median is None or result.half_width is None:
        return opposite is not None
    return result.half_width <= design.target(result.median)


def _suspicious(outcomes: Sequence[Outcome], design: Design) -> bool:
    """Return whether both outcomes occurred and fit a falling or flat curve better than a rising one."""
    both = len({outcome.failover for outcome in outcomes}) == 2
    return both and contradiction(outcomes, design) > math.log(_SUSPICION)


def _opposite(result: Threshold, design: Design) -> float | None:
    """Return the opposite end of the range if the only bound is an end of it, in seconds; otherwise None."""
    if result.state == "never" and result.low is not None and _at_longest(result.low, design):
        return design.shortest
    if result.state == "always" and result.high is not None and _at_shortest(result.high, design):
        return design.longest
    if result.state == "open" and result.low == design.longest:
        return design.shortest
    return design.longest if result.state == "open" and result.high == design.shortest else None


def _tried(end: float, outcomes: Sequence[Outcome], design: Design) -> bool:
    """Return whether a trial had the length of an end of the range."""
    if end == design.shortest:
        return any(_at_shortest(outcome.length, design) for outcome in outcomes)
    return any(_at_longest(outcome.length, design) for outcome in outcomes)


def _at_longest(length: float, design: Design) -> bool:
    return length >= design.longest * (1 - _AT_END)


def _at_shortest(length: float, design: Design) -> bool:
    return length <= design.shortest * (1 + _AT_END) + design.at_end_seconds


def estimate(outcomes: Sequence[Outcome], design: Design) -> Threshold:
    """Return the threshold given the outcomes, in the order of the trials."""
    return _estimate(tuple(outcomes), design)


@lru_cache(maxsize=128)
def _estimate(outcomes: tuple[Outcome, ...], design: Design) -> Threshold:
    trials = len(outcomes)
    if contradiction(outcomes, design) >= math.log(_CONTRADICTION):
        return Threshold("inconsistent", trials)
    # A bound for any rising curve comes before the one of the model.
    if trials >= SAME and len({outcome.failover for outcome in outcomes}) == 1:
        lengths = sorted(outcome.length for outcome in outcomes)
        if outcomes[0].failover:
            return Threshold("always", trials, high=lengths[SAME - 1])
        return Threshold("never", trials, low=lengths[-SAME])
    result = posterior(design.grid, outcomes)
    low, median, high = result.thresholds(_shares())
    if design.shortest < low and high < design.longest:
        spread_low, spread, spread_high = result.spreads(_shares())
        return Threshold("bracketed", trials, median, low, high, spread, spread_low, spread_high)
    if _suspicious(outcomes, design):
        return Threshold("open", trials)
    return Threshold(
        "open",
        trials,
        low=min(low, design.longest) if low > design.shortest else None,
        high=max(high, design.shortest) if high < design.longest else None,
    )


def _shares(level: float = LEVEL) -> tuple[float, float, float]:
    return (1 - level) / 2, 0.5, (1 + level) / 2


def contradiction(outcomes: Sequence[Outcome], design: Design) -> float:
    """Return the logarithm of the Bayes factor of a falling or flat curve against a rising one.

    The falling curve is the mirrored model. The flat curve has any chance between 10 and 90 % with equal
    probability, independent of the length: a smaller one is `never` with lapses. The larger factor counts.
    """
    rising = posterior(design.grid, tuple(outcomes)).evidence
    mirrored = tuple(Outcome(outcome.length, not outcome.failover) for outcome in outcomes)
    falling = posterior(design.grid, mirrored).evidence
    trials, failovers = len(outcomes), sum(outcome.failover for outcome in outcomes)
    shape = failovers + 1, trials - failovers + 1
    inside = special.betainc(*shape, _FLAT[1]) - special.betainc(*shape, _FLAT[0])
    # Hundreds of equal outcomes leave a chance that is 0 in floating point.
    flat = float(special.betaln(*shape) + np.log(max(inside, 1e-300) / (_FLAT[1] - _FLAT[0])))
    return max(falling, flat) - rising


def drift(outcomes: Sequence[Outcome], design: Design) -> Drift | None:
    """Return how the threshold changed between the halves of the trials; None: too few trials.

    A cluster that is used for one hiccup after another may react earlier or later with time. Both halves
    have a threshold of their own and share the width.
    """
    middle = len(outcomes) // 2
    if middle < _LEAST_HALF:
        return None
    first = posterior(design.grid, tuple(outcomes[:middle]))
    second = posterior(design.grid, tuple(outcomes[middle:]))
    low, ratio, high = ratio_quantiles(first, second, _shares(DRIFT_LEVEL))
    first_below, first_above = _outside(first, design)
    second_below, second_above = _outside(second, design)
    known_low = not (second_below or first_above)
    known_high = not (second_above or first_below)
    return Drift(
        ratio if known_low and known_high else None,
        low if known_low else None,
        high if known_high else None,
        (known_low and low > 1) or (known_high and high < 1),
    )


def _outside(result: Posterior, design: Design) -> tuple[bool, bool]:
    """Return whether the interval reaches below the shortest and above the longest length."""
    low, _, high = result.thresholds(_shares())
    return low <= design.shortest, high >= design.longest
