"""Searches for the length of a fault: the choice of each length, and the end of a search."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.needless import Response
from fivenines.campaign.searches import Searches
from fivenines.experiment.interleaved_plan import Block
from fivenines.experiment.plan import Cell, Trial
from fivenines.faults.disks.slow_disk import SlowDiskSettings
from fivenines.faults.nodes.freeze import FreezeSettings
from fivenines.faults.settings import SearchSettings
from fivenines.faults.severity import SeveritySettings
from fivenines.results import layout, store
from fivenines.results.records import PlannedSeverity, PlannedTrial
from fivenines.trial.progress import CellSettled, Listener, Progress, silent

# Lengths in s of the trials that are done, and whether the cluster failed over: its threshold is near 3 s.
DONE = [(3.9, True), (2.0, False), (2.9, False), (3.3, True), (3.0, False), (3.15, True)]
# A cluster that never fails over.
CALM = [(0.5, False), *[(30.0, False)] * (len(DONE) - 1)]
PLANNED = 20
SEARCH = SearchSettings(at_least=0.5, at_most=30)


class Never:
    """A rule that spares nothing."""

    def spares(self, work: Trial | Block, listener: Listener) -> bool:
        return False

    def has_enough(self, work: Trial | Block) -> bool:
        return False

    def left(self, work: Sequence[Trial | Block]) -> list[Trial | Block]:
        return list(work)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Provide a run of a cell with a search, and of one without, whose first trials are done."""
    run = write_run(tmp_path / "run", Matrix([Recipe("a")], faults=["kill", "freeze"], trials=len(DONE)))
    manifest = store.open_run(run).manifest
    cells = list({item.cell: None for item in manifest.plan})
    more = [
        PlannedTrial(id=f"9{number:02}{index}", cell=cell, number=number, seed=1)
        for number in range(len(DONE) + 1, PLANNED + 1)
        for index, cell in enumerate(cells)
    ]
    plan = [
        item.model_copy(update={"search": (0.5, 30.0)} if item.cell.fault == "freeze" else {})
        for item in [*manifest.plan, *more]
    ]
    experiment = {**manifest.experiment, "trials": PLANNED}
    update = {"plan": plan, "experiment": experiment}
    store.write_json(run / layout.MANIFEST, manifest.model_copy(update=update))
    return run


def _trial(folder: Path, fault: str, number: int) -> Trial:
    plan = store.open_run(folder).manifest.plan
    planned = next(item for item in plan if item.cell.fault == fault and item.number == number)
    settings = FreezeSettings(fault="freeze", search=SEARCH if fault == "freeze" else None)
    cell = Cell(planned.cell, None, None, 4, None, settings)  # type: ignore[arg-type]  # the others are not read
    return Trial(planned.id, cell, number, 1)


def _searches(folder: Path, done: list[tuple[float, bool]] = DONE) -> Searches:
    """Return searches that know these outcomes of the trials that are done."""
    records = [item.record for item in store.open_run(folder).complete if item.record.cell.fault == "freeze"]
    planted = {
        record.id: Response("promoted" if failed else "none", hiccup_ms=1000 * seconds)
        for record, (seconds, failed) in zip(records, done, strict=False)
    }
    return Searches(folder, Never(), dict(planted) | {r.id: None for r in records[len(done) :]})


def test_the_next_length_is_where_the_outcomes_leave_most_doubt(folder: Path) -> None:
    trial = _trial(folder, "freeze", 7)
    ready = _searches(folder, DONE[:2]).prepared(trial)
    assert isinstance(ready, Trial)
    fault = ready.cell.fault
    assert fault.search is None and fault.lasts is not None and 2.0 < fault.lasts < 3.9
    assert (ready.id, ready.cell.key) == (trial.id, trial.cell.key)
    # a fault with a length keeps it
    other = _trial(folder, "kill", 7)
    assert _searches(folder).prepared(other) is other


def test_the_same_outcomes_lead_to_the_same_length(folder: Path) -> None:
    trial = _trial(folder, "freeze", 7)
    assert _searches(folder).prepared(trial) == _searches(folder).prepared(trial)


def test_a_search_ends_when_the_length_is_known(folder: Path) -> None:
    progress: list[Progress] = []
    searches = _searches(folder, [(1.0, False), (5.0, True)])
    assert not searches.spares(_trial(folder, "freeze", 7), progress.append)
    searches = _searches(folder, CALM)
    seventh, eighth = _trial(folder, "freeze", 7), _trial(folder, "freeze", 8)
    assert searches.spares(seventh, progress.append) and searches.spares(eighth, progress.append)
    (event,) = progress
    assert isinstance(event, CellSettled)
    assert (event.settled.trials, event.settled.spared) == (len(DONE), PLANNED - len(DONE))
    run = store.open_run(folder)
    assert {item.cell.fault for item in run.missing} == {"kill"}, "only trials of the search are spared"
    assert len(run.complete) == 2 * len(DONE)
    assert not searches.spares(_trial(folder, "kill", 7), silent)


def test_a_resumed_campaign_leaves_out_a_search_that_has_ended(folder: Path) -> None:
    work = [_trial(folder, fault, number) for number in (7, 8) for fault in ("kill", "freeze")]
    left = _searches(folder, CALM).left(work)
    assert [item.cell.key.fault for item in left if isinstance(item, Trial)] == ["kill", "kill"]
    assert len(_searches(folder, CALM[:1]).left(work)) == 4, "a search that goes on needs all"


SEVERITY = SeveritySettings(of="delay", at_least="5ms", at_most="20s")


def _severity_trial(folder: Path, number: int) -> Trial:
    """Return a trial of the cell whose fault has a severity in place of a length."""
    run = store.open_run(folder)
    planned = PlannedSeverity(of="delay", unit="time", at_least=0.005, at_most=20.0)
    plan = [
        item.model_copy(update={"search": None, "severity": planned}) if item.cell.fault == "freeze" else item
        for item in run.manifest.plan
    ]
    store.write_json(folder / layout.MANIFEST, run.manifest.model_copy(update={"plan": plan}))
    trial = _trial(folder, "freeze", number)
    settings = SlowDiskSettings(fault="slow-disk", severity=SEVERITY)
    return replace(trial, cell=replace(trial.cell, fault=settings))


def _severities(folder: Path, done: Sequence[tuple[float, float, bool]]) -> Searches:
    """Return searches that know value, share served and failover of the trials that are done."""
    records = [item.record for item in store.open_run(folder).complete if item.record.cell.fault == "freeze"]
    known: dict[str, Response | None] = dict.fromkeys(record.id for record in records)
    for record, (value, served, failed) in zip(records, done, strict=False):
        store.write_json(
            layout.trial_folder(folder, record.id) / layout.TRIAL,
            record.model_copy(update={"severity": value}),
        )
        known[record.id] = Response("promoted" if failed else "none", hiccup_ms=9000.0, served=served)
    return Searches(folder, Never(), known)


def test_the_severity_of_a_trial_follows_from_the_trials_before(folder: Path) -> None:
    trial = _severity_trial(folder, 7)
    ready = _severities(folder, [(0.1, 0.9, False), (0.4, 0.2, False)]).prepared(trial)
    assert isinstance(ready, Trial) and isinstance(ready.cell.fault, SlowDiskSettings)
    fault = ready.cell.fault
    assert fault.severity is None and ready.severity == fault.delay and fault.lasts == 5.0
    # Where half is not served is known to lie between both.
    assert 0.1 < fault.delay < 0.4


def test_a_search_for_a_severity_goes_on_until_both_values_are_known(folder: Path) -> None:
    trial = _severity_trial(folder, 7)
    # Starved from 0.2 s on; whether it fails over is open beyond 0.4 s.
    done = [(0.1, 0.9, False), (0.4, 0.2, False), (0.21, 0.1, False), (0.19, 0.9, False)]
    assert not _severities(folder, done).spares(trial, silent)
