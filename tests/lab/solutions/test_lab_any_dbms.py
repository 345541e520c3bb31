"""Clusters of any DBMS by ODBC alone: the portable SQL, on the real servers available here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_external_servers import PASSWORD, ExternalServer, mariadb, postgres, running
from lab_support import run_trial, timing

from fivenines.servers.external.server import LEDGER, PROBES
from fivenines.trial.deployment.deployed import Deployed

TATP = "name: any\ntrials: 1\nworkloads: [{workload: tatp, subscribers: 200}]\nconnections: [2]\n"
DRIVERS = {"postgres": "PostgreSQL Unicode", "mariadb": "MariaDB Unicode"}


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "app")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ExternalServer]]:
    """Provide a PostgreSQL primary with a standby."""
    folder = tmp_path_factory.mktemp("any")
    first = postgres(folder, "db1")
    second = postgres(folder, "db2", first.port)
    with running(first, second):
        yield [first, second]


def solution(servers: list[ExternalServer], kind: str, **further: str) -> str:
    """Return the section `solutions:` for these servers, by a driver."""
    members = ", ".join(f"{server.name}: '{server.at}'" for server in servers)
    odbc = f"Driver={{{DRIVERS[kind]}}};Server={{host}};Port={{port}};Database=sbtest;UID=app"
    more = "".join(f"    {key}: {value}\n" for key, value in further.items())
    return (
        f"solutions:\n  - solution: external\n    engine: external-odbc\n    members: {{{members}}}\n"
        f"    user: app\n    password_env: {PASSWORD}\n    database: sbtest\n    existing: replace\n"
        f'    odbc: "{odbc}"\n{more}'
    )


def test_the_writable_node_is_the_primary_and_a_lost_row_is_named(
    pair: list[ExternalServer], tmp_path: Path
) -> None:
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        taken.append(sorted(row[0] for row in deployed.solution.nodes[0].sql.ledger_rows())[7])
        pair[0].query(f"DELETE FROM fivenines_ledger WHERE id = {taken[0]}")

    hooks = f"{{kill: '{pair[0].kill_command}', restart: '{pair[0].restart_command}'}}"
    outcome = run_trial(
        tmp_path,
        solution(pair, "postgres", hooks=hooks)
        + timing()
        + "faults: [{fault: kill, target: replica, restart_after: 1s}]\n",
        {"checking": delete},
        TATP,
    )
    record = outcome.record
    assert record.deployment is not None
    assert record.deployment.roles == {"db1": "primary", "db2": "replica"}
    settings = record.deployment.settings["db2"]
    assert (settings["dbms"], settings["dialect"]) == ("PostgreSQL", "postgres") and settings["version"]
    assert record.fault is not None and record.fault.node == "db2" and record.fault.verified
    assert outcome.node("db1").lost_ids == taken
    assert record.check is not None
    assert outcome.node("db1").present == record.check.acknowledged - 1
    # The standby may have replayed the deletion or not: no check compares copies here.
    assert set(outcome.node("db2").lost_ids) <= set(taken)
    assert record.divergence is None
    assert pair[0].query("SELECT to_regclass('fivenines_ledger')") == [(None,)]
    assert pair[0].query("SELECT to_regclass('fivenines_probes')") == [(None,)]


def test_the_portable_sql_counts_lost_rows(tmp_path: Path) -> None:
    """Use MariaDB, which accepts the SQL of SQL Server and solidDB and reports a missing table as they do."""
    server = mariadb(tmp_path, "db1")
    taken: list[int] = []

    def delete(deployed: Deployed) -> None:
        rows = deployed.solution.nodes[0].sql.ledger_rows()
        assert {executed for _, executed in rows} == {None}
        taken.extend(sorted(row[0] for row in rows)[3:6])
        server.query(f"DELETE FROM fivenines_ledger WHERE id IN {tuple(taken)}")

    hooks = f"{{kill: '{server.kill_command}', restart: '{server.restart_command}'}}"
    with running(server):
        outcome = run_trial(
            tmp_path / "run",
            solution([server], "mariadb", dialect="sqlserver", hooks=hooks)
            + timing()
            + "faults: [{fault: kill, restart_after: 1s}]\n",
            {"checking": delete},
            TATP,
        )
        left = server.query("SHOW TABLES LIKE 'fivenines%'")
    node = outcome.node("db1")
    assert (node.lost, node.lost_ids, node.phantom) == (3, taken, 0)
    fault = outcome.record.fault
    assert fault is not None and fault.verified and fault.ended_verified
    assert outcome.record.load.transactions.ok > 0
    # The load went on after the kill, and probes by fresh connections saw the end of the outage.
    assert outcome.rows("ledger", "SELECT count(*) > 0 FROM rows WHERE kind = 'write'") == [(True,)]
    assert outcome.rows("probes", "SELECT count(*) > 0 FROM rows WHERE outcome = 'ok'") == [(True,)]
    assert {check.status for check in outcome.record.invariants} == {"unknown"}
    assert not {str(name) for (name,) in left} & {LEDGER, PROBES}


def test_a_trial_without_a_defect_finds_none(pair: list[ExternalServer], tmp_path: Path) -> None:
    outcome = run_trial(tmp_path, solution(pair, "postgres") + timing(recovery=1), None, TATP)
    assert {outcome.node(name).lost for name in ("db1", "db2")} == {0}
    assert {check.status for check in outcome.record.invariants} == {"holds"}
