"""Report the thresholds of a run, for a terminal, a pull request and programs (JUnit XML, JSON)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fivenines.analysis.availability.nines import assumed_mtbf
from fivenines.analysis.decision.thresholds import OUTCOMES, Outcome, ThresholdResult, judge_thresholds
from fivenines.analysis.measures.thresholds import ThresholdSettings
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.resources.cost import prices
from fivenines.analysis.wording import count, percent
from fivenines.report.export import junit
from fivenines.report.sentences.evidence import MARKS, evidence, more_trials
from fivenines.report.table import Table, without_empty
from fivenines.results.store import Run, opened

# The worst outcome comes first.
_ORDER: tuple[Outcome, ...] = ("failed", "inconclusive", "passed")


def thresholds_of(run: Run) -> list[ThresholdSettings]:
    """Return the thresholds of a run's experiment; [] if it has none."""
    section = run.manifest.experiment.get("thresholds") or []
    return [ThresholdSettings.model_validate(one) for one in section]


def judge(run: Run | Path, thresholds: Sequence[ThresholdSettings]) -> list[ThresholdResult]:
    """Judge thresholds by the complete trials of a run.

    Raises:
        FiveninesError: the folder is not a run, or has another version.
    """
    stored = opened(run)
    swept = compared(stored)
    costs = prices(stored.manifest.experiment)
    return judge_thresholds(swept.cells, thresholds, costs, swept.measured, assumed_mtbf(stored))


def sentence(results: Sequence[ThresholdResult]) -> str:
    """Return "3 thresholds, judged 5 times (for each solution and condition): 5 passed"."""
    counted = Counter(one.outcome for one in results)
    outcomes = [f"{counted[one]} {one}" for one in OUTCOMES.values() if counted[one]]
    n = len({one.judgement.requirement.text for one in results})
    times = f", judged {len(results)} times (for each solution and condition)" if n < len(results) else ""
    return f"{count(n, 'threshold')}{times}: {', '.join(outcomes)}"


def what_decides(results: Sequence[ThresholdResult]) -> str:
    """Return how many more trials would decide the inconclusive results, and the command; "" if not known."""
    return more_trials([one.judgement for one in results if one.outcome == "inconclusive"]).lstrip("; ")


def table(results: Sequence[ThresholdResult], brief: bool = False) -> Table:
    """Return a row for each result, the failed ones first; `brief` leaves out the further trials."""
    varies = {
        name: len({getattr(one, name) for one in results}) > 1
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
        for one in sorted(results, key=lambda each: _ORDER.index(each.outcome))
    ]
    columns = ["Outcome", "Threshold", "Solution", "Conditions", "Evidence"]
    return without_empty(Table("Thresholds", columns, rows, 2), "Conditions")


def why(one: ThresholdResult) -> str:
    """Return the evidence; for an inconclusive result also the trials that would decide it."""
    text = evidence(one.judgement)
    if one.outcome != "inconclusive":
        return text
    bound, more = one.judgement.bound, one.judgement.more
    if bound is not None and one.judgement.n and not one.judgement.events:
        text += f", at most {percent(100 * bound)} % (95 % upper bound)"
    return f"{text}; about {count(more, 'more trial')} would decide it" if more else text


def as_json(results: Sequence[ThresholdResult]) -> list[dict[str, Any]]:
    """Return the results for programs."""
    return [
        {
            "threshold": one.judgement.requirement.text,
            "outcome": one.outcome,
            "solution": one.solution,
            "workload": one.workload,
            "connections": one.connections,
            "network": one.network,
            "evidence": why(one),
            "trials": one.judgement.trials,
            "n": one.judgement.n,
            "unit": one.judgement.unit,
            "more_trials": one.judgement.more,
        }
        for one in results
    ]


def write_junit(path: Path, name: str, by_part: Mapping[str, Sequence[ThresholdResult]]) -> None:
    """Write JUnit XML with a test case for each threshold, by the part of the file ("" without parts)."""
    cases = [
        junit.Case(
            f"{part}{'.' if part else ''}"
            f"{one.solution}, {one.workload}, {count(one.connections, 'connection')}, {one.network}",
            one.judgement.requirement.text,
            one.outcome,
            why(one),
        )
        for part, results in by_part.items()
        for one in results
    ]
    junit.write_junit(path, name, cases)


def _condition(one: ThresholdResult, varies: dict[str, bool]) -> list[str]:
    texts = {
        "workload": one.workload,
        "connections": count(one.connections, "connection"),
        "network": f"network {one.network}",
    }
    return [texts[name] for name, shown in varies.items() if shown]
