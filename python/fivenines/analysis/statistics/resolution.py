"""Resolution of a run: the smallest difference that its repetitions show, and repetitions for others."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from fivenines.analysis.cells import CellResult
from fivenines.analysis.comparisons import METRICS, Metric, groups
from fivenines.analysis.performance.interleaved import THROUGHPUT, InterleavedResult
from fivenines.analysis.statistics import power
from fivenines.results.records import CellKey

# Differences for which reports show the required number of repetitions.
SHARES = (0.2, 0.1, 0.05)

# Metrics of cells with a resolution: throughput, response time, outage of writes.
_MEASURES = 3


@dataclass(frozen=True)
class Resolution:
    """One measure of one group of solutions.

    Attributes:
        measure: its name.
        key: a cell of the group.
        spread: standard deviation of a repetition as a share of its mean (of a round: of its logarithm).
        n: repetitions of the solution with the fewest.
        unit: kind of repetition: `trial` or `round`.
        smallest: the smallest difference, as a share, that they show with a power of `power.POWER`.
        needed: repetitions that show each of `SHARES`; None: more than `power.MOST`.
    """

    measure: str
    key: CellKey
    spread: float
    n: int
    unit: str
    smallest: float
    needed: dict[float, int | None]


def by_trials(cells: Iterable[CellResult], *, speed: bool = True) -> list[Resolution]:
    """Return the resolution of the trials, for groups of cells that differ only in the solution.

    `speed`: include throughput and response time.
    """
    metrics = METRICS[:_MEASURES] if speed else METRICS[2:_MEASURES]
    alike = groups(cells)
    result = (_by_metric(metric, group) for metric in metrics for group in alike)
    return [item for item in result if item is not None]


def by_interleaving(results: Iterable[InterleavedResult]) -> list[Resolution]:
    """Return what the rounds of blocks tell of the throughput, the pair with the widest spread of each
    group.
    """
    answer = []
    for result in results:
        ratios = [pair.ratios[THROUGHPUT] for pair in result.pairs if THROUGHPUT in pair.ratios]
        known = [ratio for ratio in ratios if ratio.sd is not None]
        if not known:
            continue
        widest = max(known, key=lambda item: item.sd or 0.0)
        sd, n = widest.sd or 0.0, widest.rounds
        if (smallest := power.detectable_by_pairs(sd, n)) is not None:
            needed = {share: power.pairs_for(share, sd) for share in SHARES}
            key = result.sides[0].key
            answer.append(Resolution("throughput", key, sd, n, "round", smallest, needed))
    return answer


def _by_metric(metric: Metric, group: Sequence[CellResult]) -> Resolution | None:
    """Return the resolution of one metric; None without a comparison or a spread."""
    summaries = [result for cell in group if (result := metric.get(cell)) is not None]
    covs = [summary.cov for summary in summaries if summary.cov is not None]
    if len(covs) < 2:
        return None
    spread = math.sqrt(fmean(cov**2 for cov in covs))
    n = min(summary.n for summary in summaries if summary.cov is not None)
    smallest = power.detectable_by_two(spread, n)
    if smallest is None:
        return None
    needed = {share: power.trials_for(share, spread) for share in SHARES}
    return Resolution(metric.name, group[0].key, spread, n, "trial", smallest, needed)
