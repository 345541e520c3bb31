"""Thresholds on ratios: planted changes pass or fail, what is not proven is inconclusive."""

from pathlib import Path
from xml.etree import ElementTree

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.decision.ratio_thresholds import RatioResult, judge_ratios
from fivenines.analysis.measures.ratios import parse_ratio
from fivenines.analysis.versus import Versus, versus
from fivenines.report.ratio_thresholds import why, write_junit
from fivenines.results.store import open_run


def _versus(folder: Path, before: list[Recipe], after: list[Recipe], trials: int = 5) -> Versus:
    return versus(
        open_run(write_run(folder / "before", Matrix(before, trials=trials, seed=1))),
        open_run(write_run(folder / "after", Matrix(after, trials=trials, seed=2))),
    )


def _judged(versus: Versus, *texts: str) -> list[RatioResult]:
    return judge_ratios(versus, [parse_ratio(text) for text in texts])


def test_planted_changes_pass_and_fail(tmp_path: Path) -> None:
    versus = _versus(
        tmp_path,
        [Recipe("a", tps=1000, outage=3000), Recipe("b", tps=1000, outage=3000)],
        [Recipe("a", tps=700, outage=3000), Recipe("b", tps=1300, outage=6000)],
    )
    judged = _judged(versus, "tps >= 0.95", "b: outage_writes <= 1.5", "failover <= 300%")
    assert [
        (item.threshold.text, item.change.key.solution, item.outcome) for item in judged if item.change
    ] == [
        ("tps >= 0.95", "a", "failed"),
        ("tps >= 0.95", "b", "passed"),
        ("b: outage_writes <= 1.5", "b", "failed"),
        ("failover <= 300%", "a", "passed"),
        ("failover <= 300%", "b", "passed"),
    ]


def test_what_is_not_proven_is_inconclusive(tmp_path: Path) -> None:
    versus = _versus(tmp_path, [Recipe("a", tps=1000)], [Recipe("a", tps=1000)], trials=2)
    (item,) = _judged(versus, "tps >= 0.999")
    assert item.outcome == "inconclusive"


def test_a_bound_can_fail_and_never_pass(tmp_path: Path) -> None:
    versus = _versus(tmp_path, [Recipe("a", outage=2000)], [Recipe("a", outage=2000, gone=5)], trials=5)
    longer, shorter = _judged(versus, "outage_writes <= 1.5", "outage_writes <= 100")
    assert (longer.outcome, shorter.outcome) == ("failed", "inconclusive")


def test_percentiles_need_trials_and_say_how_many(tmp_path: Path) -> None:
    versus = _versus(tmp_path, [Recipe("a", outage=2000)], [Recipe("a", outage=6000)], trials=9)
    tail, middle = _judged(versus, "outage_writes p95 <= 1.1", "outage_writes p50 <= 1.5")
    assert tail.outcome == "inconclusive" and "needs 86 of each" in why(tail)
    assert middle.outcome == "failed" and "by 9 and 9 trials" in why(middle)


def test_what_no_cell_has_is_inconclusive(tmp_path: Path) -> None:
    versus = _versus(tmp_path, [Recipe("a")], [Recipe("b")])
    (item,) = _judged(versus, "tps >= 0.95")
    assert (item.outcome, why(item)) == ("inconclusive", "not measured in both runs")


def test_junit_has_a_case_for_each_and_for_what_is_allowed(tmp_path: Path) -> None:
    versus = _versus(tmp_path, [Recipe("a", tps=1000)], [Recipe("a", tps=700, lost=3)])
    path = tmp_path / "j.xml"
    write_junit(path, _judged(versus, "tps >= 0.95"), versus, None)
    (suite,) = [ElementTree.parse(path).getroot()]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    write_junit(path, [], versus, 0.1)
    cases = ElementTree.parse(path).getroot().findall("testcase")
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == ["tps not worse by more than 10 %", "lost not new"]
    passed = [case.get("name") for case in cases if not list(case)]
    assert "outage_writes not worse by more than 10 %" not in failed
    assert len(cases) > len(failed) + len(passed) or passed, "what is not proven is skipped"
