"""Bytes written: a known number is planted, and the measured figure lies within stated bounds."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from lab_support import run_trial, timing

from fivenines.analysis.resources.counters import watched, witnesses
from fivenines.trial.deployment.deployed import Deployed

ROWS, PAYLOAD = 8000, 1000
# Rows per commit: even a slow disk must have them all, and their pages, before the window ends.
AT_ONCE = 400

PLANTED = ROWS * PAYLOAD
# Log, pages, protective copies of pages, and two new segments of PostgreSQL's log.
MOST = 5 * PLANTED + 2 * 2**24

HEAD = """\
name: written
trials: 1
workloads: [{workload: oltp_read_only, tables: 2, table_size: 500}]
connections: [1]
ledger: {rate: 0}
observe: {interval: 250ms, lag: false}
faults: [none]
"""


def _plant(deployed: Deployed) -> None:
    """Insert rows of random bytes, which cannot be compressed, and flush their pages to disk."""
    node = deployed.solution.nodes[0]
    postgres = node.driver == "postgres"
    # Writes before the window begins at 500 ms, or before the first sample, are not seen.
    time.sleep(1.0)
    with node.sql.open_data(60.0) as connection:
        cursor: Any = connection.cursor()
        cursor.execute(f"CREATE TABLE planted (id int PRIMARY KEY, v varchar({PAYLOAD}))")
        if postgres:
            cursor.execute("ALTER TABLE planted ALTER v SET STORAGE EXTERNAL")
        for first in range(0, ROWS, AT_ONCE):
            numbers = range(first, first + AT_ONCE)
            rows = (f"({n}, '{os.urandom(PAYLOAD // 2).hex()}')" for n in numbers)
            cursor.execute(f"INSERT INTO planted VALUES {', '.join(rows)}")
            connection.commit()
        # The bytes written by a process since its last sample are lost with it, and a busy machine samples
        # late.
        time.sleep(2.0)
    if postgres:
        node.sql.execute("CHECKPOINT")
    else:
        node.sql.execute("SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0")
        node.sql.execute("SET GLOBAL innodb_max_dirty_pages_pct = 0")


# MariaDB's page cleaner writes at any time, on a busy machine after the end of the window.
@pytest.mark.parametrize("engine", ["postgres-18", pytest.param("mariadb-10.11", marks=pytest.mark.long)])
def test_bytes_written_are_those_that_were_planted(on_disk: Path, engine: str) -> None:
    outcome = run_trial(
        on_disk,
        f"solutions: [{{solution: standalone, engine: {engine}}}]\n" + timing(recovery=1, steady=11),
        {"warm-up and steady load": _plant},
        HEAD,
    )
    seen = watched([outcome.stored()])[outcome.folder.name]
    witnessed = witnesses(seen, outcome.record, 500, 11500)
    assert witnessed.servers is not None and witnessed.charged is not None
    assert PLANTED * 2 <= witnessed.servers <= MOST, witnessed
    # The kernel charges at least the dirtied bytes, and is believed only where it can be right.
    assert witnessed.charged >= PLANTED * 2, witnessed
    shown = "disk_written_bytes" in seen.hosts
    assert shown == witnesses(seen, outcome.record, 0, 11500).charge_believed
    if witnessed.device is not None:
        assert witnessed.servers_believed, witnessed
        assert not shown or witnessed.charged <= 1.5 * witnessed.device + 16e6, witnessed
