"""A trial with real servers fulfils the contract of a trial, and leaves no process."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from lab_support import STANDSTILL
from trial_contract import Parts, Ran, Run, Steps, TrialContract, run_with

from fivenines.analysis.consistency.isolation.check import judge
from fivenines.trial import machine_watch, verification
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.faults.timeline import FaultRunner
from fivenines.trial.load.loads import Loads


def _processes_of(folder: Path) -> list[list[str]]:
    """Return the command lines that name a folder."""
    found = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [line for line in found if any(str(folder) in word for word in line)]


@pytest.mark.lasts(90)
class TestRealTrial(TrialContract):
    # Each case leaves something different running: half a deployment, a load, a dead node, an ended load.
    failing = ("deploy", "steady", "inject", "settle", "tear down")
    interrupted = ("recover",)

    @pytest.fixture
    def run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
        monkeypatch.setattr(machine_watch, "PAUSE", STANDSTILL)
        parts = Parts(Deployed, Loads, FaultRunner, judge, verification.require_service)

        def ran(steps: Steps) -> Ran:
            return run_with(parts, steps, tmp_path, monkeypatch)

        yield ran
        assert _processes_of(tmp_path) == []
