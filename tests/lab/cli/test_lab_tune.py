"""`fivenines tune` on a real cluster: it measures, stops by its budget, and continues."""

import json
from pathlib import Path
from typing import Any

import pytest

from fivenines.cli.timeouts.tune import tune
from fivenines.experiment.source import load_experiment
from fivenines.results.store import open_run

pytestmark = pytest.mark.long


def tuned(folder: Path, *, resume: bool) -> dict[str, Any]:
    """Measure the given settings, which need no other set: the budget is over then."""
    tune(
        "hot-standby",
        require=["needless < 1/day", "outage < 20s"],
        hiccups=["freeze 1/month fixed 1s"],
        settings=["manager.interval=500ms"],
        budget="1s",
        trials=6,
        file=folder / "tune.yaml",
        out=folder / "run",
        resume=resume,
        parallel="3",
        oversubscribe=True,
    )
    found: dict[str, Any] = json.loads((folder / "run" / "tune.json").read_text())
    return found


def test_given_settings_are_measured_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = tuned(tmp_path, resume=False)
    out = capsys.readouterr().out
    # Each check of a frozen PostgreSQL waits for 2 s: no freeze of up to 2 s leads to a failover.
    assert first["recommended"] == "as given" and not first["finished"], first
    assert "Keep the settings as given" in out and "The budget ended the search" in out
    (only,) = first["sets"]
    # A stall as the load ends, on a busy machine, makes an outage a lower bound, and a bound proves no limit.
    verdict = "inconclusive" if only["outage_ms"]["bounds"] else "met"
    assert only["name"] == "as given" and only["verdicts"]["outage_writes < 20s"] == verdict
    before = len(open_run(tmp_path / "run").complete)
    assert 11 <= before <= 12
    proof, _ = load_experiment(tmp_path / "tune-proof.yaml")
    assert [one.name for one in proof.solutions] == ["as given"]
    # A continuation has a budget of its own, and may measure the next set: no trial is made again.
    again = tuned(tmp_path, resume=True)
    assert again["sets"][0] == only
    names = [trial.record.cell.solution for trial in open_run(tmp_path / "run").complete]
    assert names.count("as given") == before
