"""Stalls of a healthy server are put down to what the server tells: planted deadlocks, counted by it, too."""

import threading
import time
from pathlib import Path
from typing import Any

from lab_support import run_one, timing

from fivenines.analysis.cells import analyse
from fivenines.analysis.stall_causes import deadlocks, read_evidence
from fivenines.cli.summary import cautions
from fivenines.report import write_html
from fivenines.servers.base import Server
from fivenines.solutions.deployed import Deployed

EXPERIMENT = """\
name: stalls
trials: 1
workloads: [{workload: oltp_write_only, tables: 2, table_size: 2000, distribution: uniform}]
connections: [4]
solutions: [{solution: standalone, engine: postgres-18}]
observe: {interval: 250ms, delay: false}
faults: [none]
""" + timing(recovery=1, steady=8)

PLANTED = 2
STEADY = "warm-up and steady load"


def _lock_in_turn(node: Server, order: tuple[int, int], first_held: threading.Barrier) -> None:
    """Locks both tables of the load, one after the other: two of these in opposite order deadlock."""
    with node.open_data(20.0) as connection, connection.transaction():
        connection.execute(f"LOCK TABLE sbtest{order[0]}")
        first_held.wait(20)
        connection.execute(f"LOCK TABLE sbtest{order[1]}")


def _deadlock(node: Server) -> None:
    """A deadlock, for whose `deadlock_timeout` of a second nobody of the load can write."""
    barrier, failed = threading.Barrier(2), []

    def lock(order: tuple[int, int]) -> None:
        try:
            _lock_in_turn(node, order, barrier)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=lock, args=(order,)) for order in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)


def test_planted_deadlocks_are_what_the_time_went_to(tmp_path: Path) -> None:
    counted: list[int] = []

    def plant(deployed: Deployed) -> None:
        node = deployed.solution.nodes[0]
        time.sleep(1.5)
        for _ in range(PLANTED):
            _deadlock(node)
            time.sleep(0.7)

    def ask(deployed: Deployed) -> None:
        node: Any = deployed.solution.nodes[0]
        with node.connect() as connection:
            sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = %s"
            counted.extend(connection.execute(sql, (node.database,)).fetchone())

    run = run_one(tmp_path, EXPERIMENT, {STEADY: plant, "checking": ask})
    (evidence,) = read_evidence(run.complete).values()
    cells = analyse(run)
    (trial,) = cells[0].trials
    # the server's own counter, asked when all was over; the two of a pair may have had help of the load
    assert counted[0] >= PLANTED
    assert deadlocks(evidence, -1e9, 1e9) == counted[0]
    blamed = [stall for stall in trial.lost_time if stall.cause == "deadlock"]
    assert sum(stall.events for stall in blamed) == counted[0], trial.lost_time
    assert sum(stall.gap.ms for stall in blamed) >= PLANTED * 600
    # no other cause has a longer one
    assert max(trial.lost_time, key=lambda stall: stall.gap.ms).cause == "deadlock"

    said = f"went to {counted[0]} deadlocks"
    found = " ".join(cautions(run.folder))
    assert f"{counted[0]} deadlocks" in found and "of the steady window" in found, found
    page = write_html(run).read_text()
    assert f"{counted[0]} deadlocks" in page and "Stalled time of the steady window" in page
    if all(stall in blamed for stall in trial.lost_time):
        assert said in found
