"""Stalls of a healthy server are put down to what the server tells: planted deadlocks, counted by it, too."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab_support import run_one, timing

from fivenines.analysis.cells import analyse
from fivenines.analysis.stall_causes import deadlocks, read_evidence
from fivenines.cli.summary import cautions
from fivenines.report import write_html
from fivenines.servers.base import Server
from fivenines.solutions.deployed import Deployed

# a transaction changes one row: the load by itself cannot deadlock
EXPERIMENT = """\
name: stalls
trials: 1
workloads: [{workload: oltp_update_non_index, tables: 1, table_size: 5000, distribution: uniform}]
connections: [4]
solutions: [{solution: standalone, engine: postgres-18}]
observe: {interval: 250ms, delay: false}
faults: [none]
""" + timing(recovery=1, steady=8)

PLANTED = 2
STEADY = "warm-up and steady load"


def _deadlock(node: Server) -> None:
    """Two sessions wait for each other's row for a second; one of them has locked the load's table."""
    both = threading.Barrier(2)

    def session(own: int, other: int) -> None:
        with suppress(Exception), node.open_data(30.0) as connection, connection.transaction():
            connection.execute(f"UPDATE planted SET n = n + 1 WHERE id = {own}")
            if own == 1:
                connection.execute("LOCK TABLE sbtest1")
            both.wait(20)
            connection.execute(f"UPDATE planted SET n = n + 1 WHERE id = {other}")

    threads = [threading.Thread(target=session, args=pair) for pair in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_planted_deadlocks_are_what_the_time_went_to(tmp_path: Path) -> None:
    counted: list[int] = []

    def plant(deployed: Deployed) -> None:
        node = deployed.solution.nodes[0]
        with node.open_data() as connection:
            connection.execute("CREATE TABLE planted (id int PRIMARY KEY, n int)")
            connection.execute("INSERT INTO planted VALUES (1, 0), (2, 0)")
        time.sleep(1.0)
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
    # the server's own counter, asked when all was over
    assert counted == [PLANTED]
    assert deadlocks(evidence, -1e9, 1e9) == PLANTED
    blamed = [stall for stall in trial.lost_time if stall.cause == "deadlock"]
    assert sum(stall.events for stall in blamed) == PLANTED, trial.lost_time
    assert sum(stall.gap.ms for stall in blamed) >= PLANTED * 600
    # a shared machine may have stalled the load besides, which is then not put down to deadlocks
    found = " ".join(cautions(run.folder))
    assert f"{PLANTED} deadlocks" in found and "of the steady window" in found, found
    if blamed == trial.lost_time:
        assert f"went to {PLANTED} deadlocks." in found
    page = write_html(run).read_text()
    assert f"{PLANTED} deadlocks" in page and "Stalled time of the steady window" in page
