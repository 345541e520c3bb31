"""Cases of a decision: which cells they cover, what was not measured, and several runs together."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import ValidationError
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.measures.cases import CaseSettings
from fivenines.analysis.measures.decide import DecideSettings
from fivenines.report.sentences.decision import Verdict, decide, decide_together
from fivenines.report.sentences.overview import overview
from fivenines.results.store import Run, open_run

FAST, SLOW = Recipe("fast", tps=2000), Recipe("slow", tps=1000)
WRITES = {"name": "writes", "workload": ["oltp_write_only"], "connections": "< 25"}


def _settings(*cases: Mapping[str, object], **more: object) -> DecideSettings:
    settings = {"requirements": [], "prefer": ["tps"], "cases": list(cases), **more}
    return DecideSettings.model_validate(settings)


def _run(folder: Path, *recipes: Recipe, workload: str = "oltp_write_only", trials: int = 5) -> Run:
    matrix = Matrix(list(recipes), workloads=[workload], connections=[4, 32], trials=trials)
    return open_run(write_run(folder, matrix))


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("< 25", 24, 25), (">= 25", 25, 24), ("<=8", 8, 9), ("> 8", 9, 8), ("8", 8, 9), (8, 8, 7)],
)
def test_a_range_of_connections_has_one_end_or_one_number(text: object, inside: int, outside: int) -> None:
    case = CaseSettings.model_validate({"name": "one", "connections": text})
    assert case.covers("a", ["w"], inside, "lan") and not case.covers("a", ["w"], outside, "lan")


@pytest.mark.parametrize("text", ["low", "8 to 16", "-4", True, 2.5])
def test_another_range_is_refused(text: object) -> None:
    with pytest.raises(ValidationError):
        CaseSettings.model_validate({"name": "one", "connections": text})


def test_a_star_stands_for_any_text_and_nothing_else_is_special() -> None:
    case = CaseSettings.model_validate({"name": "one", "solutions": ["1-safe*", "a.c"]})
    assert case.covers("1-safe (local)", ["w"], 8, "lan") and case.covers("a.c", ["w"], 8, "lan")
    assert not case.covers("2-safe", ["w"], 8, "lan") and not case.covers("abc", ["w"], 8, "lan")
    assert case.named == ["a.c"]


def test_a_workload_has_its_name_and_its_kind() -> None:
    case = CaseSettings.model_validate({"name": "one", "workload": ["tatp"]})
    assert case.covers("a", {"r80w20", "tatp"}, 8, "lan") and not case.covers("a", {"r80w20"}, 8, "lan")


def test_each_case_has_its_decision_and_what_no_trial_covers_is_not_measured(tmp_path: Path) -> None:
    run = _run(tmp_path / "run", FAST, SLOW)
    reads = {"name": "reads", "workload": ["oltp_read_only"], "connections": ">= 25"}
    writes, missing = decide_together({"": run}, _settings(WRITES, reads))
    assert (writes.where, writes.decision.best) == ("writes", ["fast"])
    assert missing.decision.best == [] and missing.decision.candidates == []
    assert missing.sentence == "Not measured: no trial with workload oltp_read_only, >= 25 connections."
    assert overview([writes, missing])[:3] == [
        "2 cases: 1 with a recommendation, 1 not measured.",
        "writes: recommended: fast, first by transactions per second.",
        f"reads: {missing.sentence.replace('Not', 'not', 1)}",
    ]


def test_a_requirement_that_was_not_measured_is_said_with_the_recommendation(tmp_path: Path) -> None:
    settings = DecideSettings.model_validate({"requirements": ["cost <= 1"], "prefer": ["tps"], "by": []})
    (found,) = decide(_run(tmp_path / "run", FAST, SLOW), settings)
    assert found.sentence.endswith("; “price of an hour <= 1” not measured.")
    assert {one.status for one in found.decision.candidates} == {"inconclusive"}


def test_a_preference_without_a_value_is_not_called_equal(tmp_path: Path) -> None:
    settings = DecideSettings.model_validate({"requirements": [], "prefer": ["cost"], "by": []})
    (found,) = decide(_run(tmp_path / "run", FAST, SLOW), settings)
    assert found.sentence == "Inconclusive between fast and slow: price of an hour was not measured."


def test_a_case_has_its_own_requirements_preferences_and_margin(tmp_path: Path) -> None:
    run = _run(tmp_path / "run", FAST, Recipe("slow", tps=1000, outage=1000))
    quick = {"name": "quick", "prefer": ["outage_writes"], "requirements": ["outage_writes < 3s"]}
    wide = {"name": "wide", "margin": 0.99, "solutions": ["fast", "slow", "absent"]}
    first, second = decide_together({"": run}, _settings(quick, wide))
    assert first.decision.best == ["slow"] and first.decision.candidate("fast").status == "missed"
    assert sorted(second.decision.best) == ["fast", "slow"] and second.decision.absent == ["absent"]


@pytest.mark.parametrize(
    ("cases", "more", "message"),
    [
        ([WRITES, WRITES], {}, "decide: two cases are called 'writes'"),
        ([WRITES], {"by": ["workload"]}, "decide: `cases` replaces `by`: leave one of them out"),
        ([WRITES], {}, ""),
    ],
)
def test_cases_have_different_names_and_replace_by(
    cases: list[dict[str, object]], more: dict[str, object], message: str
) -> None:
    assert "".join(_settings(*cases, **more).problems()) == message


def _best(found: list[Verdict]) -> list[list[str]]:
    return [one.decision.best for one in found]


def test_solutions_of_different_runs_are_not_compared(tmp_path: Path) -> None:
    runs = {"a": _run(tmp_path / "a", FAST), "b": _run(tmp_path / "b", SLOW)}
    (found,) = decide_together(runs, _settings(WRITES))
    assert sorted(found.decision.best) == ["fast", "slow"]


def test_a_run_with_both_decides_although_another_one_has_only_one_of_them(tmp_path: Path) -> None:
    runs = {"a": _run(tmp_path / "a", FAST, SLOW), "b": _run(tmp_path / "b", SLOW)}
    assert _best(decide_together(runs, _settings(WRITES))) == [["fast"]]


def test_a_loss_in_any_run_counts(tmp_path: Path) -> None:
    runs = {"a": _run(tmp_path / "a", FAST), "b": _run(tmp_path / "b", Recipe("fast", lost=2))}
    (found,) = decide_together(runs, _settings(WRITES, requirements=["lost = 0"]))
    (judgement,) = found.decision.candidate("fast").judgements
    assert (judgement.status, judgement.n, judgement.events) == ("missed", 10, 5)
