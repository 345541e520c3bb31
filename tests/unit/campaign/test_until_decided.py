"""Work that is left out once claims are decided, on run folders of invented figures."""

from pathlib import Path
from typing import Any

import pytest
from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import Matrix, Recipe

from fivenines.analysis.measures.trials import UntilDecidedSettings
from fivenines.campaign.until_decided import UntilDecided
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Cell, Trial
from fivenines.results import layout, store
from fivenines.results.records import PlannedBlock, PlannedTrial
from fivenines.trial.progress import ClaimsDecided, Progress, silent

DONE, PLANNED = 3, 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of one cell with trials and two cells with blocks; three of six of each are complete."""
    matrix = Matrix([Recipe("fast", outage=2000)], faults=["kill"], trials=DONE)
    run = write_interleaved_run(tmp_path / "run", SyntheticBlock(blocks=DONE), matrix)
    manifest = store.open_run(run).manifest
    trials, blocks = manifest.plan[0], manifest.blocks[0]
    for number in range(DONE + 1, PLANNED + 1):
        manifest.plan.append(PlannedTrial(id=f"9{number:03d}", cell=trials.cell, number=number, seed=1))
        manifest.blocks.append(
            PlannedBlock(id=f"block-{number:03d}", cells=blocks.cells, number=number, seed=1)
        )
    store.write_json(run / layout.MANIFEST, manifest)
    return run


def _rule(folder: Path, decided: bool, **settings: Any) -> UntilDecided:
    rule = UntilDecidedSettings.model_validate({"at_least": DONE, **settings})
    return UntilDecided(rule, folder, lambda: decided)


def _work(folder: Path, number: int) -> list[Trial | Block]:
    """The trial and the block of a number, with no more than the rule looks at."""
    manifest = store.open_run(folder).manifest
    trial = next(item for item in manifest.plan if item.number == number)
    block = next(item for item in manifest.blocks if item.number == number)
    cell = Cell(trial.cell, None, None, 8, None, None)  # type: ignore[arg-type]
    return [Trial(trial.id, cell, number, 1), Block(block.id, (cell,), number, 1)]


def test_decided_claims_spare_trials_and_blocks_once(folder: Path) -> None:
    progress: list[Progress] = []
    rule = _rule(folder, decided=True)
    trial, block = _work(folder, DONE + 1)
    assert not rule.has_enough(trial)
    assert rule.spares(trial, progress.append) and rule.spares(block, progress.append)
    (event,) = progress
    assert isinstance(event, ClaimsDecided)
    assert (event.decided.replications, event.decided.why, event.decided.spared) == (DONE, "decided", 6)
    assert event.decided.seconds > 0
    run = store.open_run(folder)
    assert run.manifest.decided == event.decided
    assert {trial.number for trial in run.manifest.plan} == {1, 2, 3}
    assert {block.number for block in run.manifest.blocks} == {1, 2, 3}
    assert rule.has_enough(trial) and rule.has_enough(block)


def test_open_claims_spare_nothing(folder: Path) -> None:
    rule = _rule(folder, decided=False)
    work = _work(folder, DONE + 1)
    assert not any(rule.spares(item, silent) for item in work)
    assert rule.left(work) == work
    assert store.open_run(folder).manifest.decided is None


def test_no_look_before_at_least(folder: Path) -> None:
    rule = _rule(folder, decided=True, at_least=DONE + 1)
    assert not any(rule.spares(item, silent) for item in _work(folder, DONE + 1))


def test_no_look_while_a_trial_of_the_replication_runs(folder: Path) -> None:
    rule = _rule(folder, decided=True)
    trial, block = _work(folder, DONE + 1)
    last = store.open_run(folder).manifest.blocks[DONE - 1]
    place = layout.trial_folder(folder, last.id)
    place.rename(place.with_name(f".{last.id}.part"))
    assert not rule.spares(trial, silent)
    place.with_name(f".{last.id}.part").rename(place)
    assert rule.spares(block, silent)


def test_claims_are_judged_once_for_each_replication(folder: Path) -> None:
    looks: list[int] = []

    def decided() -> bool:
        looks.append(1)
        return False

    rule = UntilDecided(UntilDecidedSettings(at_least=DONE), folder, decided)
    for item in _work(folder, DONE + 1):
        rule.spares(item, silent)
    assert looks == [1]


@pytest.mark.parametrize(("within", "why"), [("1s", "time"), ("1h", None)])
def test_time_ends_a_part_without_a_decision(folder: Path, within: str, why: str | None) -> None:
    rule = _rule(folder, decided=False, within=within)
    rule.spares(_work(folder, DONE + 1)[0], silent)
    decided = store.open_run(folder).manifest.decided
    assert (None if decided is None else decided.why) == why


def test_a_resumed_campaign_looks_again(folder: Path) -> None:
    work = _work(folder, DONE + 1)
    assert _rule(folder, decided=True).left(work) == []
    assert _rule(folder, decided=True).left([]) == []
