"""Comparison of the blocks of two runs: each solution, and the ratio of each pair of solutions.

A block is a deployment, so blocks are to an interleaved comparison what trials are elsewhere. A solution's
throughput and response times are compared by the means of its blocks. The ratio of two solutions in a block
depends less on the machine: effects on both cancel out. The sample is then the logarithm of the ratio in each
block, and the runs are compared by Welch's interval of the two means. One block alone gives no interval, as
the variance between deployments is unknown. (Within a run the many rounds of a block say more about the
ratio, see `interleaved`, but nothing about the next deployment.)
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from fivenines.analysis.measures.measures import MEASURES, Measure
from fivenines.analysis.performance.interleaved import (
    RESPONSE,
    THROUGHPUT,
    InterleavedResult,
    Window,
    ratios_of,
)
from fivenines.analysis.statistics.means import Difference, Summary, at_confidence, compare, summarise
from fivenines.results.records import CellKey

# In four runs that compared a solution with itself, of ten blocks each, ratios differed by up to 2.7 %, and
# the blocks' intervals showed that in four of six pairs: runs differ more than blocks do.
FROM_RUN_TO_RUN = 0.03

# Measures of windows, by the names of the measures of trials.
INTERLEAVED_MEASURES: dict[str, Measure] = {
    THROUGHPUT: MEASURES["tps"],
    **{name: MEASURES[f"latency_{name}"] for name in RESPONSE},
}


@dataclass(frozen=True)
class Standing:
    """Change of the ratio of two solutions in blocks, from one run to another."""

    key: CellKey
    other: str
    measure: Measure
    difference: Difference
    run: str = ""

    @property
    def significant(self) -> bool:
        """Return whether the ratio is shown to have changed by more than it varies from run to run."""
        low, high = self.difference.ratio_low, self.difference.ratio_high
        if low is None or high is None:
            return False
        return low > 1 + FROM_RUN_TO_RUN or high < 1 / (1 + FROM_RUN_TO_RUN)


def block_summaries(values: Sequence[InterleavedResult]) -> dict[CellKey, dict[str, Summary]]:
    """Return the measures of each solution by cell: summaries of the means of its blocks."""
    return {side.key: dict(_of_side(item, place)) for item in values for place, side in enumerate(item.sides)}


def standings(
    before: Sequence[InterleavedResult], after: Sequence[InterleavedResult], confidence: float
) -> Iterator[Standing]:
    """Yield every pair of solutions that both runs compared in blocks."""
    old: dict[tuple[CellKey, CellKey, str], list[float]] = {}
    for item in before:
        old |= _block_logarithms(item)
    for result in after:
        for (a, b, name), now in _block_logarithms(result).items():
            then = old.get((a, b, name)) or [-item for item in old.get((b, a, name), [])]
            if then:
                change = ratio_change(then, now, confidence)
                yield Standing(a, b.solution, INTERLEAVED_MEASURES[name], change)


def ratio_change(before: Sequence[float], after: Sequence[float], confidence: float) -> Difference:
    """Compare a later ratio with an earlier one, by the logarithms of the ratio in each block."""
    a, b = (at_confidence(summarise(each), confidence) for each in (after, before))
    logs = compare(a, b)
    ratio = math.exp(logs.absolute or 0.0)
    then, now = (Summary(item.n, math.exp(item.mean or 0.0), confidence=confidence) for item in (b, a))
    if logs.low is None or logs.high is None:
        return Difference(now, then, ratio - 1, ratio=ratio, confidence=confidence)
    low, high = math.exp(logs.low), math.exp(logs.high)
    return Difference(now, then, ratio - 1, low - 1, high - 1, logs.df, ratio, low, high, confidence)


def _block_logarithms(result: InterleavedResult) -> dict[tuple[CellKey, CellKey, str], list[float]]:
    """Return the logarithm of each pair's ratio in each block, by measure; of those that every block has."""
    blocks = [[item for item in block if item.round] for block in result.windows]
    logs: dict[tuple[CellKey, CellKey, str], list[float]] = {}
    for a, b in combinations(range(len(result.sides)), 2):
        each = [ratios_of([block], a, b) for block in blocks]
        for name in INTERLEAVED_MEASURES:
            if all(name in item for item in each):
                key = (result.sides[a].key, result.sides[b].key, name)
                logs[key] = [math.log(item[name].ratio) for item in each]
    return logs


def _of_side(result: InterleavedResult, place: int) -> Iterator[tuple[str, Summary]]:
    blocks = [[w for w in block if w.round and w.side == place] for block in result.windows]
    for name, measure in INTERLEAVED_MEASURES.items():
        means = [_mean(block, name) for block in blocks if block]
        known = [mean for mean in means if mean is not None]
        if known and len(known) == len(means):
            yield measure.name, summarise(known)


def _mean(block: Sequence[Window], name: str) -> float | None:
    values = [item.tps if name == THROUGHPUT else item.latency[name] for item in block]
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None
