"""Expected needless failovers a year: how often hiccups occur, times the chance that one causes a failover.

The chance follows from the fitted curve of a search (see `statistics.psychometric`), averaged over the
lengths of the hiccups. Threshold, width and an estimated rate are uncertain together, so their joint
distribution is drawn from. Lapses are left out: they are outcomes that the length does not explain, and a
search has too few trials to tell rare ones from none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fivenines.analysis.availability.hiccups import Floats, Hiccups
from fivenines.analysis.statistics.psychometric import Outcome, posterior
from fivenines.analysis.statistics.threshold import Design, estimate

# Draws of which quantiles are taken: the ends of the interval are exact within 2 %.
_DRAWS = 4000

_SHARES = (0.025, 0.5, 0.975)


@dataclass(frozen=True)
class NeedlessRate:
    """Expected needless failovers a year: posterior median and 95 % interval."""

    median: float
    low: float
    high: float


def needless_rate(
    searches: Sequence[tuple[Hiccups, Sequence[Outcome], Design]], seed: int = 1
) -> NeedlessRate | None:
    """Return the expected needless failovers a year of one cluster, over all kinds of hiccups.

    Args:
        searches: each model with the outcomes and the design of the search with its fault.
        seed: of the draws, so that the same trials give the same figures.

    Returns:
        None if a search has no outcomes, or its outcomes contradict a rising curve.
    """
    generator = np.random.default_rng(seed)
    total = np.zeros(_DRAWS)
    for model, outcomes, design in searches:
        if not outcomes or estimate(outcomes, design).state == "inconsistent":
            return None
        total += model.rates(_DRAWS, generator) * _chances(model.lengths, outcomes, design, generator)
    low, median, high = (float(value) for value in np.quantile(total, _SHARES))
    return NeedlessRate(median, low, high)


def _chances(
    lengths: Floats, outcomes: Sequence[Outcome], design: Design, generator: np.random.Generator
) -> Floats:
    """Return draws of the chance that a hiccup causes a failover; shape (draws,)."""
    known = posterior(design.grid, tuple(outcomes))
    weights = known.weights.ravel() / known.weights.sum()
    drawn, times = np.unique(generator.choice(weights.size, _DRAWS, p=weights), return_counts=True)
    rows, columns = np.unravel_index(drawn, known.weights.shape)
    thresholds = design.grid.thresholds[columns][:, np.newaxis]
    widths = design.grid.widths[rows][:, np.newaxis]
    ramps = np.clip((lengths[np.newaxis, :] / thresholds - 1) / widths + 0.5, 0, 1).mean(axis=1)
    chances = np.repeat(ramps, times)
    generator.shuffle(chances)
    return np.asarray(chances, dtype=np.float64)
