"""Two real PostgreSQL servers side by side: one is loaded at a time, and the slower one is found out."""

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

from fivenines.analysis.interleaved import InterleavedResult, interleaved_results
from fivenines.deployment.deployed import Deployed
from fivenines.experiment.interleaved_plan import blocks
from fivenines.experiment.plan import plan
from fivenines.experiment.source import parse_experiment
from fivenines.report import tables, write_html
from fivenines.results.store import Run, open_run
from fivenines.runner.campaign import run_campaign
from fivenines.runner.progress import Progress, TrialPhase
from fivenines.runner.workers.base import Here

# each commit of the slower one waits for 100 ms, as settings ask it to: long beside what a transaction takes,
# however busy the machine is
HEAD = """\
name: tiny
workloads: [{workload: oltp_read_write, tables: 2, table_size: 5000, distribution: uniform}]
connections: [4]
"""
# rows are chosen evenly: transactions that deadlock would stand still for longer than a window

SOLUTIONS = """\
solutions:
  - {solution: standalone, name: plain, engine: postgres-18}
  - solution: standalone
    name: delayed
    engine: postgres-18
    server: {commit_delay: 100000, commit_siblings: 0}
"""
BLOCK = "design: interleaved\nduet: {blocks: 1, rounds: 6, window: 1500ms, skip: 250ms}\ntiming: {warmup: 500ms}\n"


@dataclass(frozen=True)
class Look:
    """How far the log of each server was, by its own word, between two moments of CLOCK_MONOTONIC."""

    before: float
    positions: list[int]
    after: float


@dataclass
class Watched:
    """The servers of the interleaved that runs, by solution, and looks at them all the time."""

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
            sessions = [stack.enter_context(node.connect()) for node in nodes]
            while not self.over.wait(0.02):
                before = time.monotonic()
                positions = [_position(session) for session in sessions]
                self.looks.append(Look(before, positions, time.monotonic()))


def _position(session: Any) -> int:
    """Bytes of the write-ahead log so far."""
    found = session.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    return int(found[0])


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
        "interleaved.yaml",
        [Here(deploy)],
    )
    return open_run(folder)


def test_one_is_loaded_at_a_time_and_the_slower_one_is_told(tmp_path: Path, watched: Watched) -> None:
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
    # who is idle uses next to nothing of what it uses under load
    assert all(side.cpu[1] < side.cpu[0] / 2 for side in result.sides)
    # below twice as fast it is said in per cent, from there on as a factor
    said = tables(run, "md")
    assert "Speed: plain is" in said
    assert "% faster than delayed" in said or "times as fast as delayed" in said
    assert "Speed, interleaved" in write_html(run).read_text()


def _require_turns(result: InterleavedResult) -> None:
    """Windows do not overlap: each ends before the next begins to count, however busy the machine is."""
    (windows,) = result.windows
    assert [one.position for one in windows] == list(range(14))
    assert all(one.ok > 0 for one in windows)
    for before, after in pairwise(windows):
        assert before.start <= before.measured < before.to
        assert before.to < after.measured


def _require_idle(run: Run, result: InterleavedResult, looks: list[Look]) -> None:
    """Who is not loaded writes next to nothing, by the servers' own word, within each measured part."""
    side = run.blocks[0].record.sides[0]
    origin = side.load["started_monotonic_ns"] / 1e9 - side.started_ms / 1000
    idle, loaded = 0, [0, 0]
    for window in result.windows[0]:
        begin, end = origin + window.measured / 1000, origin + window.to / 1000
        within = [one for one in looks if begin <= one.before and one.after <= end]
        for then, now in pairwise(within):
            loaded[window.side] += now.positions[window.side] - then.positions[window.side]
            idle += now.positions[1 - window.side] - then.positions[1 - window.side]
    assert min(loaded) > 0, "both were seen at work"
    # servers keep house: a few bytes are nobody's transactions
    assert idle < min(loaded) / 2 + 20_000, f"{idle} bytes by idle ones, {loaded} by loaded ones"


def _require_timelines(run: Run, result: InterleavedResult) -> None:
    """By the load's own time line nothing is answered outside of its windows but what was under way."""
    (stored,) = run.blocks
    for number, side in enumerate(stored.record.sides):
        path = stored.folder / str(number) / "timeline.parquet"
        slots = (
            duckdb.connect()
            .execute(f"SELECT slot_ms, transactions_ok FROM '{path}' WHERE transactions_ok > 0")
            .fetchall()
        )
        own = [one for one in result.windows[0] if one.side == number]
        outside = sum(
            count
            for slot, count in slots
            if not any(one.start - 10 <= slot + side.started_ms < one.to for one in own)
        )
        # at most what each of the four connections had under way at the end of each window
        assert outside <= 4 * len(own)
        assert sum(count for _, count in slots) == side.load["transactions"]["ok"]


@pytest.mark.long
def test_a_server_that_dies_breaks_the_interleaved_and_a_resumed_run_goes_on(
    tmp_path: Path, watched: Watched
) -> None:
    def crash(deployed: dict[str, Deployed]) -> None:
        deployed["plain"].solution.nodes[0].put_down()

    text = HEAD + SOLUTIONS.replace("    server:", "    #") + BLOCK.replace("rounds: 6", "rounds: 3")
    watched.at_round["round 2 of 3"] = crash
    run = _run(tmp_path / "run", text, watched, watched.deploy)
    assert not any(one.complete for one in run.blocks)
    assert {one.folder.name for one in run.blocks} == {"block-001.broken-1", "block-001.broken-2"}
    assert all("node1 of plain did not answer" in one.record.reason for one in run.blocks)
    assert "did not answer" in write_html(run).read_text()
    watched.at_round.clear()
    run = _run(tmp_path / "run", text, watched, watched.deploy)
    assert [one.complete for one in run.blocks].count(True) == 1
