"""Comparison of two candidates by a measure, over all strata."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.candidates import Candidate
from fivenines.analysis.measures.measures import MEASURES, Measure
from fivenines.analysis.performance.interleaved import THROUGHPUT, InterleavedResult, difference
from fivenines.analysis.statistics.best_case import mean_ratio
from fivenines.analysis.statistics.means import Difference, at_confidence, compare, student_t
from fivenines.results.records import CellKey


@dataclass(frozen=True)
class Comparer:
    """Function that compares the first candidate with the second at a level; None: not comparable."""

    against: Callable[[str, str, float], Difference | None]
    interleaved: bool = False


def comparer(
    measure: Measure,
    candidates: Mapping[str, Candidate],
    blocks: Sequence[InterleavedResult],
    cells: Sequence[CellResult],
) -> Comparer | None:
    """Return the comparison of candidates by a measure; None where its values are meaningless.

    A load that meets an offered rate has that rate as its throughput.
    """
    met = {
        cell.key.solution
        for cell in cells
        if measure.name == "tps" and cell.kept and cell.offered is not None
    }
    if len(met) == len(candidates):
        return None
    if measure.name == "tps" and blocks:
        ratios = _interleaved_ratios(blocks, cells)
        if ratios:
            return Comparer(lambda a, b, level: _at_level(ratios.get((a, b)), level), True)

    def by_trials(a: str, b: str, level: float) -> Difference | None:
        if a in met and b in met:
            return None
        return _by_strata(candidates[a], candidates[b], measure.name, level)

    return Comparer(by_trials)


def _interleaved_ratios(
    blocks: Sequence[InterleavedResult], cells: Sequence[CellResult]
) -> dict[tuple[str, str], Difference]:
    """Return the ratios of the throughput in the only interleaved comparison of this condition; {} for
    several.
    """
    places = {_place(cell.key) for cell in cells}
    own = [block for block in blocks if block.sides and _place(block.sides[0].key) in places]
    if len(own) != 1 or len(places) != 1:
        return {}
    result = {}
    for pair in own[0].pairs:
        if THROUGHPUT in pair.ratios:
            ratio = pair.ratios[THROUGHPUT]
            result[pair.a.solution, pair.b.solution] = difference(ratio)
            result[pair.b.solution, pair.a.solution] = difference(ratio.inverse)
    return result


def _place(key: CellKey) -> tuple[str, int, str]:
    return key.workload, key.connections, key.network


def _by_strata(a: Candidate, b: Candidate, measure: str, level: float) -> Difference | None:
    left, right = a.values.get(measure, {}), b.values.get(measure, {})
    common = [at for at in left if at in right and left[at].n and right[at].n]
    # Candidates measured in different conditions are not compared: that would favour easier conditions. Nor
    # are those measured in different runs: the machine may have changed. Runs with both of them count.
    if not common or {at[:-1] for at in common} != {at[:-1] for at in (*left, *right)}:
        return None
    if len(common) == 1:
        item, other = left[common[0]], right[common[0]]
        if not MEASURES[measure].valued:
            # A number of a solution has no random variation.
            gap = (item.mean or 0.0) - (other.mean or 0.0)
            ratio = (item.mean or 0.0) / other.mean if other.mean else None
            return Difference(item, other, gap, gap, gap, ratio=ratio)
        return compare(at_confidence(item, level), at_confidence(other, level))
    if any(left[at].bounds or right[at].bounds for at in common):
        return None
    whole = mean_ratio([(left[at], right[at]) for at in common])
    result = _at_level(whole, at_confidence(left[common[0]], level).level)
    return result if result is None or result is whole else replace(result, confidence=level)


def _at_level(ratio: Difference | None, level: float) -> Difference | None:
    """Return a ratio whose interval is symmetric in its logarithm, with the interval of another level."""
    if ratio is None or ratio.ratio is None or ratio.high is None or not ratio.df:
        return ratio
    half = math.log1p(ratio.high) - math.log(ratio.ratio)
    half *= student_t(ratio.df, level) / student_t(ratio.df, ratio.confidence)
    low, high = math.exp(math.log(ratio.ratio) - half), math.exp(math.log(ratio.ratio) + half)
    return replace(ratio, low=low - 1, high=high - 1, ratio_low=low, ratio_high=high, confidence=level)
