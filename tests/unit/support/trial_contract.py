"""The contract of a trial: the order of its steps, and what it leaves when one of them fails.

The same tests run against a trial in which everything is pretended, and against one with real servers. Both
are the real `run_trial`. A subclass provides the fixture `run`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import TrialRecord
from fivenines.trial import measurement, session, verification
from fivenines.trial.trial import run_trial

EXPERIMENT = """\
name: contract
trials: 1
solutions: [{solution: hot-standby, name: pair, engine: postgres-18}]
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [2]
load: {think_time: 25ms}
ledger: {probe: {every: 50ms}}
faults: [{fault: kill, target: primary, restart_after: 500ms}]
timing: {warmup: 500ms, steady: 1500ms, recovery: {at_most: 60s, until: rejoined, calm: 1s}, settle: 60s}
"""

ORDER = (
    "deploy",
    "warm up",
    "steady",
    "inject",
    "recover",
    "stop the load",
    "end the faults",
    "settle",
    "confirm the faults",
    "durability",
    "verify",
    "service",
    "collect logs",
    "abandon the faults",
    "tear down",
)
"""The steps of a trial."""

CLEANING = ("stop the load", "collect logs", "abandon the faults", "tear down")
"""The steps that also follow a failure."""

RECORDED = {
    "deployment": "deploy",
    "windows": "stop the load",
    "load": "stop the load",
    "settle_seconds": "settle",
    "faults": "stop the load",
}
"""Fields of the record, with the step after which they are known."""


@dataclass
class Steps:
    """Logs the steps of a trial, and makes one of them fail."""

    fails: str = ""
    error: Callable[[str], BaseException] = FiveninesError
    log: list[str] = field(default_factory=list)

    def take(self, step: str, act: Callable[[], Any]) -> Any:
        """Take a step, unless it is to fail; a step that cleans up fails once it is done."""
        self.log.append(step)
        if step == self.fails and step not in CLEANING:
            raise self.error(f"{step}: planted")
        result = act()
        if step == self.fails:
            raise self.error(f"{step}: planted")
        return result

    def logging(self, base: type[Any], **methods: str) -> Any:
        """Return a subclass whose methods are steps, by their names."""

        def wrapped(method: str, step: str) -> Any:
            inner = getattr(base, method)

            def call(one: Any, *arguments: Any, **named: Any) -> Any:
                return self.take(step, lambda: inner(one, *arguments, **named))

            return call

        body = {method: wrapped(method, step) for method, step in methods.items()}
        return type(base.__name__, (base,), body)


@dataclass
class Parts:
    """What a trial consists of, real or pretended."""

    deployed: type[Any]
    loads: type[Any]
    fault_runner: type[Any]
    judge: Callable[..., Any]
    service: Callable[..., Any]


@dataclass
class Ran:
    """What a trial left: its record, the steps that were taken, and the folder of its run."""

    record: TrialRecord
    log: list[str]
    folder: Path

    def known(self) -> set[str]:
        """Return the fields of `RECORDED` that have a value."""
        return {name for name in RECORDED if getattr(self.record, name) not in (None, [], {}, LoadSummary())}

    def left(self) -> list[str]:
        """Return the names of everything in the folder of trials."""
        return sorted(one.name for one in (self.folder / "trials").iterdir())


Run = Callable[[Steps], Ran]


def run_with(parts: Parts, steps: Steps, folder: Path, patch: pytest.MonkeyPatch) -> Ran:
    """Run a trial of `EXPERIMENT` with these parts."""
    file = folder / "contract.yaml"
    file.write_text(EXPERIMENT)
    experiment, _ = load_experiment(file)
    (planned,) = plan(experiment)
    deployed = steps.logging(
        parts.deployed,
        bring_up="deploy",
        settle="settle",
        require_durability="durability",
        collect_logs="collect logs",
        close="tear down",
    )
    loads = steps.logging(
        parts.loads, start="warm up", await_moment="steady", await_end="recover", stop="stop the load"
    )
    runner = steps.logging(
        parts.fault_runner,
        begin="inject",
        finish="end the faults",
        confirm="confirm the faults",
        abandon="abandon the faults",
    )
    patch.setattr(measurement, "Loads", loads)
    patch.setattr(measurement, "FaultRunner", runner)
    patch.setattr(session, "judge", lambda *one: steps.take("verify", lambda: parts.judge(*one)))
    service = parts.service
    patch.setattr(verification, "require_service", lambda *one: steps.take("service", lambda: service(*one)))
    run = folder / "run"
    record = run_trial(planned, experiment, run, 1, lambda _event: None, deployed)
    return Ran(record, steps.log, run)


class TrialContract:
    """The tests; a subclass has a fixture `run`, and may choose fewer steps to fail."""

    failing: ClassVar[tuple[str, ...]] = ORDER
    interrupted: ClassVar[tuple[str, ...]] = ("deploy", "warm up", "inject", "settle", "verify")

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrize by the steps of the subclass."""
        for name in ("failing", "interrupted"):
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, getattr(self, name))

    def test_the_steps_are_taken_in_order_and_everything_is_recorded(self, run: Run) -> None:
        ran = run(Steps())
        assert ran.record.status == "complete", ran.record.reason
        assert ran.log == list(ORDER)
        assert ran.known() == set(RECORDED)
        assert ran.left() == [ran.record.id]
        self._is_written(ran, ran.record.id)

    def test_a_step_that_fails_ends_the_trial_and_what_was_measured_is_recorded(
        self, run: Run, failing: str
    ) -> None:
        ran = run(Steps(failing))
        at = ORDER.index(failing)
        assert ran.record.status == "broken"
        assert f"{failing}: planted" in ran.record.reason
        steps = [*ORDER[: at + 1], *(one for one in ORDER[at + 1 :] if _cleans(one, at))]
        assert ran.log == steps, (ran.log, ran.record.reason)
        known = {name for name, step in RECORDED.items() if ORDER.index(step) < at}
        assert ran.known() == known
        name = f"{ran.record.id}.broken-1"
        assert ran.left() == [name]
        self._is_written(ran, name)

    def test_an_interruption_passes_and_leaves_nothing(
        self, run: Run, interrupted: str, tmp_path: Path
    ) -> None:
        steps = Steps(interrupted, KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt, match="planted"):
            run(steps)
        assert steps.log[-1] == "tear down"
        assert list((tmp_path / "run" / "trials").iterdir()) == []

    def _is_written(self, ran: Ran, name: str) -> None:
        """The folder has the record that was returned, and no scratch files."""
        folder = ran.folder / "trials" / name
        assert TrialRecord.model_validate_json((folder / "trial.json").read_text()) == ran.record
        assert not (folder / "lab").exists()


def _cleans(step: str, failed: int) -> bool:
    """Whether a step also follows the failure of an earlier one: it ends only what has begun."""
    begins = {"stop the load": "warm up", "abandon the faults": "steady"}
    return step in CLEANING and failed >= ORDER.index(begins.get(step, "deploy"))
