"""Stalls of a healthy server are attributed by the server's own counters: planted deadlocks, for example."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lab_support import LIMIT, run_one, timing

from fivenines.analysis.availability.stall_causes import deadlocks, read_evidence
from fivenines.analysis.cells import analyse
from fivenines.report import write_html
from fivenines.report.sentences.stalls import sentences
from fivenines.servers.base import Server
from fivenines.trial.deployment.deployed import Deployed

# A transaction changes one row: the load by itself cannot deadlock.
HEAD = """\
name: stalls
trials: 1
workloads: [{workload: oltp_update_non_index, tables: 1, table_size: 5000, distribution: uniform}]
connections: [4]
load: {think_time: 25ms}
observe: {interval: 250ms, lag: false}
faults: [none]
"""
EXPERIMENT = HEAD + "solutions: [{solution: standalone, engine: postgres-18}]\n"
SEMI_SYNC = """\
solutions:
  - {solution: replication, engine: mariadb-10.11, replicas: 1, mode: after_sync, semi_sync_timeout: 900ms,
     manager: none}
"""
GALERA = """\
solutions:
  - {solution: galera, engine: mariadb-10.11, size: 3, fc_limit: 4}
"""

PLANTED = 2
LOCKED = 2.0
STEADY = "warm-up and steady load"


def _deadlock(node: Server) -> None:
    """Make two sessions wait for each other's row for a second; one has locked the load's table."""
    both = threading.Barrier(2)

    def session(own: int, other: int) -> None:
        with suppress(Exception), node.sql.open_data(30.0) as connection, connection.transaction():
            connection.execute(f"UPDATE planted SET n = n + 1 WHERE id = {own}")
            if own == 1:
                connection.execute("LOCK TABLE sbtest1")
            both.wait(LIMIT)
            connection.execute(f"UPDATE planted SET n = n + 1 WHERE id = {other}")

    threads = [threading.Thread(target=session, args=pair) for pair in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_stalls_are_attributed_to_planted_deadlocks_and_a_lock(tmp_path: Path) -> None:
    counted: list[int] = []

    def plant(deployed: Deployed) -> None:
        node = deployed.solution.nodes[0]
        with node.sql.open_data() as connection:
            connection.execute("CREATE TABLE planted (id int PRIMARY KEY, n int)")
            connection.execute("INSERT INTO planted VALUES (1, 0), (2, 0)")
        time.sleep(1.0)
        for _ in range(PLANTED):
            _deadlock(node)
            time.sleep(1.5)
        with node.sql.open_data(30.0) as connection, connection.transaction():
            connection.execute("LOCK TABLE sbtest1")
            time.sleep(LOCKED)

    def ask(deployed: Deployed) -> None:
        node: Any = deployed.solution.nodes[0]
        with node.sql.connect() as connection:
            sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = %s"
            counted.extend(connection.execute(sql, (node.database,)).fetchone())

    text = EXPERIMENT + timing(recovery=1, steady=16)
    run = run_one(tmp_path, text, {STEADY: plant, "checking": ask})
    (evidence,) = read_evidence(run.complete).values()
    cells = analyse(run)
    (trial,) = cells[0].trials
    # The server's own counter, read after the end.
    assert counted == [PLANTED]
    assert deadlocks(evidence, -1e9, 1e9) == PLANTED
    blamed = [stall for stall in trial.lost_time if stall.cause == "deadlock"]
    assert sum(stall.events for stall in blamed) == PLANTED, trial.lost_time
    assert sum(stall.gap.ms for stall in blamed) >= PLANTED * 600
    locked = [stall.gap.ms for stall in trial.lost_time if stall.cause == "lock waits"]
    assert sum(locked) >= 1000 * LOCKED - 300, trial.lost_time
    # A shared machine may have stalled the load, too, which is not attributed to deadlocks.
    report = " ".join(sentences(analyse(run)))
    assert f"{PLANTED} deadlocks" in report and "of the steady window" in report, report
    page = write_html(run).read_text()
    assert f"{PLANTED} deadlocks" in page and "Stalled time of the steady window" in page


# On a machine with other load, that load is blamed.
@pytest.mark.long
def test_a_replica_that_stands_still_is_a_semi_synchronous_time_out(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        time.sleep(2.5)
        process = deployed.solution.node("node2").process
        assert process is not None
        process.freeze()
        time.sleep(2.5)
        process.thaw()

    run = run_one(tmp_path, HEAD + SEMI_SYNC + timing(recovery=1, steady=8), {STEADY: plant})
    (cell,) = analyse(run)
    (trial,) = cell.trials
    blamed = [stall for stall in trial.lost_time if stall.cause == "semi-sync time-out"]
    assert sum(stall.gap.ms for stall in blamed) >= 600, trial.lost_time
    assert sum(stall.events for stall in blamed) >= 1
    report = " ".join(sentences(analyse(run)))
    assert "semi-sync time-out" in report, report


def test_a_member_that_cannot_apply_is_flow_control(tmp_path: Path) -> None:
    paused: list[int] = []

    def plant(deployed: Deployed) -> None:
        time.sleep(2.5)
        # Galera's applier waits only for an explicit lock.
        second = deployed.solution.node("node2")
        with second.sql.open_data(30.0) as connection, connection.cursor() as cursor:
            cursor.execute("LOCK TABLES sbtest1 READ")
            time.sleep(3.5)
            cursor.execute("UNLOCK TABLES")

    def ask(deployed: Deployed) -> None:
        node: Any = deployed.solution.nodes[0]
        (row,) = node.sql.query("SHOW GLOBAL STATUS LIKE 'wsrep_flow_control_paused_ns'")
        paused.append(int(row[1]))

    text = HEAD + GALERA + timing(recovery=1, steady=12)
    run = run_one(tmp_path, text, {STEADY: plant, "checking": ask})
    (cell,) = analyse(run)
    (trial,) = cell.trials
    assert paused[0] >= 1e9, "the member's own counter"
    blamed = [stall.gap.ms for stall in trial.lost_time if stall.cause == "flow control"]
    assert sum(blamed) >= 1000, trial.lost_time
    report = " ".join(sentences(analyse(run)))
    assert "flow control" in report, report
