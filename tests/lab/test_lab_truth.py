"""Planted defects on real servers: rows that differ between nodes are found, their tables and keys named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lab_support import OPERATOR, Outcome, run_trial, timing

from fivenines.results.records import TableDifference
from fivenines.servers.base import Server
from fivenines.solutions.deployed import Deployed

REPLICATION = (
    "solutions: [{solution: replication, engine: mariadb-10.11, replicas: 1, "
    f"mode: after_sync, manager: {OPERATOR}}}]\n"
)
HOT_STANDBY = (
    "solutions: [{solution: hot-standby, engine: postgres-18, safeness: remote_apply, "
    f"manager: {OPERATOR}}}]\n"
)
GALERA = "solutions: [{solution: galera, engine: mariadb-10.11, nodes: 3}]\n"

LEDGER = "fivenines_probe"


def changed(node: Server, *statements: str) -> None:
    """Change one node behind the back of its replication."""
    with node.open_data(10.0) as connection, connection.cursor() as cursor:
        if node.driver == "mysql":
            cursor.execute("SET SESSION sql_log_bin = 0")
        for statement in statements:
            cursor.execute(statement)


def differences(outcome: Outcome) -> dict[str, TableDifference]:
    """What differs, by table; the comparison must have been complete."""
    found = outcome.record.divergence
    assert found is not None and not found.incomplete and not found.left_out, found
    return {one.table: one for one in found.differences}


def planted(folder: Path, solution: str, plant: Callable[[Deployed], None]) -> Outcome:
    """A trial without a fault, with something planted before its checks."""
    return run_trial(folder, solution + timing(recovery=1), {"checking": plant})


@pytest.mark.parametrize("solution", [REPLICATION, GALERA], ids=["replication", "galera"])
def test_mariadb_rows_that_were_taken_and_changed_on_one_node(
    tmp_path: Path, solution: str
) -> None:
    def plant(deployed: Deployed) -> None:
        changed(
            deployed.solution.node("node2"),
            "SET SESSION wsrep_on = 0" if "galera" in solution else "DO 0",
            "DELETE FROM sbtest1 WHERE id IN (7, 9)",
            "UPDATE sbtest2 SET c = 'other' WHERE id = 11",
            f"DELETE FROM {LEDGER} ORDER BY id LIMIT 1",
        )

    outcome = planted(tmp_path, solution, plant)
    found = differences(outcome)
    assert set(found) == {"sbtest1", "sbtest2", LEDGER}
    assert found["sbtest1"].keys == ["id 7: not on node2", "id 9: not on node2"]
    assert found["sbtest2"].keys == ["id 11: other on node2"]
    assert found["sbtest1"].rows["node1"] == found["sbtest1"].rows["node2"] + 2
    assert outcome.node("node2").lost == found[LEDGER].differing == 1


def test_mariadb_a_row_deleted_on_the_primary_alone(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        changed(deployed.solution.node("node1"), "DELETE FROM sbtest1 WHERE id = 3")

    found = differences(planted(tmp_path, REPLICATION, plant))
    assert found["sbtest1"].keys == ["id 3: not on node1"]


def test_mariadb_null_is_no_empty_string_and_no_word(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        for name, second in (("node1", "NULL"), ("node2", "'NULL'")):
            changed(
                deployed.solution.node(name),
                "CREATE TABLE odd (a INT, b VARCHAR(9), c TEXT)",
                f"INSERT INTO odd VALUES (1, {second}, ''), (2, 'x', NULL)",
            )

    found = differences(planted(tmp_path, REPLICATION, plant))
    assert set(found) == {"odd"} and found["odd"].differing == 2


def test_mariadb_a_table_that_only_one_node_has(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        changed(deployed.solution.node("node2"), "CREATE TABLE extra (id INT PRIMARY KEY)")

    found = differences(planted(tmp_path, REPLICATION, plant))
    assert found["extra"].checksums == {"node1": "no such table", "node2": "columns id int"}


def test_nothing_differs_where_nothing_was_planted(tmp_path: Path) -> None:
    outcome = planted(tmp_path, HOT_STANDBY, lambda _deployed: None)
    assert differences(outcome) == {}
    found = outcome.record.divergence
    assert found is not None
    assert (found.compared, found.reference) == (["node1", "node2"], "node1")
    assert found.tables == 3 and found.rows > 1000


def test_a_standalone_has_nobody_to_be_compared_with(tmp_path: Path) -> None:
    alone = "solutions: [{solution: standalone, engine: postgres-18}]\n"
    assert planted(tmp_path, alone, lambda _deployed: None).record.divergence is None
