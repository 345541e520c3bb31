"""Chance of a failover as a function of the length of a hiccup: the posterior of its threshold and width.

A failover manager ignores a short hiccup (a freeze, a cut) and fails over on a long one. In between chance
decides, as a manager that polls meets the hiccup at a random phase. With a timeout T and a polling interval
P the chance is a ramp from 0 at about T to 1 at about T + P. The model is such a ramp:

    chance(x) = LAPSE + (1 - 2 LAPSE) clip((x / threshold - 1) / width + 1/2, 0, 1)

- x is the length in seconds. The threshold is the length with a chance of 50 %.
- The width is that of the ramp as a share of the threshold: 0.4 for a ramp from 20 to 30 s.
- A lapse is an outcome that the length does not explain. With it, a single odd trial moves little.

The ramp is straight in seconds, as polling makes it. On a logarithmic scale its middle would not be its
threshold. The grid of thresholds is logarithmic, because lengths span three orders of magnitude and a
relative error of 10 % is the target. Logistic, normal and cosine curves with the same prior gave the same
coverage and width of the interval in simulations within chance, for logistic managers too.

The prior is uniform on the logarithm of the threshold, up to `_BEYOND` times outside the permitted lengths:
an interval can then leave the range, which is reported as an open end. On the logarithm of the width the
prior is proportional to width^WIDTH_POWER. A flat prior took chance runs of wide ramps for steps, and its
intervals were too narrow. A larger power costs trials with steps.

The next length is the one with the largest expected information about threshold and width. Chances depend
on log(x) - log(threshold) and on the width alone, so the information of all lengths is a convolution.

Sources:
    King-Smith and others, Vision Research 34 (1994) 885, and Watson and Pelli, QUEST, Perception and
    Psychophysics 33 (1983) 113 (Bayesian adaptive thresholds); Kontsevich and Tyler, Vision Research 39
    (1999) 2729 (the psi method: least expected entropy of threshold and slope); Wichmann and Hill,
    Perception and Psychophysics 63 (2001) 1293 (lapse rates against bias); Kass and Raftery, J. Am. Stat.
    Assoc. 90 (1995) 773 (Bayes factors).

Why own code: questplus 2023.1 accepts only lengths of its grid (a measured length raises KeyError), has no
ramp, and installs pandas and xarray (100 MB). psignifit 4.3 has no adaptive design, installs matplotlib, and
fitted nine trials in 15 s, with an interval of the threshold from -41 to 42 s. adopy is of 2021.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Chance of an outcome that contradicts the length, at either end of the curve.
LAPSE = 0.02

# Exponent of the prior of the width, see above; found by simulation.
WIDTH_POWER = 0.35

# Widths of the ramp as shares of the threshold. 0.02 is below the target. At 2 the ramp begins at 0 s: with
# larger ones a hiccup of no length could cause a failover, and some intervals became ten times as wide.
_WIDTHS = np.geomspace(0.02, 2.0, 10)

# Distance of neighbouring thresholds on the grid: 1 %.
_STEP = 0.01

# The grid of thresholds reaches from the shortest length / _BEYOND to the longest * _BEYOND.
_BEYOND = 3.0

# Share of the ramp's width between a chance of 10 % and of 90 %.
TENTH_TO_NINE_TENTHS = 0.8


@dataclass(frozen=True)
class Outcome:
    """Result of one trial.

    Attributes:
        length: measured length of the hiccup, in seconds, above 0.
        failover: whether the manager failed over.

    Raises:
        ValueError: the length is not a positive, finite number.
    """

    length: float
    failover: bool

    def __post_init__(self) -> None:
        if not 0 < self.length < math.inf:
            raise ValueError(f"The length of a hiccup is a positive number of seconds, not {self.length}.")


class Grid:
    """Grid of thresholds and widths for lengths between `shortest` and `longest` seconds.

    Attributes:
        thresholds: thresholds in seconds, logarithmic; shape (n,).
        widths: widths of the ramp as shares of the threshold; shape (k,).
        prior: prior probabilities; shape (k, n), sum 1.
        lengths: permitted lengths of a trial in seconds; a slice of the thresholds.
    """

    def __init__(self, shortest: float, longest: float) -> None:
        count = math.ceil(math.log(longest / shortest * _BEYOND**2) / _STEP) + 1
        self.thresholds: Floats = shortest / _BEYOND * np.exp(_STEP * np.arange(count))
        self.widths: Floats = _WIDTHS
        weights = self.widths**WIDTH_POWER
        self.prior: Floats = np.outer(weights / weights.sum(), np.full(count, 1 / count))
        inside = (self.thresholds >= shortest) & (self.thresholds <= longest)
        self._inside = np.flatnonzero(inside)
        self.lengths: Floats = np.clip(self.thresholds[self._inside], shortest, longest)
        # The ends themselves are permitted, too.
        self.lengths[0], self.lengths[-1] = shortest, longest

    def chance(self, length: float) -> Floats:
        """Return the chance of a failover at a length in seconds, for each width and threshold."""
        return _chance(length / self.thresholds, self.widths)

    @cached_property
    def spreads(self) -> tuple[NDArray[np.intp], Floats]:
        """Return the ascending order of the flat grid by spread, and the spreads in seconds."""
        values = TENTH_TO_NINE_TENTHS * np.outer(self.widths, self.thresholds).ravel()
        order = np.argsort(values)
        return order, values[order]

    @cached_property
    def _kernels(self) -> tuple[int, NDArray[np.complex128], NDArray[np.complex128]]:
        """Transforms of the chance and its entropy by the distance between length and threshold."""
        count = len(self.thresholds)
        # Long enough that what wraps around stays off the places which `information` reads.
        size = 1 << (2 * count).bit_length()
        distances = np.exp(_STEP * np.arange(-count + 1, count))
        chance = _chance(distances, self.widths)
        return size, np.fft.rfft(chance, size), np.fft.rfft(_entropy(chance), size)

    def information(self, weights: Floats) -> Floats:
        """Return the expected information of a trial at each permitted length, in nats.

        Args:
            weights: posterior probabilities of shape (k, n).
        """
        size, chances, entropies = self._kernels
        count = len(self.thresholds)
        transformed = np.fft.rfft(weights, size)
        places = self._inside + count - 1
        mean = np.fft.irfft((transformed * chances).sum(axis=0), size)[places]
        noise = np.fft.irfft((transformed * entropies).sum(axis=0), size)[places]
        return _entropy(np.clip(mean, LAPSE / 2, 1 - LAPSE / 2)) - noise


@lru_cache(maxsize=8)
def grid(shortest: float, longest: float) -> Grid:
    """Return the grid for a range of lengths in seconds."""
    return Grid(shortest, longest)


def _chance(ratio: Floats, widths: Floats) -> Floats:
    """Return the chance at ratios of length and threshold; shape (widths, ratios)."""
    ramp = np.clip((ratio - 1) / widths[:, np.newaxis] + 0.5, 0, 1)
    return np.asarray(LAPSE + (1 - 2 * LAPSE) * ramp, dtype=np.float64)


def _entropy(chance: Floats) -> Floats:
    return np.asarray(-chance * np.log(chance) - (1 - chance) * np.log1p(-chance), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Posterior:
    """Probabilities of thresholds and widths, given the outcomes of trials.

    Attributes:
        grid: the grid.
        weights: probabilities of shape (k, n) with sum 1.
        evidence: logarithm of the probability of the outcomes under the model.
    """

    grid: Grid
    weights: Floats
    evidence: float = 0.0

    def updated(self, outcome: Outcome) -> "Posterior":
        """Return the posterior after one more trial."""
        chance = self.grid.chance(outcome.length)
        weights = self.weights * (chance if outcome.failover else 1 - chance)
        total = float(weights.sum())
        return Posterior(self.grid, weights / total, self.evidence + math.log(total))

    def chance_of(self, outcome: Outcome) -> float:
        """Return the predicted chance of an outcome at its length."""
        failover = float((self.weights * self.grid.chance(outcome.length)).sum())
        return failover if outcome.failover else 1 - failover

    def thresholds(self, shares: Sequence[float]) -> list[float]:
        """Return quantiles of the threshold, in seconds."""
        edges = math.log(self.grid.thresholds[0]) + _STEP * (np.arange(self.weights.shape[1] + 1) - 0.5)
        sums = np.concatenate([[0.0], np.cumsum(self.weights.sum(axis=0))])
        return [float(value) for value in np.exp(np.interp(shares, sums / sums[-1], edges))]

    def spreads(self, shares: Sequence[float]) -> list[float]:
        """Return quantiles of the spread: seconds from a chance of 10 % to one of 90 %, without lapses."""
        order, values = self.grid.spreads
        sums = np.cumsum(self.weights.ravel()[order])
        places = np.searchsorted(sums, np.asarray(shares) * sums[-1])
        return [float(values[min(place, len(values) - 1)]) for place in places]

    def next_length(self) -> float:
        """Return the permitted length with the largest expected information, in seconds."""
        information = self.grid.information(self.weights)
        # Equal up to rounding: the shortest, so that the choice does not depend on the machine.
        best = np.flatnonzero(information >= information.max() - 1e-9)[0]
        return float(self.grid.lengths[best])


@lru_cache(maxsize=128)
def posterior(space: Grid, outcomes: tuple[Outcome, ...]) -> Posterior:
    """Return the posterior after trials; cached, so that a growing sequence costs one update each."""
    if not outcomes:
        return Posterior(space, space.prior)
    return posterior(space, outcomes[:-1]).updated(outcomes[-1])


def ratio_quantiles(first: Posterior, second: Posterior, shares: Sequence[float]) -> list[float]:
    """Return quantiles of the second threshold divided by the first, with one width for both.

    The thresholds are independent given the width. The distribution of the difference of their logarithms
    is the cross-correlation of both posteriors, for each width.
    """
    prior = first.grid.prior.sum(axis=1)
    count = first.weights.shape[1]
    size = 1 << (2 * count).bit_length()
    # Each posterior contains the prior of the width; the product shall contain it once.
    scaled = np.fft.rfft(second.weights / prior[:, np.newaxis], size)
    product = (scaled * np.conj(np.fft.rfft(first.weights, size))).sum(axis=0)
    lags = np.fft.irfft(product, size)
    density = np.clip(np.concatenate([lags[-count + 1 :], lags[:count]]), 0, None)
    edges = _STEP * (np.arange(2 * count) - count + 0.5)
    sums = np.concatenate([[0.0], np.cumsum(density)])
    return [float(value) for value in np.exp(np.interp(shares, sums / sums[-1], edges))]
