"""Planted defects: the check after a trial names exactly the rows that were removed or added."""

from pathlib import Path

import duckdb
import pytest
from lab_support import OPERATOR, kill, run_trial, timing

from fivenines.servers.base import DATABASE, Server
from fivenines.servers.postgres.server import Postgres
from fivenines.trial.deployment.deployed import Deployed

HOT_STANDBY = (
    "solutions: [{solution: hot-standby, engine: postgres-18, synchronous_commit: remote_apply, "
    f"manager: {OPERATOR}}}]\n"
)


def _replication() -> str:
    return (
        "solutions: [{solution: replication, engine: mariadb-10.11, replicas: 1, "
        f"mode: after_sync, manager: {OPERATOR}}}]\n"
    )


# Every calibration does the same.
@pytest.mark.long
def test_rows_deleted_on_the_primary_of_record_are_lost_there(tmp_path: Path) -> None:
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        primary = deployed.solution.nodes[0]
        taken.extend(sorted([row[0] for row in primary.sql.ledger_rows()])[3:6])
        _on_database(primary, f"DELETE FROM fivenines_ledger WHERE id IN {tuple(taken)}")

    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: standalone, engine: postgres-18}]\n" + timing(recovery=1),
        {"checking": delete},
    )
    node = outcome.node("node1")
    assert (node.lost, node.lost_ids, node.phantom) == (3, taken, 0)
    assert outcome.record.check is not None
    assert node.present == outcome.record.check.acknowledged - 3


@pytest.mark.parametrize("victim", ["node1", pytest.param("node2", marks=pytest.mark.long)])
def test_a_row_deleted_on_one_copy_is_lost_on_that_copy_only(tmp_path: Path, victim: str) -> None:
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        node = deployed.solution.node(victim)
        taken.append(sorted([row[0] for row in node.sql.ledger_rows()])[7])
        node.sql.execute(
            "SET sql_log_bin = 0", f"DELETE FROM {DATABASE}.fivenines_ledger WHERE id = {taken[0]}"
        )

    outcome = run_trial(tmp_path, _replication() + timing(recovery=1), {"checking": delete})
    other = {"node1": "node2", "node2": "node1"}[victim]
    assert outcome.node(victim).lost_ids == taken and len(taken) == 1
    assert (outcome.node(other).lost, outcome.node(other).lost_ids) == (0, [])
    assert outcome.node(victim).phantom == outcome.node(other).phantom == 0


# Every calibration does the same.
@pytest.mark.long
def test_a_refused_row_that_is_there_is_a_phantom(tmp_path: Path) -> None:
    refused: list[int] = []

    def refuse(deployed: Deployed) -> None:
        # From now on the server refuses rows with an error: none of them is in doubt.
        _on_database(
            deployed.solution.nodes[0],
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN RAISE EXCEPTION ''no''; END'",
            "CREATE TRIGGER refuse BEFORE INSERT ON fivenines_ledger FOR EACH ROW "
            "WHEN (NEW.id % 2 = 0) EXECUTE FUNCTION refuse()",
        )

    def insert(deployed: Deployed) -> None:
        (part,) = (tmp_path / "trials").glob(".*.part")
        rows = _refused(part / "ledger.parquet")
        refused.extend(rows[:2])
        node = deployed.solution.nodes[0]
        _on_database(node, "DROP TRIGGER refuse ON fivenines_ledger")
        columns = _other_columns(node)
        for identifier in refused:
            _on_database(
                node,
                f"INSERT INTO fivenines_ledger (id{columns}) SELECT {identifier}{columns} "
                "FROM fivenines_ledger LIMIT 1",
            )

    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: standalone, engine: postgres-18}]\n" + timing(recovery=1, steady=4),
        {"warm-up and steady load": refuse, "checking": insert},
    )
    node = outcome.node("node1")
    assert len(refused) == 2
    assert (node.phantom_ids, node.lost) == (refused, 0)
    assert outcome.record.check is not None and outcome.record.check.failed > 2


def test_a_row_lost_after_a_failover_is_found_on_the_new_primary(tmp_path: Path) -> None:
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        primary = deployed.solution.roles.primary()
        assert primary is not None and primary.name == "node2"
        taken.append(min([row[0] for row in primary.sql.ledger_rows()]))
        _on_database(primary, f"DELETE FROM fivenines_ledger WHERE id = {taken[0]}")

    outcome = run_trial(tmp_path, HOT_STANDBY + kill() + timing(), {"checking": delete})
    assert outcome.node("node2").lost_ids == taken


def _on_database(node: Server, *statements: str) -> None:
    assert isinstance(node, Postgres)
    with node.sql.connect(database=DATABASE) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _other_columns(node: Server) -> str:
    assert isinstance(node, Postgres)
    with node.sql.connect(database=DATABASE) as connection:
        rows = connection.execute(
            "SELECT column_name FROM information_schema.columns "
            "WHERE table_name = 'fivenines_ledger' AND column_name <> 'id'"
        ).fetchall()
    return "".join(f", {name}" for (name,) in rows)


def _refused(ledger: Path) -> list[int]:
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT id FROM read_parquet(?) WHERE kind = 'write' GROUP BY id "
            "HAVING bool_and(outcome = 'failed') ORDER BY id",
            [str(ledger)],
        ).fetchall()
    return [row[0] for row in rows]
