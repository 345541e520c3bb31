"""A trial without servers fulfils the contract of a trial, see `trial_contract`."""

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from trial_contract import Parts, Ran, Run, Steps, TrialContract, run_with

from fivenines.results.configuration import Configuration
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import Deployment, FaultRecord, Unobserved
from fivenines.trial import measurement, session, verification


class PretendedDeployment:
    """Two nodes without servers."""

    def __init__(self, settings: Any, data: Path, folder: Path, *_: Any) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        network = SimpleNamespace(settings=SimpleNamespace(begins="deployment"))
        clocks = SimpleNamespace(records=dict)
        self.lab = SimpleNamespace(hosts={}, network=network, require_sound=lambda: None, clocks=clocks)
        self.solution = SimpleNamespace(
            roles=SimpleNamespace(certain_primary=lambda: None),
            nodes=[],
            serving=[],
            compared=False,
            hosts=SimpleNamespace(bears_connection_every=0.0),
            configuration=SimpleNamespace(parts_in_effect=list),
        )
        self.client_addresses: dict[str, int] = {}
        self.configuration = Configuration(files=[])

    def __enter__(self) -> "PretendedDeployment":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def bring_up(self, phase: Callable[[str], None]) -> None:
        phase("deploying")

    def record(self, _idle: Any) -> Deployment:
        return Deployment(seconds=1.0, phases={}, roles={}, settings={}, manager={}, access={})

    def settle(self, timeout: float, without: set[str]) -> str:
        return ""

    def require_durability(self) -> None:
        """Nothing is relaxed."""

    def collect_logs(self, target: Path) -> None:
        assert target.is_dir()

    def close(self) -> None:
        self.folder.rmdir()


class PretendedLoads:
    """A load that serves ten transactions a second."""

    ended = False

    def __init__(self, _deployed: Any, clients: Any, _plan: Any, _part: Path, live: Any, *_: Any):
        self.clients = [SimpleNamespace(plan=client) for client in clients]
        self.started_ns = 0
        self._live = live

    def start(self) -> int:
        self.started_ns = time.monotonic_ns()
        return self.started_ns

    def await_moment(self, _moment: float, or_end: bool = False) -> None:
        others = dict.fromkeys(("qps", "errors", "p95_ms", "ok", "failed", "in_doubt", "connected"), 1)
        self._live({"t": 2.0, "tps": 10.0, **others})

    def await_end(self, _timeout: float, _enough: Any) -> list[LoadSummary]:
        return [LoadSummary.of({"duration_s": 7.0})]

    def stop(self) -> None:
        """It has ended."""


class PretendedFaults:
    """One fault, which is verified."""

    def __init__(self, *_: Any, **_more: Any) -> None:
        self._begun = False

    def begin(self) -> None:
        self._begun = True

    def records(self) -> list[FaultRecord]:
        assert self._begun
        return [FaultRecord(kind="kill", node="node1", role="primary", at=2000.0, verified=True, detail="")]

    def events(self) -> list[Any]:
        return []

    def unexpected_primaries(self) -> dict[str, str]:
        return {}

    def end_early(self, _why: str) -> None:
        """It has ended."""

    def hurry(self, _deadline: float) -> None:
        """It has ended."""

    def finish(self) -> None:
        """It has ended."""

    def confirm(self) -> None:
        """It is verified."""

    def abandon(self) -> None:
        """Nothing is under way."""


PRETENDED = Parts(PretendedDeployment, PretendedLoads, PretendedFaults, lambda *_: [], lambda *_: None)


class TestPretendedTrial(TrialContract):
    @pytest.fixture
    def run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
        observers = SimpleNamespace(
            start=lambda _ns: None,
            alert=lambda: None,
            stop=lambda: None,
            unobserved=lambda: [Unobserved(node="node1", what="its counters", why="refused")],
            tables={},
        )
        monkeypatch.setattr(session, "data_set", lambda *_: tmp_path)
        monkeypatch.setattr(measurement, "Observers", lambda *_: observers)
        monkeypatch.setattr(measurement, "keep_measurements", lambda *_: None)
        monkeypatch.setattr(verification, "check_after", lambda *_: [])
        monkeypatch.setattr(measurement, "_TRIES_BEFORE", 0.0)

        def ran(steps: Steps) -> Ran:
            return run_with(PRETENDED, steps, tmp_path, monkeypatch)

        return ran
