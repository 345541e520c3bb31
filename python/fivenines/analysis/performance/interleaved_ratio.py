"""The ratio of two solutions from neighbouring windows, with an interval that respects their correlation.

In each round of an interleaved comparison both solutions had a window within seconds of each other, on the
same machine in the same mood. So a round gives one logarithm of a ratio, in which what the machine did to
both cancels out. Pure: it is given logarithms, block by block, and returns figures.

Sources:
    Pairs from the same moments instead of samples from different ones: interleaved benchmarking, Bulej,
    Horky, Tuma,
        Farquet and Prokopec, ICPE 2020; random order within rounds: randomized multiple interleaved trials,
        Abedi and Brecht, ICPE 2017.
    Batch means for correlated series: Law and Kelton, Simulation Modeling and Analysis, ch. 9.5.3; ten
        to thirty batches: Schmeiser, Operations Research 30 (1982) 556.
    Autoregressive series of the first order: n values are worth n (1 - r) / (1 + r) independent ones; Bayley
        and Hammersley, J. R. Stat. Soc. Suppl. 8 (1946) 184. Of the two intervals the wider is taken:
        batches of few rounds still remember each other, and r is known badly where rounds are few.
    Blocks that differ by more than their batches explain: one-way analysis of variance; the means of the
        blocks are the sample then (Kalibera and Jones, ISMM 2013: repeat where the variance is).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from fivenines.analysis.statistics.means import CONFIDENCE, student_t

# Approximate number of batches of rounds, of all blocks together, with enough rounds.
BATCHES = 10

# Minimum number of rounds for an interval.
LEAST_ROUNDS = 5

# From this correlation of neighbouring rounds on, means of whole blocks replace batches if there are enough
# blocks.
STRONG = 0.5

# Level at which blocks count as different.
_APART = 0.05

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """The ratio a / b, from `rounds` rounds in `blocks` blocks.

    `low` and `high` are absent with too few rounds, `df` are their degrees of freedom. `sd` is the standard
    deviation of one round's logarithm that would give such an interval, including correlation of rounds.
    `apart`: the blocks differ by more than their windows explain, so the interval is that of the means of
    the blocks. `remembered` is the correlation of a round with the next.
    """

    ratio: float
    low: float | None
    high: float | None
    rounds: int
    blocks: int
    df: int = 0
    sd: float | None = None
    apart: bool = False
    remembered: float = 0.0
    confidence: float = CONFIDENCE

    @property
    def differs(self) -> bool:
        """Return whether the interval excludes 1."""
        return self.low is not None and self.high is not None and (self.low > 1 or self.high < 1)

    @property
    def inverse(self) -> "Ratio":
        """Return the ratio b / a."""
        return Ratio(
            1 / self.ratio,
            None if self.high is None else 1 / self.high,
            None if self.low is None else 1 / self.low,
            self.rounds,
            self.blocks,
            self.df,
            self.sd,
            self.apart,
            self.remembered,
            self.confidence,
        )


def ratio_of(
    blocks: Sequence[Sequence[float] | npt.NDArray[np.float64]], confidence: float = CONFIDENCE
) -> Ratio | None:
    """Return the ratio from the natural logarithms of each round's ratio, in order, block by block.

    The estimate is the geometric mean over all rounds. None without any round.

    Raises:
        ValueError: a logarithm is not finite, or `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    series = [np.asarray(block, dtype=np.float64) for block in blocks if len(block)]
    if not series:
        return None
    every = np.concatenate(series)
    if not np.isfinite(every).all():
        raise ValueError("a round's ratio is not finite: leave out rounds that were not measured")
    middle, rounds = float(every.mean()), len(every)
    batched = batches(series)
    if rounds < LEAST_ROUNDS or sum(map(len, batched)) < 2:
        return Ratio(_exp(middle), None, None, rounds, len(series), confidence=confidence)
    apart, r = _apart(batched), memory(series)
    ways = [_by_batches(batched, confidence), _by_memory(series, r, confidence)]
    if apart:
        ways = [_by_blocks(series, confidence)]
    elif r > STRONG and len(series) > 2:
        ways.append(_by_blocks(series, confidence))
    half, error, df = max(ways)
    low, high, sd = _exp(middle - half), _exp(middle + half), error * math.sqrt(rounds)
    return Ratio(_exp(middle), low, high, rounds, len(series), df, sd, apart, r, confidence)


def _by_batches(batched: Sequence[Floats], confidence: float) -> tuple[float, float, int]:
    """Return half the interval by batch means, the standard error, and the degrees of freedom."""
    means = np.concatenate(batched)
    error, df = _error(means), len(means) - 1
    return student_t(df, confidence) * error, error, df


def _by_blocks(series: Sequence[Floats], confidence: float) -> tuple[float, float, int]:
    """Return the same figures from the means of whole blocks, which are independent."""
    means = np.array([block.mean() for block in series])
    error, df = _error(means), len(means) - 1
    return student_t(df, confidence) * error, error, df


def _by_memory(series: Sequence[Floats], r: float, confidence: float) -> tuple[float, float, int]:
    """Return the same figures from the correlation of neighbouring rounds."""
    every = np.concatenate(series)
    error, df = _error(every) * math.sqrt((1 + r) / (1 - r)), len(every) - 1
    return student_t(df, confidence) * error, error, df


def _error(values: Floats) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def batches(series: Sequence[Floats]) -> list[Floats]:
    """Return means of consecutive rounds, of as equal size as can be; no batch reaches over the end of a
    block.
    """
    size = max(1, sum(map(len, series)) // BATCHES)
    return [
        np.array([part.mean() for part in np.array_split(block, max(1, len(block) // size))])
        for block in series
    ]


def memory(series: Sequence[Floats]) -> float:
    """Return the correlation of each value with the next, within blocks; 0 where it is negative or
    unknown.
    """
    centred = [block - block.mean() for block in series if len(block) > 1]
    total = sum(float(block @ block) for block in centred)
    if total <= 0:
        return 0.0
    result = sum(float(block[:-1] @ block[1:]) for block in centred) / total
    return min(0.9, max(0.0, result))


def _apart(batched: Sequence[Floats]) -> bool:
    """Return whether blocks differ by more than their batches explain (one-way analysis of variance)."""
    groups = [block for block in batched if len(block) > 1]
    n, k = sum(map(len, groups)), len(groups)
    if k < 2 or k < len(batched):
        return False
    grand = float(np.concatenate(groups).mean())
    between = sum(len(block) * (float(block.mean()) - grand) ** 2 for block in groups)
    within = sum(float(((block - block.mean()) ** 2).sum()) for block in groups)
    if within <= 0:
        return between > 0
    r = memory(groups)
    f = (between / (k - 1)) / (within / (n - k) * (1 + r) / (1 - r))
    return float(special.fdtrc(k - 1, n - k, f)) < _APART


def _exp(value: float) -> float:
    """Return the ratio of a logarithm, within what a number can hold."""
    return math.exp(max(-700.0, min(700.0, value)))
