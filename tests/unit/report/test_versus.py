"""Two runs against each other: planted changes are found in their direction, others are not told."""

from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.statistics import compare, summarise
from fivenines.analysis.versus import Change, Versus, versus
from fivenines.needs.measures import MEASURES
from fivenines.report.groups import names_of_keys
from fivenines.report.versus import changes_table, keys_of, sentences
from fivenines.results import layout, store
from fivenines.results.records import CellKey
from fivenines.results.store import open_run


def _run(folder: Path, *recipes: Recipe, seed: int = 1) -> Path:
    return write_run(folder, Matrix(list(recipes), trials=5, seed=seed))


def _versus(folder: Path, before: Recipe, after: Recipe) -> Versus:
    return versus(
        open_run(_run(folder / "before", before)), open_run(_run(folder / "after", after, seed=2))
    )


def _verdicts(found: Versus) -> dict[str, str]:
    return {
        one.measure.name: "worse" if one.worse else "better" if one.better else ""
        for one in found.changes
    }


def test_a_slower_and_a_sooner_one_are_told_in_their_direction(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a", tps=1000, outage=6000), Recipe("a", tps=700, outage=3000))
    verdicts = _verdicts(found)
    assert (verdicts["tps"], verdicts["outage_writes"]) == ("worse", "better")
    table = changes_table(found, names_of_keys(keys_of(found)), 0.0, every=False)
    assert table.rows[0][:3] == ["✗ worse", "Transactions/s", "a"]
    assert table.rows[-1][0] == "✓ better"


def test_the_same_twice_is_not_told_apart(tmp_path: Path) -> None:
    same = Recipe("a", tps=1000, outage=6000)
    verdicts = _verdicts(_versus(tmp_path, same, same))
    assert list(verdicts.values()).count("") >= len(verdicts) - 1, "one of twenty is chance"


def test_what_is_allowed_is_proven_to_be_exceeded(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a", tps=1000), Recipe("a", tps=800))
    (tps,) = [one for one in found.changes if one.measure.name == "tps"]
    assert tps.worse and tps.worse_than(0.05) and not tps.worse_than(0.5)
    assert "worse by more than 5.0 %" in sentences(found, 0.05)[0]


def test_new_losses_are_named(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a"), Recipe("a", lost=2))
    assert any("New: acknowledged rows lost in" in one for one in sentences(found, 0.0))


def test_what_else_differs_is_listed(tmp_path: Path) -> None:
    before, after = _run(tmp_path / "a", Recipe("a")), _run(tmp_path / "b", Recipe("a"))
    manifest = open_run(after).manifest
    engines = {**manifest.engines, "postgres-18": "18.7"}
    experiment = {**manifest.experiment, "name": "other", "timing": {"warmup": "9s"}}
    store.write_json(
        after / layout.MANIFEST,
        manifest.model_copy(update={"engines": engines, "experiment": experiment}),
    )
    found = versus(open_run(before), open_run(after))
    assert {what for what, _, _ in found.environment} >= {"engine postgres-18", "timing.warmup"}
    assert "name" not in {what for what, _, _ in found.environment}
    assert any("differ in more than what was measured" in one for one in sentences(found, 0.0))


def test_an_outage_where_there_was_next_to_none_is_worse(tmp_path: Path) -> None:
    key = CellKey(solution="a", workload="w", connections=1, network="lan", fault="kill")
    before, after = summarise([0.0, 0.0, 10.0]), summarise([3000.0, 3100.0, 2900.0])
    change = Change(key, MEASURES["outage_writes"], compare(after, before))
    assert change.difference.ratio_low is None
    assert change.worse and change.worse_than(0.5)


def test_runs_without_a_common_cell_say_so(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a"), Recipe("b"))
    assert sentences(found, 0.0) == [
        "Nothing could be compared: no cell (solution, workload, connections, network, fault) has "
        "complete trials in both runs. Duets are not compared."
    ]
    assert [key.solution for key in found.only_after] == ["b"]
