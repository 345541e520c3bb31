"""What became of a run's thresholds: for a terminal, a pull request, and programs (JUnit XML, JSON)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fivenines.analysis.cost import prices
from fivenines.analysis.sweeps import compared
from fivenines.analysis.thresholds import OUTCOMES, Outcome, ThresholdResult, judge_thresholds
from fivenines.analysis.wording import count, percent
from fivenines.report import junit
from fivenines.report.decision import MARKS, evidence, more_trials
from fivenines.report.table import Table, without_empty
from fivenines.requirements.thresholds import ThresholdSettings
from fivenines.results.store import Run, opened

_ORDER: tuple[Outcome, ...] = ("failed", "undecided", "passed")
"""The worst first."""


def thresholds_of(run: Run) -> list[ThresholdSettings]:
    """What the experiment of a run says; none where it says nothing, or is older."""
    section = run.manifest.experiment.get("thresholds") or []
    return [ThresholdSettings.model_validate(one) for one in section]


def judge(run: Run | Path, thresholds: Sequence[ThresholdSettings]) -> list[ThresholdResult]:
    """The thresholds of a run, by its complete trials.

    Raises:
        FiveninesError: the folder is no run, or of another version.
    """
    there = opened(run)
    swept = compared(there)
    costs = prices(there.manifest.experiment)
    return judge_thresholds(swept.cells, thresholds, costs, swept.measured)


def sentence(found: Sequence[ThresholdResult]) -> str:
    """All in short: "3 thresholds, judged 5 times (for each solution and condition): 5 passed"."""
    counted = Counter(one.outcome for one in found)
    said = [f"{counted[one]} {one}" for one in OUTCOMES.values() if counted[one]]
    asked = len({one.judgement.requirement.text for one in found})
    times = f", judged {len(found)} times (for each solution and condition)" if asked < len(found) else ""
    return f"{count(asked, 'threshold')}{times}: {', '.join(said)}"


def what_decides(found: Sequence[ThresholdResult]) -> str:
    """How many more trials would decide what is undecided, and the command; "" where nobody knows."""
    return more_trials([one.judgement for one in found if one.outcome == "undecided"]).lstrip("; ")


def table(found: Sequence[ThresholdResult], brief: bool = False) -> Table:
    """A row for each, the failed ones first; `brief`: the evidence without what would decide it."""
    varies = {
        name: len({getattr(one, name) for one in found}) > 1
        for name in ("workload", "connections", "network")
    }
    rows = [
        [
            f"{MARKS[one.judgement.status]} {one.outcome}",
            one.judgement.requirement.text,
            one.solution,
            ", ".join(_condition(one, varies)),
            evidence(one.judgement) if brief else why(one),
        ]
        for one in sorted(found, key=lambda each: _ORDER.index(each.outcome))
    ]
    columns = ["Outcome", "Threshold", "Solution", "Conditions", "Evidence"]
    return without_empty(Table("Thresholds", columns, rows, 2), "Conditions")


def why(one: ThresholdResult) -> str:
    """The evidence, and for what is undecided how much more would decide it."""
    text = evidence(one.judgement)
    if one.outcome != "undecided":
        return text
    bound, more = one.judgement.bound, one.judgement.more
    if bound is not None and one.judgement.n and not one.judgement.events:
        text += f", up to {percent(100 * bound)} % cannot be excluded"
    return f"{text}; about {count(more, 'more trial')} would decide it" if more else text


def as_json(found: Sequence[ThresholdResult]) -> list[dict[str, Any]]:
    """For programs."""
    return [
        {
            "threshold": one.judgement.requirement.text,
            "outcome": one.outcome,
            "solution": one.solution,
            "workload": one.workload,
            "connections": one.connections,
            "network": one.network,
            "evidence": why(one),
            "trials": one.judgement.n,
            "more_trials": one.judgement.more,
        }
        for one in found
    ]


def write_junit(path: Path, name: str, by_part: Mapping[str, Sequence[ThresholdResult]]) -> None:
    """JUnit's XML: a test case for each threshold, by the part of the file (without a name: all of it)."""
    cases = [
        junit.Case(
            f"{part}{'.' if part else ''}"
            f"{one.solution}, {one.workload}, {count(one.connections, 'connection')}, {one.network}",
            one.judgement.requirement.text,
            one.outcome,
            why(one),
        )
        for part, found in by_part.items()
        for one in found
    ]
    junit.write_junit(path, name, cases)


def _condition(one: ThresholdResult, varies: dict[str, bool]) -> list[str]:
    texts = {
        "workload": one.workload,
        "connections": count(one.connections, "connection"),
        "network": f"network {one.network}",
    }
    return [texts[name] for name, shown in varies.items() if shown]
