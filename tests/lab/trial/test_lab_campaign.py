"""Campaigns: complete folders, broken trials stored and retried once, resumed runs, foreign folders
refused.
"""

import json
from pathlib import Path

import pytest
from lab_support import GENTLE, HEAD, cache_with_damage, timing

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.results import store
from fivenines.trial.progress import (
    CampaignFinished,
    CampaignStarted,
    CellSettled,
    Progress,
    TrialBroken,
    TrialFinished,
    TrialLive,
)

pytestmark = pytest.mark.usefixtures("patient")

STANDALONE = "solutions: [{solution: standalone, engine: postgres-18}]\n"


def _run(folder: Path, text: str, resume: bool = False) -> list[Progress]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny.yaml").write_text(text)
    experiment, source = load_experiment(folder / "tiny.yaml")
    progress: list[Progress] = []
    run_campaign(experiment, source, plan(experiment), folder / "run", resume, progress.append)
    return progress


def test_a_campaign_writes_whole_folders_and_is_not_repeated(tmp_path: Path) -> None:
    text = HEAD + STANDALONE + GENTLE + timing(recovery=1)
    progress = _run(tmp_path, text)
    assert [type(event) for event in progress if isinstance(event, CampaignStarted | TrialFinished)] == [
        CampaignStarted,
        TrialFinished,
    ]
    assert isinstance(progress[-1], CampaignFinished)
    assert any(isinstance(event, TrialLive) and event.tps > 0 for event in progress)
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.broken, run.missing, run.problems) == (1, [], [], [])
    assert run.manifest.source == text
    assert run.manifest.engines["postgres-18"].startswith("18.")
    assert run.manifest.experiment["trials"] == 1
    (trial,) = run.complete
    files = {path.name for path in trial.folder.iterdir()}
    assert files >= {
        "trial.json",
        "timeline.parquet",
        "ledger.parquet",
        "hosts.parquet",
        "latency.hlog",
        "logs",
    }
    assert (trial.folder / "logs/node1/conf/postgresql.conf").exists()
    assert trial.record.deployment is not None and trial.record.deployment.seconds > 0
    assert trial.record.fault is None and trial.record.check is not None
    assert trial.record.check.nodes[0].lost == 0
    assert trial.record.controller_cpu is not None

    with pytest.raises(UsageError, match="already contains a run"):
        _run(tmp_path, text)
    progress = _run(tmp_path, text, resume=True)
    assert [event.total for event in progress if isinstance(event, CampaignStarted)] == [0]
    with pytest.raises(UsageError, match="another experiment"):
        _run(tmp_path, text.replace("steady: 1.5s", "steady: 2s"), resume=True)


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [("mariadb-10.11", "ibdata1", "ibdata1"), ("postgres-18", "global/pg_control", "pg_control")],
)
def test_a_server_that_does_not_start_breaks_the_trial_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, file: str, message: str
) -> None:
    monkeypatch.setenv("FIVENINES_CACHE", str(cache_with_damage(tmp_path, name, file)))
    text = HEAD + f"solutions: [{{solution: standalone, engine: {name}}}]\n" + GENTLE + timing(recovery=1)
    progress = _run(tmp_path, text)
    broken = [event for event in progress if isinstance(event, TrialBroken)]
    assert [event.will_retry for event in broken] == [True, False]
    run = store.open_run(tmp_path / "run")
    assert (run.complete, len(run.missing)) == ([], 1)
    assert [trial.folder.name for trial in run.broken] == ["0001.broken-1", "0001.broken-2"]
    for trial in run.broken:
        assert trial.record.status == "broken"
        assert "node1: the server did not start" in trial.record.reason
        assert message in trial.record.reason
        logs = [path.read_text() for path in (trial.folder / "logs/node1/log").iterdir()]
        assert any(message in log for log in logs)
    # Once the cause is removed, the same run goes on.
    assert [type(event) for event in _run(tmp_path, text, resume=True)][-1] is CampaignFinished
    assert len(store.open_run(tmp_path / "run").broken) == 4


def test_a_run_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    text = HEAD + STANDALONE + GENTLE + timing(recovery=1)
    (tmp_path / "run").mkdir()
    manifest = {"format": 99, "fivenines": "7.0"}
    (tmp_path / "run/manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FiveninesError, match="99"):
        _run(tmp_path, text, resume=True)
    with pytest.raises(FiveninesError):
        _run(tmp_path, text)
    assert json.loads((tmp_path / "run/manifest.json").read_text()) == manifest


def _needed(at_least: int, at_most: int) -> str:
    trials = f"{{at_least: {at_least}, at_most: {at_most}, until: {{measure: tps, within: 100%}}}}"
    text = HEAD.replace("trials: 1", f"trials: {trials}").replace("read_write", "point_select")
    return text + STANDALONE + "load: {rate: 40, arrivals: poisson}\n" + timing(recovery=1, steady=4)


def test_trials_end_at_the_target_precision_and_continue_for_a_higher_one(tmp_path: Path) -> None:
    # Any machine meets twice the offered rate. With random arrivals three trials do not yield equal figures,
    # of which five would be needed.
    progress = _run(tmp_path, _needed(3, 5))
    (event,) = [step.settled for step in progress if isinstance(step, CellSettled)]
    assert (event.trials, event.spared, event.measured) == (3, 2, True)
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.missing, run.manifest.settled) == (3, [], [event])

    progress = _run(tmp_path, _needed(4, 5), resume=True)
    (event,) = [step.settled for step in progress if isinstance(step, CellSettled)]
    run = store.open_run(tmp_path / "run")
    assert (len(run.complete), run.missing, run.manifest.settled) == (4, [], [event])
