#!/usr/bin/env python3
"""Measure the cost of connection probes: CPU of servers and generator for each probe.

A load of one transaction per second runs in turns without probes, and with one every 10 ms. The additional
CPU of servers and generator, divided by the probes, is the cost of one. At two probes per second this is the
share that the steady window loses. Nothing is asserted: the target is a share below 1 %.

    python3 tests/bench/probe_cost.py [--turns 4] [--window 6] [SOLUTION ...]
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from observe_cost import WORKLOAD

from fivenines.experiment.sections.ledger import LedgerSettings, ProbeSettings
from fivenines.experiment.source import solution_from
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.settings import LoadSettings
from fivenines.trial.deployment.deployed import Deployed, data_set
from fivenines.trial.observers.processes import Processes

SOLUTIONS = ("hot-standby", "replication", "galera", "group-replication")
WITHOUT, DENSE = ProbeSettings(every=0.0), ProbeSettings(calm=0.01)


class Bench:
    """Run one deployment with repeated loads."""

    def __init__(self, deployed: Deployed, folder: Path) -> None:
        self.deployed = deployed
        self.folder = folder

    def used(self, probes: ProbeSettings, seconds: float) -> tuple[float, float, int]:
        """Return CPU seconds of servers and generator in a load of this duration, and its number of
        probes.
        """
        ledger = LedgerSettings(probe=probes)
        plan = LoadPlan(WORKLOAD, 1, seconds, 1, LoadSettings(rate=1.0), ledger.flags())
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
        before = self._servers()
        record = load.await_end(seconds + 30)
        servers = self._servers() - before
        client = record.document["client"]["user_s"] + record.document["client"]["system_s"]
        found = record.document["probes"] or {"ok": 0, "failed": 0, "in_doubt": 0}
        return servers, client, found["ok"] + found["failed"] + found["in_doubt"]

    def _servers(self) -> float:
        """Return CPU seconds of the nodes, including processes that have ended."""
        nodes = {node.name: node.host.pid for node in self.deployed.solution.nodes}
        hosts = Processes().look(nodes).hosts
        return sum(seen.used.cpu for look in hosts.values() for seen in look.values())


def main() -> None:
    """Measure each solution and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("solutions", nargs="*", default=SOLUTIONS, metavar="SOLUTION")
    parser.add_argument("--turns", type=int, default=4, help="pairs of a load without and with")
    parser.add_argument("--window", type=float, default=6.0, help="seconds of a load")
    args = parser.parse_args()
    cores = os.cpu_count() or 1
    for name in args.solutions:
        settings = solution_from({"solution": name}, "probe_cost")
        data = data_set(settings, WORKLOAD, lambda message, _share: print(message, file=sys.stderr))
        with (
            tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder,
            Deployed(settings, data, Path(folder) / "lab") as deployed,
        ):
            deployed.bring_up()
            servers, client = _prices(Bench(deployed, Path(folder)), args.turns, args.window)
        share = 100 * (statistics.median(servers) + statistics.median(client)) * 2 / cores
        print(
            f"{name}: a try costs servers {_ms(servers)}, the generator {_ms(client)}; two a second "
            f"are {share:.2f} % of {cores} cores, a hundred {50 * share:.0f} %",
            flush=True,
        )


def _prices(bench: Bench, turns: int, seconds: float) -> tuple[list[float], list[float]]:
    servers, client = [], []
    for _ in range(turns):
        without, with_tries = bench.used(WITHOUT, seconds), bench.used(DENSE, seconds)
        servers.append((with_tries[0] - without[0]) / with_tries[2])
        client.append((with_tries[1] - without[1]) / with_tries[2])
    return servers, client


def _ms(seconds: list[float]) -> str:
    middle, low, high = statistics.median(seconds), min(seconds), max(seconds)
    return f"{1000 * middle:.2f} ms ({1000 * low:.2f} to {1000 * high:.2f})"


if __name__ == "__main__":
    main()
