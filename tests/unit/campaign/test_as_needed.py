"""Which trials are still needed, on run folders of invented figures."""

from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.measures.trials import TrialsSettings
from fivenines.campaign.as_needed import AsNeeded
from fivenines.experiment.plan import Cell, Trial
from fivenines.results import layout, store
from fivenines.results.records import CellKey, PlannedTrial
from fivenines.trial.progress import CellSettled, Progress

PLANNED, DONE = 9, 5


def _settings(measure: str = "outage_writes", within: str = "30%", **more: int) -> TrialsSettings:
    until = {"measure": measure, "within": within}
    return TrialsSettings.model_validate({"at_least": 3, "at_most": PLANNED, **more, "until": until})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two cells, one of which lets service back in each trial; five of nine trials are done."""
    recipes = [Recipe("back", outage=4000), Recipe("gone", outage=4000, gone=1)]
    run = write_run(tmp_path / "run", Matrix(recipes, trials=DONE))
    manifest = store.open_run(run).manifest
    more = [
        PlannedTrial(id=f"9{number}{index}", cell=cell, number=number, seed=1)
        for number in range(DONE + 1, PLANNED + 1)
        for index, cell in enumerate({item.cell: None for item in manifest.plan})
    ]
    longer = manifest.model_copy(update={"plan": [*manifest.plan, *more]})
    store.write_json(run / layout.MANIFEST, longer)
    return run


def _trial(folder: Path, solution: str, number: int) -> Trial:
    plan = store.open_run(folder).manifest.plan
    planned = next(item for item in plan if item.cell.solution == solution and item.number == number)
    return _of(planned.id, planned.cell, number)


def _of(trial_id: str, key: CellKey, number: int) -> Trial:
    cell = Cell(key, None, None, key.connections, None, None)  # type: ignore[arg-type]  # only its key is looked at
    return Trial(trial_id, cell, number, 1)


def test_a_settled_cell_spares_the_rest_once_and_for_all(folder: Path) -> None:
    progress: list[Progress] = []
    needed = AsNeeded(_settings(), folder)
    sixth, seventh = _trial(folder, "back", 6), _trial(folder, "back", 7)
    assert needed.spares(sixth, progress.append) and needed.spares(seventh, progress.append)
    (event,) = progress
    assert isinstance(event, CellSettled)
    settled = event.settled
    assert (settled.trials, settled.spared, settled.measured) == (DONE, PLANNED - DONE, True)
    assert settled.seconds > 0
    run = store.open_run(folder)
    assert run.manifest.settled == [settled]
    assert {item.cell.solution for item in run.missing} == {"gone"}
    assert len(run.complete) == 2 * DONE


def test_a_resumed_campaign_leaves_settled_cells_out(folder: Path) -> None:
    plan = store.open_run(folder).missing
    work = [_of(item.id, item.cell, item.number) for item in plan]
    left = AsNeeded(_settings(), folder).left(work)
    assert {item.cell.key.solution for item in left if isinstance(item, Trial)} == {"gone"}
    assert {item.cell.solution for item in store.open_run(folder).missing} == {"gone"}


def test_the_first_trials_are_always_needed(folder: Path) -> None:
    needed = AsNeeded(_settings(at_least=DONE + 1), folder)
    assert not needed.spares(_trial(folder, "back", DONE + 1), _nobody)


def test_who_is_not_back_or_not_known_well_enough_goes_on(folder: Path) -> None:
    assert not AsNeeded(_settings(), folder).spares(_trial(folder, "gone", 6), _nobody)
    tight = AsNeeded(_settings(within="0.1%"), folder)
    assert not tight.spares(_trial(folder, "back", 6), _nobody)
    assert store.open_run(folder).manifest.settled == []


def test_a_measure_that_no_trial_has_ends_a_cell_after_the_first(tmp_path: Path) -> None:
    calm = Matrix([Recipe("calm", outage=None)], faults=["none"], trials=3)
    folder = write_run(tmp_path / "calm", calm)
    progress: list[Progress] = []
    key = store.open_run(folder).manifest.plan[0].cell
    assert AsNeeded(_settings(), folder).spares(_of("904", key, 4), progress.append)
    (event,) = progress
    assert isinstance(event, CellSettled) and not event.settled.measured


def test_a_trial_that_was_given_up_stays_in_the_plan(folder: Path) -> None:
    eighth = _trial(folder, "back", 8)
    (folder / layout.TRIALS / f"{eighth.id}.broken-1").mkdir()
    assert AsNeeded(_settings(), folder).spares(_trial(folder, "back", 6), _nobody)
    left = {item.id for item in store.open_run(folder).missing if item.cell.solution == "back"}
    assert left == {eighth.id}


def _nobody(_event: Progress) -> None:
    """Listens to nothing."""
