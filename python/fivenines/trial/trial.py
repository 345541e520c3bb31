"""Run a trial and write its folder, which appears whole or not at all."""

import time
from datetime import UTC, datetime
from pathlib import Path

from fivenines.experiment.plan import Trial
from fivenines.experiment.spec import Experiment
from fivenines.lab.lab import remove_tree
from fivenines.results import layout, store
from fivenines.results.records import TrialRecord, WorkerRecord
from fivenines.trial.deployment.deployed import Deploy, Deployed
from fivenines.trial.machine_watch import watched
from fivenines.trial.progress import Listener
from fivenines.trial.session import perform
from fivenines.trial.state import TrialState


def run_trial(
    trial: Trial,
    experiment: Experiment,
    run: Path,
    attempt: int,
    listener: Listener,
    deploy: Deploy = Deployed,
    worker: WorkerRecord | None = None,
) -> TrialRecord:
    """Run a trial and write its folder: `<id>`, or `<id>.broken-<attempt>` with the reason and logs.

    `deploy` replaces the deployment, as a calibration does; the record contains `worker`.

    A failure within the trial breaks it without an exception. KeyboardInterrupt passes, and the folder is
    removed.

    Raises:
        NoSpaceError: the disk is full, so every other trial would fail as well; the folder is removed.
    """
    part = run.absolute() / layout.TRIALS / f".{trial.id}.part"
    remove_tree(part)
    (part / layout.LOGS).mkdir(parents=True)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    state = TrialState(trial, attempt, time.monotonic(), started, worker)
    try:
        _, reason = watched(run, lambda: perform(state, experiment, part, listener, deploy))
        record = state.record("broken" if reason else "complete", reason)
        broken = f".broken-{attempt}" if reason else ""
        target = layout.trial_folder(run, f"{trial.id}{broken}")
        for ticks in part.glob(f"{layout.LOAD}*/{layout.TICKS}"):
            ticks.unlink()
        store.write_json(part / layout.TRIAL, record)
    except BaseException:
        remove_tree(part)
        raise
    remove_tree(target)
    store.move(part, target)
    return record
