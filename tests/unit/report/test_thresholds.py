"""Thresholds of a run: proven ones pass or fail, others are inconclusive, in each form for pipelines."""

from pathlib import Path
from xml.etree import ElementTree

from synthetic_run import MARIADB, QUICKSTART, SWEPT, write_run

from fivenines.analysis.measures.thresholds import ThresholdSettings
from fivenines.report.thresholds import as_json, judge, sentence, table, thresholds_of, why, write_junit
from fivenines.results.store import open_run


def _thresholds(*texts: str) -> list[ThresholdSettings]:
    return [ThresholdSettings.model_validate(text) for text in texts]


THREE = _thresholds("lost = 0", "outage_writes < 10s", "2-safe (on): tps >= 500")


def test_each_solution_has_an_outcome_for_each_threshold_that_it_is_of(tmp_path: Path) -> None:
    found = judge(write_run(tmp_path / "run", QUICKSTART), THREE)
    assert {(one.solution, one.judgement.requirement.measure.name): one.outcome for one in found} == {
        ("1-safe (local)", "lost"): "failed",
        ("1-safe (local)", "outage_writes"): "passed",
        ("2-safe (on)", "lost"): "inconclusive",
        ("2-safe (on)", "outage_writes"): "passed",
        ("2-safe (on)", "tps"): "passed",
    }
    assert sentence(found) == (
        "3 thresholds, judged 5 times (for each solution and condition): 3 passed, 1 failed, 1 inconclusive"
    )


def test_an_inconclusive_threshold_names_the_trials_that_would_decide(tmp_path: Path) -> None:
    found = judge(write_run(tmp_path / "run", QUICKSTART), THREE)
    (one,) = [each for each in found if each.outcome == "inconclusive"]
    assert why(one) == "0 of 3 trials, at most 63 % (95 % upper bound); about 26 more trials would decide it"


def test_the_table_has_failures_first_and_varying_conditions(tmp_path: Path) -> None:
    shown = table(judge(write_run(tmp_path / "run", QUICKSTART), THREE))
    assert shown.columns == ["Outcome", "Threshold", "Solution", "Evidence"]
    assert shown.rows[0][:3] == ["✗ failed", "lost = 0", "1-safe (local)"]
    many = table(
        judge(write_run(tmp_path / "many", MARIADB), _thresholds("galera 3 nodes behind HAProxy: lost = 0"))
    )
    assert many.rows[0][3] == "oltp_read_only, 1 connection"


def test_junit_has_a_case_for_each(tmp_path: Path) -> None:
    found = judge(write_run(tmp_path / "run", QUICKSTART), THREE)
    write_junit(tmp_path / "out.xml", "a <name>", {"": found})
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        "a <name>",
        "5",
        "1",
        "1",
    )
    (failed,) = [case for case in suite if case.find("failure") is not None]
    assert failed.get("name") == "lost = 0" and "1-safe (local)" in str(failed.get("classname"))


def test_programs_get_outcome_and_evidence(tmp_path: Path) -> None:
    first = as_json(judge(write_run(tmp_path / "run", QUICKSTART), THREE))[0]
    assert (first["outcome"], first["evidence"], first["trials"]) == ("failed", "3 of 3 trials", 3)


def test_a_swept_solution_is_judged_under_its_name(tmp_path: Path) -> None:
    found = judge(write_run(tmp_path / "run", SWEPT), _thresholds("gr: tps >= 100"))
    assert [one.outcome for one in found] == ["passed", "passed"]


def test_a_run_of_before_thresholds_has_none(tmp_path: Path) -> None:
    assert thresholds_of(open_run(write_run(tmp_path / "run", QUICKSTART))) == []
