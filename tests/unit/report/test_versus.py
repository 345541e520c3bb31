"""Comparisons of two runs detect synthetic changes in their direction, and no others."""

import random
from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.measures.measures import MEASURES
from fivenines.analysis.statistics.means import at_confidence, compare, summarise
from fivenines.analysis.versus import Change, Versus, versus
from fivenines.base.errors import UsageError
from fivenines.report.groups import names_of_keys
from fivenines.report.versus import as_json, changes_table, keys_of, sentences
from fivenines.results import layout, store
from fivenines.results.records import CellKey
from fivenines.results.store import open_run


def _run(folder: Path, *recipes: Recipe, seed: int = 1) -> Path:
    return write_run(folder, Matrix(list(recipes), trials=5, seed=seed))


def _versus(folder: Path, before: Recipe, after: Recipe) -> Versus:
    return versus(open_run(_run(folder / "before", before)), open_run(_run(folder / "after", after, seed=2)))


def _verdicts(found: Versus) -> dict[str, str]:
    return {
        one.measure.name: "worse" if one.worse else "better" if one.better else "" for one in found.changes
    }


def test_changes_are_detected_in_their_direction(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a", tps=1000, outage=6000), Recipe("a", tps=700, outage=3000))
    verdicts = _verdicts(found)
    assert (verdicts["tps"], verdicts["outage_writes"]) == ("worse", "better")
    table = changes_table(found, names_of_keys(keys_of(found)), 0.0, every=False)
    assert table.rows[0][:3] == ["✗ worse", "Transactions/s", "a"]
    assert table.rows[-1][0] == "✓ better"


def test_equal_runs_are_inconclusive(tmp_path: Path) -> None:
    same = Recipe("a", tps=1000, outage=6000)
    verdicts = _verdicts(_versus(tmp_path, same, same))
    assert list(verdicts.values()).count("") >= len(verdicts) - 1, "one of twenty is chance"


def test_an_allowed_change_must_be_exceeded_with_confidence(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a", tps=1000), Recipe("a", tps=800))
    (tps,) = [one for one in found.changes if one.measure.name == "tps"]
    assert tps.worse and tps.worse_than(0.05) and not tps.worse_than(0.5)
    assert "is worse by more than 5.0 %" in sentences(found, 0.05)[0]


def test_new_losses_are_named(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a"), Recipe("a", lost=2))
    assert any("New: acknowledged rows lost in" in one for one in sentences(found, 0.0))


def test_other_differences_of_the_runs_are_listed(tmp_path: Path) -> None:
    before, after = _run(tmp_path / "a", Recipe("a")), _run(tmp_path / "b", Recipe("a"))
    manifest = open_run(after).manifest
    engines = {**manifest.engines, "postgres-18": "18.7"}
    experiment = {**manifest.experiment, "name": "other", "timing": {"warmup": "9s"}}
    store.write_json(
        after / layout.MANIFEST, manifest.model_copy(update={"engines": engines, "experiment": experiment})
    )
    found = versus(open_run(before), open_run(after))
    around = found.environment
    assert [(fact.what, fact.values) for fact in around.differing] == [("timing.warmup", ("1s", "9s"))]
    only = {one.what: (one.runs, one.number) for one in around.only}
    assert only["engine postgres-18"] == ((1,), 1)
    assert set(only) == {"engine postgres-18", "timing.steady", "timing.recovery", "timing.settle"}
    assert any("The environments of the runs differ (1 difference)" in one for one in sentences(found, 0.0))


def test_an_outage_after_almost_none_is_worse(tmp_path: Path) -> None:
    key = CellKey(solution="a", workload="w", connections=1, network="lan", fault="kill")
    before, after = summarise([0.0, 0.0, 10.0]), summarise([3000.0, 3100.0, 2900.0])
    change = Change(key, MEASURES["outage_writes"], compare(after, before))
    assert change.difference.ratio_low is None
    assert change.worse and change.worse_than(0.5)


def test_runs_without_a_common_cell_say_so(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a"), Recipe("b"))
    assert sentences(found, 0.0) == [
        "Nothing to compare: no cell (solution, workload, connections, network, fault) has complete "
        "trials or blocks in before and in another run.",
        "1 cell of before not in after.",
        "1 cell only in after.",
    ]
    assert [key.solution for key in found.added["after"]] == ["b"]


def _change(before: list[float], after: list[float], measure: str = "outage_writes") -> Change:
    key = CellKey(solution="a", workload="w", connections=1, network="lan", fault="kill")
    return Change(key, MEASURES[measure], compare(summarise(after), summarise(before)))


def test_a_few_equal_values_prove_nothing() -> None:
    assert not _change([1180.0] * 3, [1190.0] * 3).worse
    assert _change([1180.0] * 5, [1190.0] * 5).worse


def test_several_runs_are_compared_at_a_stricter_level(tmp_path: Path) -> None:
    runs = [
        open_run(_run(tmp_path / f"v{n}", Recipe("a", tps=tps), seed=n))
        for n, tps in enumerate((1000, 1000, 700, 1000))
    ]
    found = versus(*runs)
    assert found.confidence == pytest.approx(1 - 0.05 / 3)
    worse = {(one.run, one.measure.name) for one in found.changes if one.worse}
    assert ("v2", "tps") in worse
    alone = versus(runs[0], runs[2])
    (one,) = [c for c in alone.changes if c.measure.name == "tps"]
    (among,) = [c for c in found.changes if c.measure.name == "tps" and c.run == "v2"]
    assert one.difference.ratio == among.difference.ratio
    assert (among.difference.ratio_low or 0) < (one.difference.ratio_low or 0)
    table = changes_table(found, names_of_keys(keys_of(found)), 0.0, every=False)
    assert table.columns[1] == "Run"
    assert "98.3 % intervals" in " ".join(sentences(found))


def test_runs_of_the_same_distribution_seldom_differ() -> None:
    """The confidence level promises that about one of twenty comparisons of four equal runs differs."""
    rng = random.Random(7)
    campaigns, level, wrong = 600, 1 - 0.05 / 4, 0
    for _ in range(campaigns):
        base, *later = [
            at_confidence(summarise([rng.gauss(100, 10) for _ in range(5)]), level) for _ in range(5)
        ]
        wrong += any(compare(one, base).differs for one in later)
    # The level promises at most 30; chance adds at most 18 in 999 of 1000 tests.
    assert wrong <= 48


def test_equal_environments_are_reported(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a"), Recipe("a"))
    assert any("program, machine, versions and settings are the same" in s for s in sentences(found))


def test_settings_of_only_one_run_are_summarised(tmp_path: Path) -> None:
    before = _run(tmp_path / "a", Recipe("a"), Recipe("b"))
    found = versus(open_run(before), open_run(_run(tmp_path / "b", Recipe("a"))))
    (text,) = [one for one in sentences(found) if one.startswith("Only in")]
    assert text == "Only in a: solutions[b] (7 settings)."


def test_json_marks_lower_bounds(tmp_path: Path) -> None:
    found = _versus(tmp_path, Recipe("a", outage=3000), Recipe("a", outage=6000, gone=1))
    (one,) = [c for c in as_json(found)["changes"] if c["measure"] == "outage_writes"]
    assert one["bounds"] == [0, 1] and one["high"] is None and one["verdict"] == "worse"


def test_a_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    run = open_run(_run(tmp_path / "a", Recipe("a")))
    with pytest.raises(UsageError, match="named twice"):
        versus(run, run)


def test_a_measure_without_a_better_direction_only_differs() -> None:
    change = _change([1.0, 1.1, 0.9, 1.0, 1.05], [3.0, 3.1, 2.9, 3.0, 3.05], "host_cpu")
    assert change.significant and not change.worse and not change.better
    assert not change.worse_than(0.1)
