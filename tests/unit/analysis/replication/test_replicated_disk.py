"""A disk that nodes share: what was sent, and what the other node lacks, as curves and panels."""

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, write_run, write_table

from fivenines.analysis.resources.counters import curve, panels_of, watched
from fivenines.analysis.resources.panels import DISKS
from fivenines.results.layout import TABLES
from fivenines.results.store import StoredTrial, open_run

_MB = 1_000_000


def _trial(folder: Path, rows: list[tuple[object, ...]]) -> StoredTrial:
    run = open_run(write_run(folder / "run", replace(QUICKSTART, trials=1)))
    trial = run.trials[0]
    write_table(trial.folder, "disks", [dict(zip(TABLES["disks"], row, strict=True)) for row in rows])
    return trial


def test_curves_are_what_the_nodes_told(tmp_path: Path) -> None:
    trial = _trial(
        tmp_path,
        [
            (1000.0, "node1", "Connected", "UpToDate", 2 * _MB, 0, 10, 0),
            (1000.0, "node2", "Connected", "UpToDate", 0, 2 * _MB, 0, 0),
            (3000.0, "node1", "WFConnection", "UpToDate", 8 * _MB, 0, 20, 5 * _MB),
        ],
    )
    result = watched([trial])[trial.folder.name].counters
    sent, out_of_sync, updates = (curve(result, panel) for panel in DISKS)
    assert sent["node1"].v.tolist() == pytest.approx([3.0])
    assert out_of_sync["node1"].v.tolist() == [0, 5]
    assert out_of_sync["node2"].v.tolist() == [0]
    assert updates["node1"].v.tolist() == pytest.approx([5])
    assert set(DISKS) <= set(panels_of(result))


def test_a_cluster_without_such_a_disk_has_no_such_panels(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", replace(QUICKSTART, trials=1)))
    result = watched(run.trials)[run.trials[0].folder.name].counters
    assert not set(DISKS) & set(panels_of(result))
