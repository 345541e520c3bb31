"""Thresholds on the ratio of a run to its baseline: passed, failed or inconclusive."""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.decision.thresholds import Outcome
from fivenines.analysis.measures.ratios import RatioThreshold
from fivenines.analysis.statistics.quantiles import Bounds, ratio_bounds, trials_for_bounds
from fivenines.analysis.statistics.sides import Side, side_of
from fivenines.analysis.versus import Change, Versus


@dataclass(frozen=True)
class RatioResult:
    """A threshold of one cell and run.

    Attributes:
        threshold: the threshold.
        change: the change that decides; None: no cell has the measure in both runs.
        outcome: passed and failed are shown by the whole interval; otherwise inconclusive.
        bounds: interval of the ratio; for a percentile that of the ordered trials.
        wanted: trials per run that an interval of a percentile requires; None: enough, or a mean.
    """

    threshold: RatioThreshold
    change: Change | None
    outcome: Outcome
    bounds: Bounds = (None, None)
    wanted: int | None = None


def judge_ratios(versus: Versus, thresholds: Sequence[RatioThreshold]) -> list[RatioResult]:
    """Judge each threshold for each cell and later run that it applies to; without any it is inconclusive."""
    results = []
    for threshold in thresholds:
        own = [
            change
            for change in versus.changes
            if change.measure == threshold.measure
            and threshold.solution in (None, change.key.solution)
            and not (threshold.percentile is not None and change.interleaved)
        ]
        results += [_judged(threshold, item, versus.confidence) for item in own]
        if not own:
            results.append(RatioResult(threshold, None, "inconclusive"))
    return results


def _judged(threshold: RatioThreshold, change: Change, confidence: float) -> RatioResult:
    if threshold.percentile is None:
        difference = change.difference
        side = side_of(difference, threshold.limit)
        ends = (difference.ratio_low, difference.ratio_high)
        return RatioResult(threshold, change, _outcome(threshold, side), ends)
    low, high = ratio_bounds(change.after, change.before, threshold.percentile, confidence)
    beyond: Side | None = None
    if high is not None and high <= threshold.limit:
        beyond = "below"
    elif low is not None and low >= threshold.limit:
        beyond = "above"
    expected = trials_for_bounds(threshold.percentile, confidence)
    enough = min(len(change.before), len(change.after)) >= expected
    outcome = _outcome(threshold, beyond)
    return RatioResult(threshold, change, outcome, (low, high), None if enough else expected)


def _outcome(threshold: RatioThreshold, side: Side | None) -> Outcome:
    if side is None:
        return "inconclusive"
    return "passed" if (side == "below") == threshold.below else "failed"
