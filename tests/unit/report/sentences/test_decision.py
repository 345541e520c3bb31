"""The decision on synthetic runs with a known answer, in the report, on the terminal and for programs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import MARIADB, QUICKSTART, Matrix, Recipe, variants, write_run

from fivenines.analysis.measures.decide import DecideSettings
from fivenines.lab.lab import remove_tree
from fivenines.report.chapters.decision import TITLE
from fivenines.report.html.page import render
from fivenines.report.sentences.decision import Verdict, as_json, crossings, decide, requirements_of
from fivenines.report.sentences.evidence import mark, short, value_text
from fivenines.report.sentences.overview import overview
from fivenines.results import layout, store
from fivenines.results.store import open_run

FEW = "5 trials are too few to confirm “no acknowledged row lost” and 2 more requirements."


def _decide(folder: Path, *recipes: Recipe, requirements: list[str] | None = None, **more: object) -> Verdict:
    """Return the one verdict on recipes with five trials each."""
    matrix = Matrix(list(recipes), trials=5)
    return _settled(write_run(folder / "run", matrix), requirements, **more)


def _settled(run: Path, requirements: list[str] | None = None, **more: object) -> Verdict:
    given = {**({} if requirements is None else {"requirements": requirements}), **more}
    (found,) = decide(run, DecideSettings.model_validate(given))
    return found


def test_a_solution_that_loses_rows_is_excluded_although_it_is_faster(tmp_path: Path) -> None:
    (found,) = decide(write_run(tmp_path / "run", QUICKSTART))
    assert found.decision.best == ["2-safe (on)"]
    assert found.sentence == "Recommended: 2-safe (on), the only one with no observed violation."
    assert found.lines[0] == found.reasons[0]
    assert re.fullmatch(
        r"Cost against 1-safe \(local\): \d+ % fewer transactions per second \(\d+ to \d+ %\)\.",
        found.lines[1],
    )
    assert found.lines[2:] == [
        FEW.replace("5", "3"),
        "29 trials of each would confirm: fivenines run FILE --resume --trials 29",
    ]
    assert found.reasons[0] == (
        "1-safe (local) does not meet 1 requirement: acknowledged rows lost in 3 of 3 trials (lost = 0)."
    )
    assert found.reasons[1] == (
        "“writes recovered”, “no acknowledged row lost” and “no split brain” are inconclusive: no "
        "failure in 3 trials of each, but up to 63 % of trials may fail (95 % upper bound); about 26 more "
        "trials of each would decide (fivenines run FILE --resume --trials 29)."
    )
    assert [one.text for one in requirements_of([found])] == [
        "not_recovered = 0",
        "lost = 0",
        "split_brain = 0",
    ]


def test_the_fastest_solution_without_a_violation_is_recommended(tmp_path: Path) -> None:
    quick, slow = Recipe("quick", tps=1500), Recipe("slow", tps=900)
    found = _decide(tmp_path, quick, slow, Recipe("lossy", tps=3000, lost=2))
    assert found.sentence == (
        "Recommended: quick, first by transactions per second, of those with no violation."
    )
    assert FEW in found.lines
    (price,) = [one for one in found.reasons if "instead of" in one]
    assert price.startswith("slow instead of quick: 4") and "% fewer transactions per second (" in price


def test_the_next_preference_decides_if_the_first_is_inconclusive(tmp_path: Path) -> None:
    short_, long_ = Recipe("short", tps=1000, outage=3000), Recipe("long", tps=1000, outage=9000)
    found = _decide(tmp_path, long_, short_, prefer=["tps", "outage_writes"])
    assert found.decision.best == ["short"]
    assert [step.measure.name for step in found.decision.steps] == ["tps", "outage_writes"]


def test_equal_solutions_come_with_the_trials_that_would_show_a_difference(tmp_path: Path) -> None:
    alike = [Recipe("a", tps=1000), Recipe("b", tps=1001)]
    found = _decide(tmp_path, *alike, prefer=["tps"])
    assert sorted(found.decision.best) == ["a", "b"]
    assert re.fullmatch(
        "Inconclusive between . and .: no difference of 5 % or more was shown in transactions per second.",
        found.sentence,
    )
    assert found.lines[0] == FEW, (
        "no number of trials shows a difference beyond the margin where there is none"
    )


def test_no_solution_is_recommended_if_each_violates_a_requirement(tmp_path: Path) -> None:
    found = _decide(tmp_path, Recipe("a"), Recipe("b"), requirements=["outage_writes < 2s"])
    assert found.decision.best == []
    assert found.sentence == "No solution meets the requirements: each one violates at least one."
    assert len([one for one in found.reasons if "(outage_writes < 2s)" in one]) == 2


def test_a_solution_without_recovery_of_writes_is_excluded(tmp_path: Path) -> None:
    found = _decide(tmp_path, Recipe("alone", tps=5000, outage=None), Recipe("pair", tps=500))
    assert found.decision.best == ["pair"]
    alone = found.decision.candidate("alone")
    assert [one.requirement.text for one in alone.judgements if one.status == "missed"] == [
        "not_recovered = 0"
    ]
    assert short(alone.judgements[0]) == "✗ 5 of 5"


def test_each_condition_has_its_decision_and_its_reasons_once(tmp_path: Path) -> None:
    found = decide(write_run(tmp_path / "run", MARIADB))
    assert [one.where for one in found][:2] == [
        "oltp_read_only, 1 connection",
        "oltp_read_only, 8 connections",
    ]
    assert {tuple(one.decision.best) for one in found} == {("replication semi-sync AFTER_SYNC",)}
    assert crossings(found) == []
    first, *rest = overview(found)
    assert first == "In all 6 conditions, recommended: replication semi-sync AFTER_SYNC."
    assert [line.partition(": ")[0] for line in rest[:2]] == [
        "in 5 of 6 conditions",
        "oltp_read_write, 32 connections",
    ]
    assert rest[2:4] == [
        "standalone does not meet “writes recovered” (not_recovered = 0) in all conditions.",
        "replication asynchronous does not meet “no acknowledged row lost” (lost = 0) in all conditions.",
    ]
    assert re.fullmatch(
        r"galera .* instead of .*: \d+ to \d+ % fewer transactions per second, in 5 of 6 conditions\.",
        rest[4],
    )
    assert re.fullmatch(
        "“writes recovered”, “no acknowledged row lost” and “no split brain” are inconclusive in all "
        r"conditions; about 2\d more trials of each would decide "
        r"\(fivenines run FILE --resume --trials 29\)\.",
        rest[6],
    )


def test_conditions_outside_by_are_pooled(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", MARIADB)
    found = decide(run, DecideSettings(by=["workload"]))
    assert [one.where for one in found] == ["oltp_read_only", "oltp_read_write"]
    one = found[0].decision.candidate("standalone")
    lost = next(each for each in one.judgements if each.requirement.text == "lost = 0")
    assert lost.n == sum(
        trial.record.cell.solution == "standalone" and trial.record.cell.workload == "oltp_read_only"
        for trial in open_run(run).complete
    )
    outage = next(m for m in found[0].decision.steps if m.measure.name == "tps").measure
    assert "(" not in value_text(one, outage), "over several conditions there is no interval"


def test_a_crossover_names_both_numbers_of_connections(tmp_path: Path) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    write_run(few, Matrix([Recipe("thin", tps=900), Recipe("wide", tps=500)], connections=[1], trials=4))
    write_run(many, Matrix([Recipe("thin", tps=900), Recipe("wide", tps=2500)], connections=[64], trials=4))
    first, second = _settled(few), _settled(many)
    for one, at in ((first, "1"), (second, "64")):
        one.decision.condition["connections"] = at
    (text,) = crossings([first, second])
    assert text == "thin is best up to 1 connection, wide from 64 connections on: the crossover lies between."


def test_interleaved_blocks_decide_on_the_speed(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("fast", tps=1000), Recipe("slow", tps=1000)], trials=2)
    run = write_interleaved_run(tmp_path / "run", SyntheticBlock(), matrix)
    (found,) = decide(run, DecideSettings(prefer=["tps"]))
    assert found.decision.best == ["fast"], "trials alone do not show a difference of 12 %"
    assert "fewer transactions per second" in found.reasons[0]


def test_no_solution_beats_the_front_in_every_measure(tmp_path: Path) -> None:
    found = _decide(
        tmp_path,
        Recipe("quick", tps=2000, outage=9000),
        Recipe("safe", tps=900, outage=3000),
        Recipe("neither", tps=800, outage=9500),
    )
    assert found.decision.front == ["quick", "safe"]


def test_json_has_the_whole_decision(tmp_path: Path) -> None:
    (found,) = as_json([_decide(tmp_path, Recipe("quick", tps=1500), Recipe("lossy", lost=2))])
    assert (found["best"], found["condition"]) == (["quick"], {})
    lossy = next(one for one in found["candidates"] if one["solution"] == "lossy")
    assert lossy["status"] == "missed"
    assert lossy["requirements"]["lost = 0"] == {
        "status": "missed",
        "evidence": "2 of 5 trials",
        "trials": 5,
        "n": 5,
        "unit": "trial",
        "more_trials": None,
    }


def test_different_recommendations_come_with_their_conditions(tmp_path: Path) -> None:
    """Two runs stand for two conditions, as synthetic recipes have no workload."""
    reads = _decide(tmp_path / "a", Recipe("thin", tps=2000), Recipe("wide", tps=900))
    writes = _decide(tmp_path / "b", Recipe("thin", tps=500), Recipe("wide", tps=900))
    found = [replace(reads, where="reads"), replace(writes, where="writes")]
    first, *reasons = overview(found)
    assert first == "Recommended: thin (reads); wide (writes)."
    assert reasons[0] == "reads: thin, first by transactions per second."


def test_losses_without_any_fault_count_too(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("a", lost=5), Recipe("b")], faults=["none", "kill"]))
    own = [one for one in open_run(run).complete if one.record.cell.solution == "a"]
    lossy = next(one.record.check for one in own if one.record.check and one.record.check.nodes[0].lost)
    sound = next(one.record.check for one in own if one.record.cell.fault == "none")
    for trial in own:
        check = lossy if trial.record.cell.fault == "none" else sound
        store.write_json(trial.folder / layout.TRIAL, trial.record.model_copy(update={"check": check}))
    (found,) = decide(run, DecideSettings.model_validate({"requirements": ["lost = 0"]}))
    assert found.decision.candidate("a").status == "missed"


def test_each_preference_that_decided_is_named(tmp_path: Path) -> None:
    found = _decide(
        tmp_path,
        Recipe("a", tps=1000, outage=3000),
        Recipe("b", tps=1000, outage=9000),
        Recipe("c", tps=500, outage=1000),
        prefer=["tps", "outage_writes"],
    )
    assert found.sentence == "Recommended: a, first by transactions per second, then by outage of writes."


def test_violations_in_the_choosing_half_count(tmp_path: Path) -> None:
    recipes = variants("gr", {0: Recipe("", tps=800), 1000: Recipe("", tps=2400, gone=1)})
    run = write_run(tmp_path / "run", Matrix([*recipes, Recipe("alone", tps=500)], trials=4))
    (found,) = decide(run)
    assert found.decision.best == ["alone"]


def test_a_rate_that_two_solutions_sustain_is_no_difference_if_a_third_fails(tmp_path: Path) -> None:
    kept = [Recipe(name, tps=1000, offered=1000) for name in ("k1", "k2")]
    found = _decide(tmp_path, *kept, Recipe("slow", tps=400, offered=1000, lost=2), prefer=["tps"])
    assert sorted(found.decision.best) == ["k1", "k2"]
    assert not any("k1 instead of k2" in one or "k2 instead of k1" in one for one in found.reasons)


def test_a_solution_without_a_complete_trial_is_reported(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("a"), Recipe("b")], trials=1)
    run = write_run(tmp_path / "run", matrix)
    for trial in open_run(run).complete:
        if trial.record.cell.solution == "b":
            remove_tree(trial.folder)
    (found,) = decide(run)
    assert "b has no complete trial." in found.reasons
    assert found.sentence == "Recommended: a, the only solution with a complete trial."
    assert "1 trial is too few to confirm “no acknowledged row lost” and 2 more requirements." in found.lines


ASYNC = "a commit waits for no replica"


def test_what_the_design_excludes_is_not_met_whatever_the_trials_saw(tmp_path: Path) -> None:
    one_safe = Recipe("1-safe", tps=1450, may_lose=ASYNC)
    for number, recipe in enumerate([one_safe, replace(one_safe, lost=2)]):
        found = _decide(tmp_path / str(number), recipe, Recipe("2-safe", tps=1100, may_lose=""))
        assert found.decision.best == ["2-safe"]
        assert found.sentence == "Recommended: 2-safe, the only one designed to keep every acknowledged row."
        lost = next(
            one for one in found.decision.candidate("1-safe").judgements if one.requirement.text == "lost = 0"
        )
        seen = f"{lost.events} of 5 trials lost some" if recipe.lost else "not seen in 5 trials"
        assert found.lines[0] == f"1-safe may lose acknowledged rows by design ({ASYNC}), {seen}."
        assert found.lines[1].startswith("Cost against 1-safe: 2")
        assert short(lost) == "✗ by design"
        assert mark(lost) == "✗ not met (by design)"


def test_whoever_accepts_the_risk_decides_by_speed(tmp_path: Path) -> None:
    recipes = Recipe("1-safe", tps=1450, may_lose=ASYNC, lost=1), Recipe("2-safe", tps=1100, may_lose="")
    found = _decide(tmp_path / "a", *recipes, accept=["loss"])
    assert found.decision.best == ["1-safe"]
    assert not any(
        judgement.requirement.measure.name == "lost"
        for one in found.decision.candidates
        for judgement in one.judgements
    )
    limited = _decide(tmp_path / "b", *recipes, requirements=["lost <= 90%"])
    assert limited.decision.best == ["1-safe"], "a limit above 0 is judged by the trials"
    assert DecideSettings.model_validate({"accept": ["loss"], "requirements": ["lost = 0"]}).problems()


def test_without_a_fault_the_design_excludes_nothing(tmp_path: Path) -> None:
    matrix = Matrix([Recipe("1-safe", tps=1450, may_lose=ASYNC), Recipe("b", tps=900)], faults=["none"])
    assert _settled(write_run(tmp_path / "run", matrix)).decision.best == ["1-safe"]


def test_a_broken_promise_is_the_headline(tmp_path: Path) -> None:
    found = _decide(tmp_path, Recipe("2-safe", lost=1, may_lose=""), Recipe("other", may_lose=""))
    assert re.fullmatch(
        r"Broken promise: 2-safe lost acknowledged rows in \d of 5 trials \(first \d+\), which its design "
        r"excludes\.",
        found.sentence,
    )
    assert found.lines[0] == "Recommended: other, the only one with no observed violation."
    assert len(found.lines) <= 4


def test_a_promise_is_for_one_node_however_it_fails(tmp_path: Path) -> None:
    """A cut and then a kill of the same node are one failure; kills of two nodes are not."""
    recipes = [Recipe("2-safe", lost=1, may_lose=""), Recipe("other", may_lose="")]
    run = write_run(tmp_path / "run", Matrix(recipes, trials=5))
    for second, broken in (("node1", True), ("node2", False)):
        for trial in open_run(run).complete:
            fault = trial.record.faults[0]
            again = fault.model_copy(update={"kind": "partition", "node": second, "nodes": [second]})
            changed = trial.record.model_copy(update={"faults": [fault, again]})
            store.write_json(trial.folder / layout.TRIAL, changed)
        assert _settled(run).sentence.startswith("Broken promise: ") is broken


def test_a_primary_that_acknowledged_alone_has_broken_no_promise(tmp_path: Path) -> None:
    """In a cut a semi-synchronous primary waits for its time-out, and then for no replica."""
    recipes = [Recipe("2-safe", lost=1, may_lose=""), Recipe("other", may_lose="")]
    run = write_run(tmp_path / "run", Matrix(recipes, trials=5))
    for kind, after, alone in (
        ("partition", 5.0, True),
        ("partition", 60.0, False),
        ("partition", None, False),
        ("kill", 5.0, False),
    ):
        for trial in open_run(run).complete:
            deployment = trial.record.deployment
            assert deployment is not None and deployment.facts is not None
            facts = deployment.facts.model_copy(update={"alone_after": after})
            changed = trial.record.model_copy(
                update={
                    "faults": [trial.record.faults[0].model_copy(update={"kind": kind})],
                    "deployment": deployment.model_copy(update={"facts": facts}),
                }
            )
            store.write_json(trial.folder / layout.TRIAL, changed)
        found = _settled(run)
        assert found.sentence.startswith("Broken promise: ") is not alone
        said = "by design (a primary that no replica answers for 5s acknowledges alone)"
        assert any(said in line for line in (found.sentence, *found.lines)) is alone, found


def test_a_solution_without_a_trial_is_named_next_to_one_that_misses(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("a"), Recipe("b", lost=2), Recipe("c")], trials=3))
    for trial in open_run(run).complete:
        if trial.record.cell.solution == "c":
            remove_tree(trial.folder)
    assert re.fullmatch(
        r"Not eligible: b \(acknowledged rows lost in \d of 3 trials\) and c \(no complete trial\)\.",
        _settled(run).lines[0],
    )


def test_a_difference_within_the_margin_is_no_reason_to_choose(tmp_path: Path) -> None:
    close = Recipe("a", tps=1030), Recipe("b", tps=1000)
    found = _decide(tmp_path / "a", *close, prefer=["tps"])
    assert sorted(found.decision.best) == ["a", "b"]
    far = _decide(tmp_path / "b", Recipe("a", tps=1400), Recipe("b", tps=1000), prefer=["tps"], margin="10%")
    assert far.decision.best == ["a"]
    number = _decide(tmp_path / "c", Recipe("a", known=True), Recipe("b", known=True), prefer=["hosts"])
    assert len(number.decision.best) == 2


def test_the_headline_is_short(tmp_path: Path) -> None:
    runs = [QUICKSTART, MARIADB, Matrix([Recipe(name) for name in "abcdef"], trials=1)]
    for number, matrix in enumerate(runs):
        for one in decide(write_run(tmp_path / str(number), matrix)):
            names = {word for each in one.decision.candidates for word in each.called.split()}
            words = [word for word in one.sentence.split() if word.strip(".,:") not in names]
            assert len(words) <= 25, one.sentence
            assert len(one.lines) <= 4


def test_the_page_begins_with_the_decision(tmp_path: Path) -> None:
    page = render(open_run(write_run(tmp_path / "run", QUICKSTART)))
    assert page.index("Recommended: 2-safe (on)") < page.index('id="summary"')


@pytest.mark.parametrize("matrix", [Matrix([]), Matrix([Recipe("a")], trials=1, broken=1)])
def test_without_a_complete_trial_there_is_no_decision(tmp_path: Path, matrix: Matrix) -> None:
    run = write_run(tmp_path / "run", matrix)
    assert decide(run) == []
    assert TITLE not in render(open_run(run))
