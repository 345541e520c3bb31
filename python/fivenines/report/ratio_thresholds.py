"""Report thresholds on ratios, for a terminal, a page, a pull request and programs."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.analysis.decision.ratio_thresholds import RatioResult
from fivenines.analysis.decision.thresholds import OUTCOMES, Outcome
from fivenines.analysis.statistics.sides import side_of
from fivenines.analysis.versus import Change, Versus
from fivenines.analysis.wording import count, percent
from fivenines.report.export import junit
from fivenines.report.groups import Names
from fivenines.report.table import Table, without_empty
from fivenines.report.versus import ends_text, ratio_text, where

_MARKS: dict[Outcome, str] = {"passed": "✓", "failed": "✗", "inconclusive": "?"}
_ORDER: tuple[Outcome, ...] = ("failed", "inconclusive", "passed")


def sentence(results: Sequence[RatioResult]) -> str:
    """Return "1 threshold on ratios, judged 3 times (cell by cell): 2 passed, 1 failed." """
    counted = Counter(one.outcome for one in results)
    outcomes = [f"{counted[one]} {one}" for one in OUTCOMES.values() if counted[one]]
    n = len({one.threshold.text for one in results})
    times = f", judged {len(results)} times (cell by cell)" if n < len(results) else ""
    return f"{count(n, 'threshold')} on ratios{times}: {', '.join(outcomes)}."


def table(results: Sequence[RatioResult], names: Names, versus: Versus) -> Table:
    """Return a row for each result, the failed ones first."""
    rows = [
        [
            f"{_MARKS[one.outcome]} {one.outcome}",
            one.threshold.text,
            where(one.change, names, versus) if one.change else "",
            why(one),
        ]
        for one in sorted(results, key=lambda each: _ORDER.index(each.outcome))
    ]
    columns = ["Outcome", "Threshold", "Cell", "Evidence"]
    return without_empty(Table("Thresholds on ratios", columns, rows, 3), "Cell")


def why(one: RatioResult) -> str:
    """Return the evidence: the ratio with its interval, or the trials that an interval needs."""
    if one.change is None:
        return "not measured in both runs"
    if one.threshold.percentile is None:
        design = ", interleaved" if one.change.interleaved else ""
        return f"{ratio_text(one.change.difference)}{design}"
    trials = f"{len(one.change.before)} and {len(one.change.after)} trials"
    if one.wanted is not None and one.outcome == "inconclusive":
        return f"{trials}; an interval needs {one.wanted} of each"
    return f"{ends_text(*one.bounds).strip(' ()') or 'no bound is known'}, by {trials}"


def as_json(results: Sequence[RatioResult]) -> list[dict[str, Any]]:
    """Return the results for programs."""
    return [
        {
            "threshold": one.threshold.text,
            "outcome": one.outcome,
            **({**one.change.key.model_dump(), "run": one.change.run} if one.change else {}),
            "low": one.bounds[0],
            "high": one.bounds[1],
            "evidence": why(one),
        }
        for one in results
    ]


def write_junit(path: Path, results: Sequence[RatioResult], versus: Versus, allowed: float | None) -> None:
    """Write a test case for each threshold; with `allowed` (a fraction) also for each measure and event."""
    cases = [junit.Case(_where(one.change), one.threshold.text, one.outcome, why(one)) for one in results]
    for change in versus.changes if allowed is not None else ():
        share = allowed or 0.0
        name = f"{change.measure.name} not worse by more than {percent(100 * share)} %"
        cases.append(junit.Case(_where(change), name, _allowed(change, share), ratio_text(change.difference)))
    for one in versus.happened if allowed is not None else ():
        key = f"{one.run}: {one.key.solution}, {one.key.workload}, {one.key.fault}"
        before, after = (f"{seen} of {n}" for seen, n in (one.before, one.after))
        cases.append(
            junit.Case(
                key,
                f"{one.measure.name} not new",
                "failed" if one.new else "passed",
                f"in {after} trials, before in {before}",
            )
        )
    junit.write_junit(path, f"compare with {versus.baseline}", cases)


def _allowed(change: Change, share: float) -> Outcome:
    """Judge whether a measure got worse by more than a fraction; without a better direction it passes."""
    if change.worse_than(share):
        return "failed"
    if change.measure.more is None:
        return "passed"
    more = change.measure.more
    side = side_of(change.difference, 1 - share if more else 1 + share)
    return "passed" if side == ("above" if more else "below") else "inconclusive"


def _where(change: Change | None) -> str:
    if change is None:
        return "all"
    key = change.key
    design = ", interleaved" if change.interleaved else ""
    return (
        f"{change.run}: {key.solution}, {key.workload}, {count(key.connections, 'connection')}, "
        f"{key.network}, {key.fault}{design}"
    )
