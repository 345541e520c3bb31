"""Interleaved comparison of two real PostgreSQL servers: one is loaded at a time, and the slower one is
detected.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest
from lab_support import PATIENCE

from fivenines.analysis.performance.interleaved import InterleavedResult, interleaved_results
from fivenines.campaign.campaign import run_campaign
from fivenines.campaign.workers.base import Here
from fivenines.experiment.interleaved_plan import blocks
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.report import tables, write_html
from fivenines.results.store import Run, open_run
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.progress import Progress, TrialPhase

pytestmark = pytest.mark.usefixtures("patient")

# Each commit of the slower server waits for 100 ms by its settings, which is long compared with a transaction
# on any machine.
HEAD = """\
name: tiny
workloads: [{workload: oltp_update_non_index, tables: 2, table_size: 5000, distribution: uniform}]
connections: [4]
"""
# Rows are chosen uniformly: deadlocked transactions would wait for longer than a window.

# A server on which autovacuum works is not idle.
SOLUTIONS = """\
solutions:
  - {solution: standalone, name: plain, engine: postgres-18, server: {autovacuum: false}}
  - solution: standalone
    name: delayed
    engine: postgres-18
    server: {autovacuum: false, commit_delay: 100000, commit_siblings: 0}
"""
BLOCK = f"""design: interleaved
interleaved: {{blocks: 1, rounds: 6, window: {1000 + 500 * PATIENCE:g}ms, skip: 250ms}}
timing: {{warmup: 500ms}}
"""


@dataclass(frozen=True)
class Look:
    """Record the growth of each server's log between two moments of CLOCK_MONOTONIC."""

    before: float
    positions: list[int]
    after: float


@dataclass
class Watched:
    """Hold the servers of the running block by solution, and sample them continuously."""

    deployed: dict[str, Deployed] = field(default_factory=dict)
    looks: list[Look] = field(default_factory=list)
    at_round: dict[str, Callable[[dict[str, Deployed]], None]] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    deploy: type[Deployed] = Deployed

    def __call__(self, event: Progress) -> None:
        if not isinstance(event, TrialPhase) or not event.phase.endswith("is loaded"):
            return
        if action := self.at_round.get(event.phase.partition(":")[0]):
            action(self.deployed)
        if self.thread is None and not self.at_round:
            self.thread = threading.Thread(target=self._watch, daemon=True)
            self.thread.start()

    def _watch(self) -> None:
        with ExitStack() as stack, suppress(Exception):
            nodes = [self.deployed[name].solution.nodes[0] for name in ("plain", "delayed")]
            sessions = [stack.enter_context(node.sql.connect()) for node in nodes]
            while not self.over.wait(0.1):
                before = time.monotonic()
                positions = [_position(session) for session in sessions]
                self.looks.append(Look(before, positions, time.monotonic()))


def _position(session: Any) -> int:
    """Return the bytes of write-ahead log written until now."""
    row = session.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    return int(row[0])


@pytest.fixture
def watched() -> Iterator[Watched]:
    found = Watched()

    class Seen(Deployed):
        def bring_up(self, phase: Callable[[str], None] = lambda _phase: None) -> None:
            super().bring_up(phase)
            found.deployed[self.solution.settings.name] = self

    found.deploy = Seen
    yield found
    found.over.set()


def _run(
    folder: Path, text: str, listener: Callable[[Progress], None], deploy: type[Deployed] = Deployed
) -> Run:
    experiment = parse_experiment(text, "interleaved.yaml")
    run_campaign(
        experiment,
        text,
        [*blocks(experiment), *plan(experiment)],
        folder,
        (folder / "manifest.json").exists(),
        listener,
        [Here(deploy)],
    )
    return open_run(folder)


def test_one_solution_is_loaded_at_a_time_and_the_slower_one_is_reported(
    tmp_path: Path, watched: Watched
) -> None:
    run = _run(tmp_path / "run", HEAD + SOLUTIONS + BLOCK, watched, watched.deploy)
    assert (run.complete, run.problems, len(run.blocks)) == ([], [], 1)
    assert run.blocks[0].complete, run.blocks[0].record.reason
    (result,) = interleaved_results(run)
    _require_turns(result)
    _require_idle(run, result, watched.looks)
    _require_timelines(run, result)
    plain, delayed = result.ranked
    assert (plain.key.solution, delayed.key.solution) == ("plain", "delayed")
    ratios = result.pair(plain.key, delayed.key).ratios
    assert ratios["throughput"].differs and ratios["throughput"].ratio > 1.5
    assert ratios["mean"].differs and ratios["mean"].ratio < 1 / 1.5
    # An idle server uses a fraction of the CPU of a loaded one. The delayed one waits most of the time.
    # What was sampled late on a busy machine is left out.
    loaded, *idle = plain.cpu[0], plain.cpu[1], delayed.cpu[1]
    assert loaded is None or all(cpu < loaded / 2 for cpu in idle if cpu is not None)
    # The report gives a difference below a factor of two in per cent, otherwise as a factor.
    output = tables(run, "md")
    assert "Speed: plain is" in output
    assert "% faster than delayed" in output or "times as fast as delayed" in output
    assert "Speed, interleaved" in write_html(run).read_text()


def _require_turns(result: InterleavedResult) -> None:
    """Check that windows do not overlap: each ends before the next begins to count."""
    (windows,) = result.windows
    assert [window.position for window in windows] == list(range(14))
    assert all(window.ok > 0 for window in windows)
    for before, after in pairwise(windows):
        assert before.start <= before.measured < before.to
        assert before.to < after.measured


def _require_idle(run: Run, result: InterleavedResult, looks: list[Look]) -> None:
    """Check that the server without load writes next to nothing within each measured part."""
    side = run.blocks[0].record.sides[0]
    origin = side.load.started_monotonic_ns / 1e9 - side.started_ms / 1000
    idle, loaded = 0, [0, 0]
    for window in result.windows[0]:
        begin, end = origin + window.measured / 1000, origin + window.to / 1000
        within = [sample for sample in looks if begin <= sample.before and sample.after <= end]
        for then, now in pairwise(within):
            loaded[window.side] += now.positions[window.side] - then.positions[window.side]
            idle += now.positions[1 - window.side] - then.positions[1 - window.side]
    assert min(loaded) > 0, "both were seen at work"
    # Servers do background work: a few bytes are no transactions.
    assert idle < min(loaded) / 2 + 20_000, f"{idle} bytes by idle ones, {loaded} by loaded ones"


def _require_timelines(run: Run, result: InterleavedResult) -> None:
    """Check the load's time line: outside its windows only transactions in flight are answered."""
    (stored,) = run.blocks
    for number, side in enumerate(stored.record.sides):
        path = stored.folder / str(number) / "timeline.parquet"
        slots = (
            duckdb.connect()
            .execute(f"SELECT slot_ms, transactions_ok FROM '{path}' WHERE transactions_ok > 0")
            .fetchall()
        )
        own = [item for item in result.windows[0] if item.side == number]
        outside = sum(
            count
            for slot, count in slots
            if not any(item.start - 10 <= slot + side.started_ms < item.to for item in own)
        )
        # At most one transaction of each of the four connections was in flight at the end of each window.
        assert outside <= 4 * len(own)
        assert sum(count for _, count in slots) == side.load.transactions.ok


@pytest.mark.long
def test_a_dead_server_breaks_the_block_and_a_resumed_run_continues(tmp_path: Path, watched: Watched) -> None:
    def kill_server(deployed: dict[str, Deployed]) -> None:
        deployed["plain"].solution.nodes[0].put_down()

    text = HEAD + SOLUTIONS.replace("    server:", "    #") + BLOCK.replace("rounds: 6", "rounds: 3")
    watched.at_round["round 2 of 3"] = kill_server
    run = _run(tmp_path / "run", text, watched, watched.deploy)
    assert not any(block.complete for block in run.blocks)
    assert {block.folder.name for block in run.blocks} == {"block-001.broken-1", "block-001.broken-2"}
    assert all("node1 of plain did not answer" in block.record.reason for block in run.blocks)
    assert "did not answer" in write_html(run).read_text()
    watched.at_round.clear()
    run = _run(tmp_path / "run", text, watched, watched.deploy)
    assert [block.complete for block in run.blocks].count(True) == 1


def test_a_block_with_a_failing_side_has_no_figures(tmp_path: Path) -> None:
    class Refusing(Deployed):
        def bring_up(self, phase: Callable[[str], None] = lambda _phase: None) -> None:
            super().bring_up(phase)
            if self.solution.settings.name == "delayed":
                with self.solution.nodes[0].sql.open_data(10.0) as connection:
                    connection.execute("REVOKE UPDATE ON sbtest1, sbtest2 FROM PUBLIC, app")

    text = HEAD + SOLUTIONS.replace("    server:", "    #") + BLOCK.replace("rounds: 6", "rounds: 3")
    run = _run(tmp_path / "run", text, lambda _event: None, Refusing)
    assert run.blocks and not any(block.complete for block in run.blocks)
    for block in run.blocks:
        assert block.record.reason.startswith("delayed: no transaction succeeded")
        assert "permission denied for table sbtest" in block.record.reason
    assert "permission denied" in write_html(run).read_text()
