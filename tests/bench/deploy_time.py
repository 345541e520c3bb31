#!/usr/bin/env python3
"""Measure how long a trial waits for its solution: from its start to three writable, complete nodes.

All run in turns, with engine and data set from the cache. Nothing is asserted: the medians are printed next
to each target.

    python3 tests/bench/deploy_time.py
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from fivenines.experiment.spec import AnySolution
from fivenines.failover.managers.mha.manager import MhaSettings
from fivenines.failover.managers.pacemaker.settings import PacemakerSettings
from fivenines.failover.proxies.virtual_address import VirtualAddressSettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.group_replication.innodb_cluster import InnodbClusterSettings
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.patroni.settings import PatroniSettings
from fivenines.solutions.replication.settings import ReplicationSettings
from fivenines.trial.deployment.deployed import Deployed, data_set, engines_of

# The solutions of three nodes, and the target in seconds, if any.
SOLUTIONS: dict[str, tuple[AnySolution, float | None]] = {
    "replication": (ReplicationSettings(solution="replication"), 5.0),
    "replication, MySQL": (ReplicationSettings(solution="replication", engine="mysql-9.7"), 5.0),
    "replication, MHA": (ReplicationSettings(solution="replication", manager=MhaSettings(kind="mha")), None),
    "galera": (GaleraSettings(solution="galera"), 8.0),
    "galera, 2 and garbd": (GaleraSettings(solution="galera", size=2, arbiter=True), 8.0),
    "group replication": (GroupReplicationSettings(solution="group-replication"), 10.0),
    "innodb cluster": (InnodbClusterSettings(solution="innodb-cluster"), 10.0),
    "patroni": (PatroniSettings(solution="patroni"), 12.0),
    "pacemaker": (
        ReplicationSettings(
            solution="replication",
            mode="after_sync",
            manager=PacemakerSettings(kind="pacemaker"),
            access=VirtualAddressSettings(kind="virtual-address"),
        ),
        35.0,
    ),
}

WORKLOAD = Oltp(workload="oltp_read_write", tables=4, table_size=10_000)


def main() -> None:
    """Deploy each solution in turns, record the time and tear it down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--turns", type=int, default=5, help="deployments of each solution")
    parser.add_argument("--only", choices=SOLUTIONS, nargs="+", default=list(SOLUTIONS))
    given = parser.parse_args()
    turns, chosen = given.turns, {name: SOLUTIONS[name][0] for name in given.only}
    data = {name: _cached(solution) for name, solution in chosen.items()}
    seconds: dict[str, list[float]] = {name: [] for name in chosen}
    phases: dict[str, dict[str, list[float]]] = {name: {} for name in chosen}
    for _ in range(turns):
        for name, solution in chosen.items():
            took, steps = _deploy(solution, data[name])
            seconds[name].append(took)
            for step, part in steps.items():
                phases[name].setdefault(step, []).append(part)
            print(f"  {name}: {took:.2f} s", file=sys.stderr, flush=True)
    print(f"start of a trial to a writable, complete solution of 3 nodes; median of {turns}")
    for name, taken in seconds.items():
        median = statistics.median(taken)
        steps_text = ", ".join(
            f"{step} {statistics.median(values):.2f}" for step, values in phases[name].items()
        )
        mark = SOLUTIONS[name][1]
        print(
            f"{name:20} {median:5.2f} s  {_beside(median, mark)}  "
            f"(from {min(taken):.2f} to {max(taken):.2f}; medians by step: {steps_text})"
        )


def _beside(median: float, mark: float | None) -> str:
    return "no mark" if mark is None else f"{median / mark:.2f} x the mark of {mark:g} s"


def _cached(solution: AnySolution) -> Path:
    for engine in engines_of(solution):
        engine.require(_tell)
    return data_set(solution, WORKLOAD, _tell)


def _deploy(solution: AnySolution, data: Path) -> tuple[float, dict[str, float]]:
    with (
        tempfile.TemporaryDirectory(prefix="fivenines-bench-") as folder,
        Deployed(solution, data, Path(folder) / "lab") as deployed,
    ):
        deployed.bring_up()
        phases = dict(deployed.solution.phases)
        return deployed.seconds + phases.get("manager", 0.0), phases


def _tell(message: str, fraction: float | None) -> None:
    if fraction is None:
        print(f"  {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
