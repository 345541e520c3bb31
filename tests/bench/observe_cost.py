#!/usr/bin/env python3
"""Measure the cost of observers: throughput with and without them, and their CPU.

One load runs all the time. Windows without observers, with the sampled ones (counters, lag, hosts), and with
all (the node watch, too) alternate in random order. Each block of three windows gives the ratio of its
throughputs. The geometric mean of the ratios is printed with its 95 % interval (Student's t of the
logarithms). Nothing is asserted: the target is a loss below 1 %.

The CPU is measured afterwards on idle servers, again in turns: the additional CPU of servers, controller and
node watch with observers (median of the turns), as a share of all cores. It is the steadier figure: on a
machine without idle time the load loses this share. Finally 300 rounds of samples are taken in a row, which
gives the cost per observer with little disturbance.

    python3 tests/bench/observe_cost.py [--blocks 20] [--window 3] [SOLUTION ...]
"""

import argparse
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psutil

from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.base import plugins
from fivenines.experiment.sections.ledger import LedgerSettings
from fivenines.experiment.sections.observe import ObserveSettings
from fivenines.experiment.source import solution_from
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.trial.deployment.deployed import Deployed, data_set
from fivenines.trial.observers.base import Observer
from fivenines.trial.observers.counters import CounterObserver
from fivenines.trial.observers.hosts import HostObserver, controller_seconds
from fivenines.trial.observers.lag import LagObserver
from fivenines.trial.observers.processes import Processes
from fivenines.trial.observers.watch import NodeWatch

SOLUTIONS = ("replication", "galera", "hot-standby")
WORKLOAD = Oltp(workload="oltp_read_write", tables=4, table_size=10_000)
CONNECTIONS = 8
KINDS = ("without", "sampled", "all")
# Seconds after the load until servers have flushed and purged its data.
SETTLE = 10.0

# The maximum share of the throughput that may be lost.
MARK = 0.01


@dataclass(frozen=True)
class Window:
    """Record a window of the load, in ms of its time, with one set of observers."""

    block: int
    kind: str
    start: float
    end: float


class Bench:
    """Run one deployment, its load, and changing observers."""

    def __init__(self, deployed: Deployed, folder: Path) -> None:
        self.deployed = deployed
        self.folder = folder
        self.ledger = LedgerSettings()

    @contextmanager
    def observed(self, kind: str, started_ns: int) -> Iterator[None]:
        """Run this set of observers for a while."""
        with ExitStack() as running:
            for observer in self._observers(kind):
                observer.start(started_ns)
                running.callback(observer.stop)
            yield

    def _observers(self, kind: str) -> list[Observer]:
        if kind == "without":
            return []
        out = self.folder / "observed"
        out.mkdir(exist_ok=True)
        kinds: list[type[Any]] = plugins.classes("fivenines.trial.observers", Observer)
        made = [one(self.deployed, out, ObserveSettings()) for one in kinds]
        for observer in made:
            observer.ledger_clients = self.ledger.clients
        return [one for one in made if kind == "all" or not isinstance(one, NodeWatch)]

    def throughput(self, blocks: int, seconds: float) -> list[list[float]]:
        """Return transactions per second of each block: without observers, sampled ones, all."""
        total = 4 + blocks * len(KINDS) * (seconds + 0.6) + 10
        plan = LoadPlan(WORKLOAD, CONNECTIONS, total, 1, LoadSettings(), self.ledger.flags())
        deployed = self.deployed
        assert deployed.client is not None
        load = RunningLoad(
            deployed.client,
            deployed.solution.nodes[0],
            deployed.access.endpoints(),
            plan,
            self.folder / "load",
            lambda _event: None,
        )
        load.await_start()
        time.sleep(4)
        windows = list(self._windows(load.started_ns, blocks, seconds))
        load.stop()
        return _rates(self.folder / "load" / "timeline.csv", windows, blocks)

    def _windows(self, started_ns: int, blocks: int, seconds: float) -> Iterator[Window]:
        rng = random.Random(1)
        for block in range(blocks):
            for kind in rng.sample(KINDS, len(KINDS)):
                with self.observed(kind, started_ns):
                    time.sleep(0.3)  # The start of the observers is not part of the window.
                    start = (time.monotonic_ns() - started_ns) / 1e6
                    time.sleep(seconds)
                    end = (time.monotonic_ns() - started_ns) / 1e6
                yield Window(block, kind, start, end)

    def cpu(self, turns: int, seconds: float) -> dict[str, list[float]]:
        """Return the CPU of idle servers and the controller, in cores, for each set of observers."""
        found: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for _ in range(turns):
            for kind in KINDS:
                with self.observed(kind, time.monotonic_ns()):
                    time.sleep(0.5)
                    before, since = self._used(), time.monotonic()
                    time.sleep(seconds)
                    found[kind].append((self._used() - before) / (time.monotonic() - since))
        return found

    def samples(self, many: int = 300) -> dict[str, float]:
        """Return CPU seconds of one round over all nodes, by observer: of servers and controller together."""
        found: dict[str, float] = {}
        out = self.folder / "observed"
        for kind in (CounterObserver, LagObserver):
            observer = kind(self.deployed, out, ObserveSettings())
            total = 0.0
            for node in self.deployed.solution.nodes:
                asked = node.sql.session(5.0)
                list(observer.sample(node, asked))
                before, own = self._servers(), time.thread_time()
                for _ in range(many):
                    list(observer.sample(node, asked))
                total += self._servers() - before + time.thread_time() - own
                asked.close()
            found[observer.tables[0]] = total / many
        hosts, own = HostObserver(self.deployed, out, ObserveSettings()), time.thread_time()
        for _ in range(many):
            hosts.look()
        found["hosts"] = (time.thread_time() - own) / many
        return found

    def _used(self) -> float:
        return self._servers() + controller_seconds() + _watch_seconds()

    def _servers(self) -> float:
        hosts = {name: host.pid for name, host in self.deployed.lab.hosts.items()}
        looks = Processes().look(hosts).hosts
        return sum(seen.used.cpu for look in looks.values() for seen in look.values())


def _watch_seconds() -> float:
    """Return the CPU of the node watch, a child process outside all hosts."""
    total = 0.0
    for child in psutil.Process().children():
        try:
            if "watch" in child.cmdline():
                times = child.cpu_times()
                total += times.user + times.system
        except psutil.Error:
            continue
    return total


def _rates(timeline: Path, windows: list[Window], blocks: int) -> list[list[float]]:
    found = [[0.0] * len(KINDS) for _ in range(blocks)]
    with duckdb.connect() as connection:
        for window in windows:
            (done,) = connection.execute(
                "SELECT coalesce(sum(transactions_ok), 0) FROM read_csv(?) "
                "WHERE source = 'load' AND slot_ms >= ? AND slot_ms < ?",
                [str(timeline), window.start, window.end],
            ).fetchone() or (0,)
            rate = 1000 * float(done) / (window.end - window.start)
            found[window.block][KINDS.index(window.kind)] = rate
    return found


def main() -> None:
    """Measure each solution and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("solutions", nargs="*", default=SOLUTIONS, metavar="SOLUTION")
    parser.add_argument("--blocks", type=int, default=20, help="blocks of three windows")
    parser.add_argument("--window", type=float, default=3.0, help="seconds of a window")
    parser.add_argument("--turns", type=int, default=4, help="turns of the CPU's measurement")
    args = parser.parse_args()
    for name in args.solutions:
        settings = solution_from({"solution": name}, "observe_cost")
        data = data_set(settings, WORKLOAD, lambda message, _share: print(message, file=sys.stderr))
        with tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder:
            where = Path(folder)
            with Deployed(settings, data, where / "lab") as deployed:
                deployed.bring_up()
                bench = Bench(deployed, where)
                rates = bench.throughput(args.blocks, args.window)
                time.sleep(SETTLE)
                report(name, rates, bench.cpu(args.turns, 3 * args.window), bench.samples())


def report(
    name: str, rates: list[list[float]], cpu: dict[str, list[float]], samples: dict[str, float]
) -> None:
    """Print the ratios and the CPU of one solution."""
    base = sum(block[0] for block in rates) / len(rates)
    print(f"{name}: {base:.0f} transactions/s without observers, {len(rates)} blocks")
    for index, kind in enumerate(KINDS[1:], 1):
        logs = summarise([math.log(block[index] / block[0]) for block in rates if block[0] > 0])
        more = [b - a for a, b in zip(cpu["without"], cpu[kind], strict=True)]
        idle = statistics.median(more)
        cores = os.cpu_count() or 1
        print(
            f"  {kind:8} throughput {_percent(logs)} (mark: a loss of {100 * MARK:g} %); "
            f"CPU {1000 * idle:.1f} ms a second ({1000 * min(more):.1f} to {1000 * max(more):.1f}), "
            f"{100 * idle / cores:.2f} % of {cores} cores",
            flush=True,
        )

    cores = os.cpu_count() or 1
    each = ", ".join(f"{what} {1000 * seconds:.2f} ms" for what, seconds in samples.items())
    share = 100 * sum(samples.values()) / cores
    print(f"  CPU of one round of samples: {each}; at one a second {share:.2f} % of {cores} cores")


def _percent(logs: Summary) -> str:
    def change(value: float | None) -> str:
        return "?" if value is None else f"{100 * (math.exp(value) - 1):+.2f} %"

    return f"{change(logs.mean)} ({change(logs.ci_low)} to {change(logs.ci_high)})"


if __name__ == "__main__":
    main()
