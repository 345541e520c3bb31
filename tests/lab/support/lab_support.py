"""Run short experiments on real servers, in this process or by the program, and read their results."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import duckdb
import psutil
from lab_secrets import Lookout, looking_out

from fivenines.analysis.trials import TrialMeasures, measure_all
from fivenines.campaign.campaign import run_campaign
from fivenines.campaign.workers.base import Here
from fivenines.experiment.examples import FOLDER
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.results.records import NodeCheck, TrialRecord
from fivenines.results.store import Run, StoredTrial, open_run
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial import machine_watch
from fivenines.trial.deployment.deployed import Deployed, data_set
from fivenines.trial.progress import Progress, TrialPhase
from fivenines.trial.trial import run_trial as run_planned

# The first lines of an experiment file; all experiments share one data set per engine.
HEAD = """\
name: tiny
trials: 1
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [4]
"""

# Six tests share two processors: at full speed their loads would occupy these, and failovers would be late.
PAUSES = "load: {think_time: 100ms}\n"

# A log-in costs PostgreSQL 3 to 7 ms of CPU: 100 per second took a third of the machine.
TRIES = "ledger: {probe: {every: 100ms}}\n"

# For experiments that the program runs unchanged.
GENTLE = PAUSES + TRIES

# A dead server refuses at once; on a busy machine a live one may answer after more than a second.
OPERATOR = "{kind: operator, interval: 200ms, misses: 2, timeout: 3s}"
# For hosts that are cut off for some seconds, which answer nothing.
HASTY_OPERATOR = OPERATOR.replace("3s", "2s")

# The factor by which the tests wait longer than on a quiet machine.
PATIENCE = float(os.environ.get("FIVENINES_PATIENCE", "1"))
# Seconds after which a test gives up whatever it waits for: far longer than any wait on a busy machine.
LIMIT = 300 * PATIENCE

# Poolers do not run as root. A namespace in which this account has another number keeps its access to the
# files of a test, whatever the umask and the mode of the temporary folder.
UNPRIVILEGED = ("unshare", "--user", "--map-user=1", "--map-group=1")

# A recovery that ends with the expected event, not at a time that a busy machine may exceed.
RECOVERED = f"{{at_most: {60 * PATIENCE:g}s, until: rejoined, calm: 1s}}"

# Seconds for which a busy machine may suspend this process without breaking the trial. A campaign would
# repeat such a trial; these tests do not.
STANDSTILL = 20.0


def timing(recovery: float | None = None, steady: float = 1.5, settle: float = 90) -> str:
    """Return short phases of a trial, in seconds; without `recovery` the load ends after recovery."""
    after = f"{recovery}s" if recovery is not None else RECOVERED
    return (
        f"timing: {{warmup: 500ms, steady: {steady}s, recovery: {after}, settle: {settle * PATIENCE:g}s}}\n"
    )


def kill(target: str = "primary", restart_after: str = "2s") -> str:
    """Return the settings of the fault `kill`."""
    return f"faults: [{{fault: kill, target: {target}, restart_after: {restart_after}}}]\n"


@dataclass
class Outcome:
    """Provide the record and the folder of a trial that ran in this process."""

    record: TrialRecord
    folder: Path

    def node(self, name: str) -> NodeCheck:
        """Return the check of a node."""
        assert self.record.check is not None
        return next(node for node in self.record.check.nodes if node.node == name)

    def kinds(self) -> list[str]:
        """Return the kinds of the events in order."""
        return [event.kind for event in self.record.events]

    def rows(self, table: str, sql: str) -> list[tuple[object, ...]]:
        """Return the rows of a query over one of the trial's tables, named `rows` in the query."""
        source = f"read_parquet('{self.folder / table}.parquet')"
        with duckdb.connect() as connection:
            return connection.execute(f"WITH rows AS (FROM {source}) {sql}").fetchall()

    def measures(self) -> TrialMeasures:
        """Return the measures that a report would show."""
        return measure_all([self.stored()])[0]

    def stored(self) -> StoredTrial:
        """Return the trial as a run stores it."""
        return StoredTrial(self.folder, self.record)

    def writes_after_fault(self) -> int:
        """Return the load's successful writes in slots that begin more than a second after the fault."""
        fault = self.record.fault
        assert fault is not None
        sql = "SELECT coalesce(sum(writes_ok), 0) FROM rows WHERE source = 'load' AND slot_ms > "
        return int(str(self.rows("timeline", f"{sql}{fault.at + 1000}")[0][0]))


@dataclass
class Watcher:
    """Call `actions[phase]` with the deployment when a trial enters this phase."""

    actions: dict[str, Callable[[Deployed], None]] = field(default_factory=dict)
    deployed: Deployed | None = None

    def __call__(self, event: Progress) -> None:
        if isinstance(event, TrialPhase) and event.phase in self.actions:
            assert self.deployed is not None
            self.actions[event.phase](self.deployed)


def _seen(watcher: Watcher, lookout: Lookout) -> type[Deployed]:
    """Return a class that gives the deployment to the watcher, and its passwords to the lookout."""

    class Seen(Deployed):
        def bring_up(self, phase: Callable[[str], None] = lambda _phase: None) -> None:
            watcher.deployed = self
            lookout.watch(self.solution.passwords)
            super().bring_up(phase)

    return Seen


def run_trial(
    folder: Path, text: str, actions: dict[str, Callable[[Deployed], None]] | None = None, head: str = HEAD
) -> Outcome:
    """Run the only trial of an experiment in this process; it must complete."""
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
    """Add the driver's pace and the rate of connection probes unless the text sets them."""
    text = text if "\nload:" in text else text + PAUSES
    # Virtual machines are probed at their default rate, which is lower.
    seldom = "\nledger:" in text or "drbd" in text or "virtual-machines" in text
    return text if seldom else text + TRIES


@contextmanager
def deployed_small(folder: Path, settings: SolutionSettings) -> Iterator[Deployed]:
    """Deploy with the small data set of `HEAD`, without a load."""
    workload = Oltp(workload="oltp_read_write", tables=2, table_size=500)
    data = data_set(settings, workload, lambda _message, _fraction: None)
    with Deployed(settings, data, folder / "lab") as made:
        made.bring_up()
        yield made


def run_one(folder: Path, text: str, actions: dict[str, Callable[[Deployed], None]]) -> Run:
    """Run a complete experiment of one trial in this process; `text` is its file without `PAUSES`."""
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
    """Return a shipped recipe of `examples/programs` with shorter phases and less data."""
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
    """Check what holds for every trial with a fault: the fault took effect and the data were checked."""
    record = outcome.record
    assert record.fault is not None and record.fault.verified, record.fault
    assert record.check is not None and record.check.acknowledged > 0
    assert all(node.phantom == 0 and node.duplicate == 0 for node in record.check.nodes)
    rows = outcome.rows("held", "SELECT node, count(*) FROM rows GROUP BY node")
    final: dict[object, object] = dict(rows)  # type: ignore[arg-type]  # rows of two
    assert final == {node.node: node.present for node in record.check.nodes if node.present}
    assert record.load.transactions.ok > 0


def rejoined(outcome: Outcome) -> None:
    """Check that the broken node recovered, and that every node could be read and misses no row."""
    record = outcome.record
    assert record.fault is not None and record.check is not None
    assert record.fault.rejoined, record.fault.rejoin_detail
    assert [node.node for node in record.check.nodes if not node.reachable or node.lost] == []


def cache_with_damage(folder: Path, engine_name: str, file: str) -> Path:
    """Return a separate cache with the same engines, whose data set for `HEAD` has this file emptied."""
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
    """Return the command line of `fivenines`."""
    return [sys.executable, "-m", "fivenines", *map(str, arguments)]


def start_on(server: LocalServer, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `fivenines` in the network of a server's host, with a terminal of 80 columns."""
    return subprocess.Popen(
        server.host.commands.outside(program(*arguments)),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80"},
    )


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a started `fivenines`, which shows no traceback."""
    with process:
        out, err = process.communicate(timeout=LIMIT)
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess([], process.returncode, out, err)


def running(process: subprocess.Popen[str], command: str) -> psutil.Process:
    """Return the process of a command of fivenines, which its starter has started on a host."""
    for child in psutil.Process(process.pid).children(recursive=True):
        if "fivenines" in child.cmdline() and command in child.cmdline():
            return child
    raise AssertionError(f"{command} does not run")


def fivenines(
    *arguments: str | Path,
    cwd: Path,
    env: dict[str, str] | None = None,
    timeout: float = LIMIT,
    text: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run the program to completion, in a folder, with these variables and `text` on its standard input."""
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
