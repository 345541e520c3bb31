"""The chapter on the longest hiccup that is survived, from planted outcomes."""

from dataclasses import replace
from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.needless import Response
from fivenines.analysis.performance.sweeps import Compared, compared
from fivenines.analysis.wording import NOTHING
from fivenines.report.chapters.availability import tolerance
from fivenines.report.chapters.data import Data
from fivenines.results import layout, store
from fivenines.results.store import Run, open_run

STEP = [
    (1.0, False),
    (5.0, True),
    (2.9, False),
    (3.1, True),
    (2.95, False),
    (3.05, True),
    (3.0, True),
    (2.97, False),
]
CALM = [(length, False) for length in (5.0, 15.0, 28.0, 29.0, 30.0, 30.0, 30.0, 30.0)]
HASTY = [(length, True) for length in (5.0, 1.0, 0.6, 0.5, 0.5, 0.5, 0.5, 0.5)]
TORN = [(length, length < 5) for length in (1.0, 9.0, 2.0, 8.0, 1.5, 12.0, 0.9, 20.0)]
PLANTED = {"step": STEP, "calm": CALM, "hasty": HASTY, "torn": TORN}


def planted(folder: Path, faults: list[str], unclear: int = 0) -> Data:
    """Return a run whose freezes are a search with planted outcomes; the first `unclear` are none."""
    recipes = [Recipe(name, outage=4000) for name in PLANTED]
    write_run(folder, Matrix(recipes, faults=faults, trials=len(STEP)))
    manifest = open_run(folder).manifest
    plan = [
        item.model_copy(update={"search": (0.5, 30.0)} if item.cell.fault == "freeze" else {})
        for item in manifest.plan
    ]
    experiment = {**manifest.experiment, "trials": 20}
    store.write_json(
        folder / layout.MANIFEST, manifest.model_copy(update={"plan": plan, "experiment": experiment})
    )
    run = open_run(folder)
    return Data(run, _with_responses(run, unclear))


def _with_responses(run: Run, unclear: int) -> Compared:
    swept = compared(run)
    searched = [
        replace(
            cell,
            trials=[
                replace(trial, response=_response(seconds, failed, number < unclear))
                for number, (trial, (seconds, failed)) in enumerate(
                    zip(cell.trials, PLANTED[cell.key.solution], strict=True)
                )
            ],
        )
        for cell in swept.searched
    ]
    return replace(swept, searched=searched)


def _response(seconds: float, failed: bool, unclear: bool) -> Response:
    kind = "promoted" if failed else "none"
    return Response(kind, hiccup_ms=1000 * seconds, why="node1 died" if unclear else "")  # type: ignore[arg-type]


def test_thresholds_and_bounds_are_told_apart(tmp_path: Path) -> None:
    data = planted(tmp_path / "run", ["kill", "freeze"])
    texts = {
        one.text.partition(",")[0]: one.text for one in tolerance.tolerance_answers(data.run, data.swept)
    }
    assert "half of the trials fail over at 3.0 s" in texts["step"].replace("3.00", "3.0"), texts["step"]
    assert "no failover in 8 trials of up to 30.0 s; it survives 29.0 s (95 %)" in texts["calm"]
    assert "a failover in all of 8 trials from 500 ms on; it does not survive 500 ms (95 %)" in texts["hasty"]
    assert "there is no threshold" in texts["torn"]
    assert all("Outage after kill: " in text for text in texts.values()), texts


def test_cells_with_a_search_are_in_no_mean(tmp_path: Path) -> None:
    data = planted(tmp_path / "run", ["kill", "freeze"])
    assert {cell.key.fault for cell in data.cells} == {"kill"}
    assert {cell.key.fault for cell in data.swept.measured} == {"kill", "freeze"}, "alarms are of all trials"
    assert len(data.swept.planned) == 2 * len(PLANTED)


def test_the_picture_has_a_point_for_each_known_length(tmp_path: Path) -> None:
    section = tolerance.chapter(planted(tmp_path / "run", ["kill", "freeze"]))
    (figure,) = section.figures
    drawn = str(figure.svg)
    assert "step" in drawn and "calm (&gt;)" in drawn and "hasty (&lt;)" in drawn and "torn" not in drawn
    rows = {row[0].split(",")[0]: row for row in section.tables[0].rows}
    assert rows["torn"][3] == "contradictory" and rows["calm"][3].startswith("more than")


def test_without_a_death_there_is_no_picture(tmp_path: Path) -> None:
    data = planted(tmp_path / "run", ["freeze"])
    section = tolerance.chapter(data)
    assert not section.figures and section.tables[0].rows[0][5] == NOTHING


def test_trials_without_an_outcome_are_counted_apart(tmp_path: Path) -> None:
    data = planted(tmp_path / "run", ["kill", "freeze"], unclear=2)
    assert {row[-1] for row in tolerance.tolerance_table(data).rows} == {"2"}
    assert {one.threshold.trials for one in data.tolerances} == {6}


def test_a_run_without_a_search_has_no_chapter(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Matrix([Recipe("a")], faults=["freeze"], trials=2))
    run = open_run(folder)
    assert not tolerance.chapter(Data(run, compared(run))).tables
