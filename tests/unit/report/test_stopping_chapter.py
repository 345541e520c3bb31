"""The chapter on trials as needed, and the intervals of such a run."""

from pathlib import Path

from synthetic_run import QUICKSTART, write_run

from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.statistics.sequential import level
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.stopping import chapter
from fivenines.report.html.page import render
from fivenines.results import layout, store
from fivenines.results.records import Settled
from fivenines.results.store import Run

NEEDED = {"at_least": 2, "at_most": 9, "until": {"measure": "outage_writes", "within": "60%"}}


def _run(folder: Path) -> Run:
    path = write_run(folder / "run", QUICKSTART)
    manifest = store.open_run(path).manifest
    cell = manifest.plan[0].cell
    settled = Settled(cell=cell, trials=3, measured=True, spared=6, seconds=240)
    changed = {"experiment": {**manifest.experiment, "trials": NEEDED}, "settled": [settled]}
    store.write_json(path / layout.MANIFEST, manifest.model_copy(update=changed))
    return store.open_run(path)


def test_a_fixed_number_has_no_chapter(tmp_path: Path) -> None:
    run = store.open_run(write_run(tmp_path / "run", QUICKSTART))
    assert not chapter(Data(run, compared(run))).filled


def test_the_chapter_reports_endings_savings_and_limits(tmp_path: Path) -> None:
    run = _run(tmp_path)
    section = chapter(Data(run, compared(run)))
    assert section.texts[0] == (
        "2 of 2 cells are settled: the 95 % interval of the outage of writes is within ±60 % of the mean. "
        "6 trials of the largest plan were saved, about 4 min."
    )
    assert "in up to 63 % of faults may have been missed" in section.texts[1]
    assert "repeated confidence intervals" in section.texts[2]
    assert [row[-1] for row in section.tables[0].rows] == ["settled", "settled"]
    assert "Number of trials" in render(run)


def test_all_intervals_of_the_run_are_the_wider_ones(tmp_path: Path) -> None:
    fixed = store.open_run(write_run(tmp_path / "fixed", QUICKSTART))
    usual, wide = compared(fixed).cells, compared(_run(tmp_path)).cells
    for one, other in zip(usual, wide, strict=True):
        assert one.tps.mean == other.tps.mean
        assert one.tps.ci_high is not None and other.tps.ci_high is not None
        assert other.tps.ci_high > one.tps.ci_high
        assert other.tps.nominal == other.latency["p99"].nominal == level(2, 9)
        assert other.failover.summary.nominal == other.writes.total.nominal == level(2, 9)
