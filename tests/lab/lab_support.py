"""Short experiments on real servers, run in this process or as the program, and what they leave."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import duckdb
from lab_secrets import Lookout, looking_out

from fivenines.analysis.trials import TrialMeasures, measure_all
from fivenines.deployment.deployed import Deployed, data_set
from fivenines.experiment.examples import FOLDER
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.load import dataset
from fivenines.results.records import NodeCheck, TrialRecord
from fivenines.results.store import Run, StoredTrial, open_run
from fivenines.runner import machine_watch
from fivenines.runner.campaign import run_campaign
from fivenines.runner.progress import Progress, TrialPhase
from fivenines.runner.trial import run_trial as run_planned
from fivenines.runner.workers.base import Here
from fivenines.software.store import engine
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.oltp import Oltp

# The beginning of an experiment file; all share one data set per engine.
HEAD = """\
name: tiny
trials: 1
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [4]
"""

# Six tests run beside each other on two processors: at full speed their loads alone would fill these, and
# what each waits for, as the failover of another's servers, would be late.
PAUSES = "load: {think_time: 100ms}\n"

# A log-in costs PostgreSQL 3 to 7 ms of a processor: 100 a second took a third of the machine.
TRIES = "ledger: {probe: {every: 100ms}}\n"

# For experiments that the program runs as they are written.
GENTLE = PAUSES + TRIES

OPERATOR = "{kind: operator, interval: 200ms, misses: 2}"
# For kills, which refuse at once: a server of a busy machine that answers after a second is not dead.
PATIENT = OPERATOR.replace("}", ", timeout: 3s}")

# How many times longer than on a quiet machine the tests wait for what they mean.
PATIENCE = float(os.environ.get("FIVENINES_PATIENCE", "1"))

# A recovery that ends with what it is there for, not at a time that a busy machine may pass.
RECOVERED = f"{{at_most: {60 * PATIENCE:g}s, until: rejoined, calm: 1s}}"

# Seconds for which a busy machine may keep this process waiting without breaking the trial: a campaign would
# run it again, and these tests do not.
STANDSTILL = 20.0


def timing(recovery: float | None = None, steady: float = 1.5, settle: float = 90) -> str:
    """Short phases of a trial, in seconds; without a `recovery` its load ends once all is well again."""
    after = f"{recovery}s" if recovery is not None else RECOVERED
    return (
        f"timing: {{warmup: 500ms, steady: {steady}s, recovery: {after}, settle: {settle * PATIENCE:g}s}}\n"
    )


def kill(target: str = "primary", restart_after: str = "2s") -> str:
    """The fault `kill`."""
    return f"faults: [{{fault: kill, target: {target}, restart_after: {restart_after}}}]\n"


@dataclass
class Outcome:
    """What a trial in this process left: its record and its folder."""

    record: TrialRecord
    folder: Path

    def node(self, name: str) -> NodeCheck:
        """What was found on a node."""
        assert self.record.check is not None
        return next(node for node in self.record.check.nodes if node.node == name)

    def kinds(self) -> list[str]:
        """The kinds of the events in their order."""
        return [event.kind for event in self.record.events]

    def rows(self, table: str, sql: str) -> list[tuple[object, ...]]:
        """The rows of a query over one of the trial's tables, which it calls `rows`."""
        source = f"read_parquet('{self.folder / table}.parquet')"
        with duckdb.connect() as connection:
            return connection.execute(f"WITH rows AS (FROM {source}) {sql}").fetchall()

    def measures(self) -> TrialMeasures:
        """What a report would measure of it."""
        return measure_all([self.stored()])[0]

    def stored(self) -> StoredTrial:
        """The trial as a run has it."""
        return StoredTrial(self.folder, self.record)

    def writes_after_fault(self) -> int:
        """Successful writes of the load, in slots that begin more than a second after the fault."""
        fault = self.record.fault
        assert fault is not None
        sql = "SELECT coalesce(sum(writes_ok), 0) FROM rows WHERE source = 'load' AND slot_ms > "
        return int(str(self.rows("timeline", f"{sql}{fault.at + 1000}")[0][0]))


@dataclass
class Watcher:
    """A listener that calls `actions[phase]` with the deployment when a trial enters this phase."""

    actions: dict[str, Callable[[Deployed], None]] = field(default_factory=dict)
    deployed: Deployed | None = None

    def __call__(self, event: Progress) -> None:
        if isinstance(event, TrialPhase) and event.phase in self.actions:
            assert self.deployed is not None
            self.actions[event.phase](self.deployed)


def _seen(watcher: Watcher, lookout: Lookout) -> type[Deployed]:
    """Lets the watcher see the deployment of the trial that runs, and nobody its passwords."""

    class Seen(Deployed):
        def bring_up(self, phase: Callable[[str], None] = lambda _phase: None) -> None:
            watcher.deployed = self
            lookout.watch(self.solution.passwords)
            super().bring_up(phase)

    return Seen


def run_trial(
    folder: Path, text: str, actions: dict[str, Callable[[Deployed], None]] | None = None, head: str = HEAD
) -> Outcome:
    """Run the one trial of an experiment in this process; it must come to its end."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "experiment.yaml"
    file.write_text(_with_pauses(head + text))
    experiment, _ = load_experiment(file)
    (trial,) = plan(experiment)
    watcher = Watcher(actions or {})
    with looking_out(folder) as lookout, mock.patch.object(machine_watch, "PAUSE", STANDSTILL):
        seen = _seen(watcher, lookout)
        record = run_planned(trial, experiment, folder, 1, watcher, seen)
    assert record.status == "complete", record.reason
    return Outcome(record, folder / "trials" / trial.id)


def _with_pauses(text: str) -> str:
    """Unless it says itself how it is driven, and how often fresh connections are tried."""
    text = text if "\nload:" in text else text + PAUSES
    # virtual machines are tried less often by themselves
    seldom = "\nledger:" in text or "drbd" in text or "virtual machines" in text
    return text if seldom else text + TRIES


@contextmanager
def brought_up(folder: Path, settings: SolutionSettings) -> Iterator[Deployed]:
    """A deployment with the small data set of `HEAD`, without a load."""
    workload = Oltp(workload="oltp_read_write", tables=2, table_size=500)
    data = data_set(settings, workload, lambda _message, _fraction: None)
    with Deployed(settings, data, folder / "lab") as made:
        made.bring_up()
        yield made


def run_one(folder: Path, text: str, actions: dict[str, Callable[[Deployed], None]]) -> Run:
    """Run a whole experiment of one trial in this process; `text` is all of its file but `PAUSES`."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "experiment.yaml"
    file.write_text(_with_pauses(text))
    experiment, source = load_experiment(file)
    watcher = Watcher(actions)
    with looking_out(folder) as lookout, mock.patch.object(machine_watch, "PAUSE", STANDSTILL):
        broken = run_campaign(
            experiment,
            source,
            plan(experiment),
            folder / "run",
            resume=False,
            listener=watcher,
            workers=[Here(_seen(watcher, lookout))],
        )
    run = open_run(folder / "run")
    assert broken == [], [trial.record.reason for trial in run.broken]
    return run


def short_recipe(recipe: str) -> str:
    """A recipe of `examples/programs` as it is shipped, with shorter phases and less to load."""
    text = (FOLDER / "programs" / f"{recipe}.yaml").read_text()
    head, _, _ = text.partition("faults:")
    small = "workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]"
    return (
        head.replace("trials: 3", "trials: 1")
        .replace("workloads: [oltp_read_write]", small)
        .replace("connections: [8]", "connections: [4]")
        + "faults: [{fault: kill, target: primary, restart_after: 3s}]\n"
        + timing(steady=2)
    )


def sound(outcome: Outcome) -> None:
    """What must hold of every trial with a fault, whichever solution: it struck, data were checked."""
    record = outcome.record
    assert record.fault is not None and record.fault.verified, record.fault
    assert record.check is not None and record.check.acknowledged > 0
    assert all(node.phantom == 0 and node.duplicate == 0 for node in record.check.nodes)
    rows = outcome.rows("held", "SELECT node, count(*) FROM rows GROUP BY node")
    final: dict[object, object] = dict(rows)  # type: ignore[arg-type]  # rows of two
    assert final == {node.node: node.present for node in record.check.nodes if node.present}
    assert record.load["transactions"]["ok"] > 0


def rejoined(outcome: Outcome) -> None:
    """The broken node came back, and every node could be read and misses nothing."""
    record = outcome.record
    assert record.fault is not None and record.check is not None
    assert record.fault.rejoined, record.fault.rejoin_detail
    assert [node.node for node in record.check.nodes if not node.reachable or node.lost] == []


def cache_with_damage(folder: Path, engine_name: str, file: str) -> Path:
    """A cache of its own, with the same engines, whose data set for `HEAD` has this file emptied."""
    workload = Oltp(workload="oltp_read_write", tables=2, table_size=500)
    whole = dataset.ensure(engine(engine_name), workload, lambda _message, _fraction: None)
    own = folder / "cache"
    (own / "data").mkdir(parents=True)
    (own / "engines").symlink_to(whole.parents[1] / "engines")
    damaged = own / "data" / whole.name
    subprocess.run(["cp", "-a", "--sparse=always", str(whole), str(damaged)], check=True)
    (damaged / "data" / file).write_bytes(b"")
    return own


def program(*arguments: str | Path) -> list[str]:
    """The command line of the program `fivenines`."""
    return [sys.executable, "-m", "fivenines", *map(str, arguments)]


def fivenines(
    *arguments: str | Path, cwd: Path, env: dict[str, str] | None = None, timeout: float = 300, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, in a folder, with these variables and `text` on its standard input."""
    return subprocess.run(
        program(*arguments),
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200", **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        input=text,
    )
