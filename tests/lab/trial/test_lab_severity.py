"""Dead zones: a disk that is slow enough to starve a cluster that no manager watches."""

from pathlib import Path

import pytest
from lab_support import GENTLE

from fivenines.analysis.availability.severity import Severity, severities
from fivenines.analysis.performance.sweeps import compared
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.report.chapters.availability.severity import severity_answers
from fivenines.results import store
from fivenines.trial.progress import Progress

pytestmark = pytest.mark.usefixtures("patient")

TEXT = """name: planted
trials: {trials}
workloads: [oltp_read_write]
connections: [2]
solutions: [{{solution: hot-standby, engine: postgres-18, manager: none}}]
faults: [{{fault: slow-disk, duration: {duration}, severity: {{of: delay, at_least: 1ms, at_most: 2s}}}}]
timing: {{warmup: 500ms, steady: 4s, recovery: {{at_most: 30s, until: rejoined, calm: 500ms}}}}
"""

# Two connections commit at most four times a second then, a fraction of what they do otherwise.
STARVES = 1.0


def searched(folder: Path, **settings: object) -> tuple[Severity, str]:
    """Search the delay from which the cluster starves; return it, and its sentence."""
    (folder / "planted.yaml").write_text(TEXT.format(**settings) + GENTLE)
    experiment, source = load_experiment(folder / "planted.yaml")
    progress: list[Progress] = []
    broken = run_campaign(experiment, source, plan(experiment), folder / "run", False, progress.append)
    assert not broken
    run = store.open_run(folder / "run")
    swept = compared(run)
    (found,) = severities(swept.searched, run.manifest)
    (answer,) = severity_answers(run, swept)
    for trial in run.complete:
        fault = trial.record.fault
        assert fault is not None and fault.verified and trial.record.severity is not None
    return found, answer.text


@pytest.mark.lasts(100)
def test_a_slow_disk_starves_a_cluster_without_a_failover(tmp_path: Path) -> None:
    found, text = searched(tmp_path, trials=6, duration="3s")
    assert len(found.tries) == 6 and found.not_counted == 0, found
    assert not any(one.failover for one in found.tries), found.tries
    slow = [one for one in found.tries if one.value >= STARVES]
    assert slow and all(one.served is not None and one.served < 0.5 for one in slow), found.tries
    assert ", slow-disk: " in text and "6 trials" in text, text


@pytest.mark.long
def test_the_dead_zone_of_a_slow_disk_is_found(tmp_path: Path) -> None:
    found, text = searched(tmp_path, trials=24, duration="6s")
    assert found.failover.state == "never" and found.starved.state == "bracketed", found
    assert found.zone is not None and 0.02 < found.zone.begin < STARVES and found.zone.end is None
    assert "dead zone from a delay of " in text
