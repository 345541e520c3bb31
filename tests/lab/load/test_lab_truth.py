"""Planted defects on real servers: rows that differ between nodes are found, with their tables and keys."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lab_support import OPERATOR, run_trial, timing

from fivenines.analysis.consistency import staleness
from fivenines.analysis.replication import execution
from fivenines.experiment.source import solution_from
from fivenines.load.workloads.oltp import Oltp
from fivenines.results.records import Divergence
from fivenines.servers.base import Server
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.postgres.server import Postgres
from fivenines.trial.deployment.deployed import Deployed, data_set
from fivenines.trial.divergence import compare, diverged

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
ROWS = 2 * 500


@contextmanager
def deployed(folder: Path, settings: dict[str, Any]) -> Iterator[Deployed]:
    """Provide a solution with the small data set, without a load."""
    solution = solution_from(settings, "test")
    data = data_set(solution, WORKLOAD, lambda _message, _fraction: None)
    with Deployed(solution, data, folder / "lab") as up:
        up.bring_up()
        up.settle(90.0, without=set())
        yield up


@pytest.fixture(scope="module")
def replication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    settings = {"solution": "replication", "engine": "mariadb-10.11", "replicas": 2}
    with deployed(tmp_path_factory.mktemp("replication"), settings) as up:
        yield up


def changed(node: Server, *statements: str) -> None:
    """Change one node outside its replication."""
    with node.sql.open_data(10.0) as connection, connection.cursor() as cursor:
        if isinstance(node, Mariadb):
            cursor.execute("SET SESSION sql_log_bin = 0")
        for statement in statements:
            cursor.execute(statement)


def keys(divergence: Divergence) -> Mapping[str, list[str]]:
    """Return the differing keys by table; the comparison must be complete."""
    assert not divergence.incomplete and not divergence.left_out, divergence
    return {difference.table: difference.keys for difference in divergence.differences}


def test_mariadb_nothing_differs_before_anything_is_planted(replication: Deployed) -> None:
    divergence = diverged(replication.solution, {})
    assert keys(divergence) == {}
    assert (divergence.compared, divergence.reference) == (["node1", "node2", "node3"], "node1")
    assert divergence.tables >= 2 and divergence.rows >= ROWS  # This includes the loader's own records.


def test_mariadb_rows_taken_and_changed_on_a_replica(replication: Deployed) -> None:
    node = replication.solution.node("node2")
    changed(
        node,
        "CREATE TABLE saved AS SELECT * FROM sbtest1 WHERE id IN (7, 9)",
        "DELETE FROM sbtest1 WHERE id IN (7, 9)",
        "UPDATE sbtest2 SET k = k + 1 WHERE id = 11",
    )
    divergence = diverged(replication.solution, {})
    assert keys(divergence)["sbtest1"] == ["id 7: not on node2", "id 9: not on node2"]
    assert keys(divergence)["sbtest2"] == ["id 11: other on node2"]
    saved = next(difference for difference in divergence.differences if difference.table == "saved")
    assert saved.checksums["node1"] == "no such table" and "id int" in saved.checksums["node2"]
    counts = next(difference.rows for difference in divergence.differences if difference.table == "sbtest1")
    assert counts == {"node1": 500, "node2": 498, "node3": 500}
    changed(
        node,
        "INSERT INTO sbtest1 SELECT * FROM saved",
        "UPDATE sbtest2 SET k = k - 1 WHERE id = 11",
        "DROP TABLE saved",
    )
    assert keys(diverged(replication.solution, {})) == {}


def test_mariadb_a_row_that_the_primary_alone_lacks(replication: Deployed) -> None:
    node = replication.solution.node("node1")
    changed(node, "CREATE TABLE odd (a INT, b VARCHAR(9), PRIMARY KEY (b, a))")
    for name in ("node2", "node3"):
        changed(
            replication.solution.node(name),
            "CREATE TABLE odd (a INT, b VARCHAR(9), PRIMARY KEY (b, a))",
            "INSERT INTO odd VALUES (3, 'x y')",
        )
    assert keys(diverged(replication.solution, {})) == {"odd": ["a 3, b 'x y': not on node1"]}
    for each in replication.solution.nodes:
        changed(each, "DROP TABLE odd")


def test_mariadb_null_is_no_empty_string_and_not_the_word(replication: Deployed) -> None:
    for node, second, third in zip(
        replication.solution.nodes, ("NULL", "'NULL'", "NULL"), ("''", "''", "NULL"), strict=True
    ):
        changed(
            node,
            "CREATE TABLE odd (a INT PRIMARY KEY, b VARCHAR(9), c TEXT, d BLOB, e BIT(8), f DOUBLE)",
            f"INSERT INTO odd VALUES (1, {second}, 'c', x'00ff', b'101', 0.1), (2, 'x', {third}, '', 0, 1)",
            "INSERT INTO odd VALUES (3, 'same', NULL, x'f0f1', NULL, NULL)",
        )
    differing = keys(diverged(replication.solution, {}))
    assert differing == {"odd": ["a 1: other on node2", "a 2: other on node3"]}
    for node in replication.solution.nodes:
        changed(node, "DROP TABLE odd")


def test_mariadb_all_digits_of_a_float_count_in_any_mode(replication: Deployed) -> None:
    nodes = replication.solution.nodes
    for node, last in zip(nodes, ("0.12345679", "0.12345680", "0.12345679"), strict=True):
        node.sql.execute("SET GLOBAL sql_mode = 'ORACLE,PAD_CHAR_TO_FULL_LENGTH'")
        changed(
            node,
            "CREATE TABLE odd (a INT PRIMARY KEY, f FLOAT)",
            f"INSERT INTO odd VALUES (1, {last}), (2, NULL), (3, 0.1)",
        )
    assert keys(diverged(replication.solution, {})) == {"odd": ["a 1: other on node2"]}
    for node in nodes:
        changed(node, "DROP TABLE odd")
        node.sql.execute("SET GLOBAL sql_mode = DEFAULT")


def test_mariadb_a_table_without_a_primary_key(replication: Deployed) -> None:
    for node, times in zip(replication.solution.nodes, (2, 2, 1), strict=True):
        changed(node, "CREATE TABLE odd (a INT, b VARCHAR(9))")
        changed(node, *["INSERT INTO odd VALUES (1, NULL)"] * times)
    differing = keys(diverged(replication.solution, {}))
    assert differing == {"odd": ["a 1, b NULL: other on node3"]}
    for node in replication.solution.nodes:
        changed(node, "DROP TABLE odd")


def test_mariadb_a_replica_that_lags_or_is_unavailable_is_left_out(replication: Deployed) -> None:
    behind = replication.solution.node("node3")
    behind.sql.execute("STOP SLAVE SQL_THREAD")
    divergence = diverged(replication.solution, {"node2": "still broken"})
    assert divergence.left_out.keys() == {"node2", "node3"}
    assert divergence.left_out["node2"] == "still broken" and divergence.left_out["node3"]
    assert divergence.incomplete == "fewer than two nodes could be compared"
    behind.sql.execute("START SLAVE SQL_THREAD")


def test_galera_a_row_changed_on_one_node(tmp_path: Path) -> None:
    settings = {"solution": "galera", "engine": "mariadb-10.11", "size": 3}
    with deployed(tmp_path, settings) as up:
        changed(up.solution.node("node3"), "SET SESSION wsrep_on = 0", "DELETE FROM sbtest1 WHERE id = 5")
        assert keys(diverged(up.solution, {})) == {"sbtest1": ["id 5: not on node3"]}


def test_postgres_two_primaries_that_went_different_ways(tmp_path: Path) -> None:
    # No client waits for a standby that has left.
    settings = {
        "solution": "hot-standby",
        "engine": "postgres-18",
        "manager": "none",
        "synchronous_commit": "local",
    }
    with deployed(tmp_path, settings) as up:
        divergence = diverged(up.solution, {})
        assert keys(divergence) == {} and divergence.rows >= ROWS
        first, two = up.solution.nodes
        assert isinstance(two, Postgres)
        two.sql.query("SELECT pg_promote()", timeout=30.0)
        while not two.writable():
            time.sleep(0.05)
        changed(first, "DELETE FROM sbtest1 WHERE id = 5", "UPDATE sbtest1 SET c = '' WHERE id = 6")
        changed(two, "INSERT INTO sbtest2 (id, k, c, pad) VALUES (900, 1, '', '')")
        # Scripts may keep their tables in another schema, also under a name that public has.
        for node, value in ((first, 1), (two, 2)):
            changed(node, "CREATE SCHEMA app", "CREATE TABLE app.sbtest1 (id int PRIMARY KEY, v int)")
            changed(node, f"INSERT INTO app.sbtest1 VALUES (1, 1), (2, {value})")
        differing = {d.table: d.keys for d in compare([first, two], "node1", {}).differences}
        assert differing == {
            "sbtest1": ["id 5: not on node1", "id 6: other on node2"],
            "sbtest2": ["id 900: not on node1"],
            "app.sbtest1": ["id 2: other on node2"],
        }


def test_a_trial_compares_its_nodes_the_ledger_included(tmp_path: Path) -> None:
    def plant(up: Deployed) -> None:
        changed(
            up.solution.node("node2"),
            "DELETE FROM sbtest1 WHERE id = 7",
            "DELETE FROM fivenines_ledger ORDER BY id LIMIT 1",
        )

    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: replication, engine: mariadb-10.11, replicas: 1, "
        f"mode: after_sync, manager: {OPERATOR}}}]\n" + timing(recovery=1),
        {"checking": plant},
    )
    assert outcome.record.divergence is not None
    differing = keys(outcome.record.divergence)
    assert differing["sbtest1"] == ["id 7: not on node2"]
    assert differing["fivenines_ledger"] == [f"id {outcome.node('node2').lost_ids[0]}: not on node2"]


LEDGER = "ledger: {rate: 100, read_rate: 200, append: {rate: 200}, bank: {rate: 100}}\n"


def test_a_stopped_replica_is_stale_and_its_age_grows(tmp_path: Path) -> None:
    def stop(up: Deployed) -> None:
        time.sleep(0.5)
        up.solution.node("node2").sql.execute("STOP SLAVE SQL_THREAD")

    def go_on(up: Deployed) -> None:
        up.solution.node("node2").sql.execute("START SLAVE SQL_THREAD")

    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: replication, engine: mariadb-10.11, replicas: 1, mode: async, "
        f"reads: replicas, manager: {OPERATOR}}}]\n" + LEDGER + timing(recovery=1, steady=6),
        {"warm-up and steady load": stop, "settling": go_on},
    )
    stale = staleness.measure(outcome.folder, outcome.record)
    assert stale is not None
    nodes = {item.node: item for item in stale.nodes}
    assert np.median(nodes["node1"].delay_ms) < 500 < nodes["node2"].delay_ms.max()
    delays = nodes["node2"].delay_ms
    # Sampled ten times per second, it is older each time; on a busy machine it may have been late before.
    since = np.flatnonzero(np.diff(delays) <= 0).max(initial=-1) + 1
    assert len(delays[since:]) > 5 and delays[-1] - delays[since] > 500
    reads = max(stale.endpoints, key=lambda item: item.ages.stale)
    assert reads.ages.stale > 20 and reads.ages.max is not None and reads.ages.max > 500
    assert reads.own_missed > 0
    taken = execution.measure(outcome.folder, outcome.record)
    assert taken is not None and taken.n > 50 and 0 < taken.p50 < 1000
    # All rows arrived in the end, and the concurrent checks saw isolation.
    assert outcome.record.divergence is not None
    assert keys(outcome.record.divergence) == {}
    judged = {item.source: item for item in outcome.record.isolation}
    assert judged["lists"].transactions > 20 and judged["bank"].counts == {}
    assert judged["bank"].note.startswith("Audits: ")


@pytest.mark.parametrize(
    "solution",
    ["{solution: standalone, engine: postgres-18}", "{solution: standalone, engine: mariadb-10.11}"],
)
def test_serializable_transactions_show_no_anomaly(tmp_path: Path, solution: str) -> None:
    checks = (
        "ledger: {append: {rate: 300, keys: 3, isolation: serializable}, "
        "bank: {rate: 200, isolation: serializable}, registers: {rate: 200}}\n"
    )
    text = f"solutions: [{solution}]\n" + checks + timing(recovery=1, steady=3)
    record = run_trial(tmp_path, text).record
    judged = {verdict.source: verdict for verdict in record.isolation}
    assert judged["lists"].transactions > 20 and judged["lists"].counts == {}
    # One server keeps the order in time, too.
    assert judged["lists"].in_time == {} and judged["lists"].complete
    assert judged["bank"].note.startswith("Audits: ") and judged["bank"].counts == {}
    assert judged["registers"].transactions > 20 and judged["registers"].counts == {}
    assert judged["registers"].in_time == {}
    assert record.divergence is None, "a standalone server has no copy to compare with"


@pytest.mark.parametrize(
    ("workload", "source", "reads", "stale"),
    [
        ("append, isolation: repeatable_read", "lists", "replicas", True),
        ("append, isolation: repeatable_read", "lists", "primary", False),
        ("registers", "registers", "replicas", True),
        ("registers", "registers", "primary", False),
    ],
)
def test_transactions_that_only_read_are_stale_at_a_stalled_replica(
    tmp_path: Path, workload: str, source: str, reads: str, stale: bool
) -> None:
    head = f"""
name: t
trials: 1
workloads: [{{workload: {workload}, keys: 3, read_only: 50}}]
connections: [4]
load: {{rate: 100}}
"""
    text = (
        f"solutions: [{{solution: hot-standby, engine: postgres-18, reads: {reads}}}]\n"
        "faults: [{fault: stalled-replica, duration: 1500ms}]\n"
    )
    outcome = run_trial(tmp_path, text + timing(), head=head)
    (judged,) = (item for item in outcome.record.isolation if item.source == source)
    assert judged.in_time is not None and judged.complete
    # A client that reads what it wrote itself misses it for a second and a half.
    assert bool(judged.in_time) is stale, judged
    name = workload.partition(",")[0]
    assert {one.counts.name for one in outcome.measures().types} == {name, f"{name}_read_only"}
