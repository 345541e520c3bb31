"""What became of thresholds on ratios: for a terminal, a page, a pull request, and programs."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.analysis.ratio_thresholds import RatioResult
from fivenines.analysis.sides import side_of
from fivenines.analysis.thresholds import OUTCOMES, Outcome
from fivenines.analysis.versus import Change, Versus
from fivenines.analysis.wording import count, percent
from fivenines.report import junit
from fivenines.report.groups import Names
from fivenines.report.table import Table, without_empty
from fivenines.report.versus import ends_text, ratio_text, where

_MARKS: dict[Outcome, str] = {"passed": "✓", "failed": "✗", "undecided": "?"}
_ORDER: tuple[Outcome, ...] = ("failed", "undecided", "passed")


def sentence(found: Sequence[RatioResult]) -> str:
    """All in short: "1 threshold on ratios, judged 3 times (cell by cell): 2 passed, 1 failed." """
    counted = Counter(one.outcome for one in found)
    said = [f"{counted[one]} {one}" for one in OUTCOMES.values() if counted[one]]
    asked = len({one.threshold.text for one in found})
    times = f", judged {len(found)} times (cell by cell)" if asked < len(found) else ""
    return f"{count(asked, 'threshold')} on ratios{times}: {', '.join(said)}."


def table(found: Sequence[RatioResult], names: Names, versus: Versus) -> Table:
    """A row for each, the failed ones first."""
    rows = [
        [
            f"{_MARKS[one.outcome]} {one.outcome}",
            one.threshold.text,
            where(one.change, names, versus) if one.change else "",
            why(one),
        ]
        for one in sorted(found, key=lambda each: _ORDER.index(each.outcome))
    ]
    columns = ["Outcome", "Threshold", "Of", "Evidence"]
    return without_empty(Table("Thresholds on ratios", columns, rows, 3), "Of")


def why(one: RatioResult) -> str:
    """The evidence: the ratio with its interval, or what it takes."""
    if one.change is None:
        return "not measured in both runs"
    if one.threshold.percentile is None:
        side = ", side by side" if one.change.interleaved else ""
        return f"{ratio_text(one.change.difference)}{side}"
    trials = f"{len(one.change.before)} and {len(one.change.after)} trials"
    if one.wanted is not None and one.outcome == "undecided":
        return f"{trials}; an interval takes {one.wanted} of each"
    return f"{ends_text(*one.bounds).strip(' ()') or 'no end is known'}, by {trials}"


def as_json(found: Sequence[RatioResult]) -> list[dict[str, Any]]:
    """For programs."""
    return [
        {
            "threshold": one.threshold.text,
            "outcome": one.outcome,
            **({**one.change.key.model_dump(), "run": one.change.run} if one.change else {}),
            "low": one.bounds[0],
            "high": one.bounds[1],
            "evidence": why(one),
        }
        for one in found
    ]


def write_junit(path: Path, found: Sequence[RatioResult], versus: Versus, allowed: float | None) -> None:
    """A test case for each threshold; with `allowed` (a share) also for each measure and each new event."""
    cases = [junit.Case(_where(one.change), one.threshold.text, one.outcome, why(one)) for one in found]
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
    """Passed where it is proven not to be worse by more than a share, or where nothing of it is worse."""
    if change.worse_than(share):
        return "failed"
    if change.measure.more is None:
        return "passed"
    more = change.measure.more
    side = side_of(change.difference, 1 - share if more else 1 + share)
    return "passed" if side == ("above" if more else "below") else "undecided"


def _where(change: Change | None) -> str:
    if change is None:
        return "all"
    key = change.key
    side = ", side by side" if change.interleaved else ""
    return (
        f"{change.run}: {key.solution}, {key.workload}, {count(key.connections, 'connection')}, "
        f"{key.network}, {key.fault}{side}"
    )
