"""Clusters that fivenines does not deploy: real servers on this machine's own network, hooks and commands."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lab_external_servers
import psutil
import pytest
from lab_external_servers import PASSWORD, WORKLOAD, ExternalServer, running
from lab_support import GENTLE, HEAD, LIMIT, fivenines, rejoined, run_trial, sound, timing

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.waiting import wait_until
from fivenines.servers.external.kinds import external_server
from fivenines.servers.external.remote import Target, open_mysql, open_postgres
from fivenines.software.store import engine
from fivenines.solutions.external import solution as external
from fivenines.solutions.external.settings import ExternalSettings
from fivenines.solutions.external.solution import External


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def pair(folder: Path) -> Iterator[list[ExternalServer]]:
    """Provide a PostgreSQL primary with a standby."""
    first = lab_external_servers.postgres(folder, "db1")
    second = lab_external_servers.postgres(folder, "db2", first.port)
    with running(first, second):
        yield [first, second]
    assert not _left(folder)


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "app")


def _left(folder: Path) -> list[list[str]]:
    """Return the command lines of processes that refer to a folder."""
    command_lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [line for line in command_lines if any(str(folder) in word for word in line)]


def solution(servers: list[ExternalServer], kind: str = "postgres", **further: str) -> str:
    """Return the section `solutions:` for these servers."""
    members = ", ".join(f"{server.name}: '{server.at}'" for server in servers)
    more = "".join(f"    {key}: {value}\n" for key, value in further.items())
    return (
        f"solutions:\n  - solution: external\n    engine: external-{kind}\n    members: {{{members}}}\n"
        f"    user: app\n    password_env: {PASSWORD}\n    database: sbtest\n    existing: reuse\n{more}"
    )


def settings(servers: list[ExternalServer], **changes: object) -> ExternalSettings:
    """Return the same section as a settings object."""
    return ExternalSettings.model_validate(
        {
            "solution": "external",
            "engine": "external-postgres",
            "name": "ours",
            "user": "app",
            "database": "sbtest",
            "members": {server.name: server.at for server in servers},
            **changes,
        }
    )


def test_a_replica_is_killed_by_a_hook_and_started_by_another(
    pair: list[ExternalServer], folder: Path
) -> None:
    hooks = f"{{kill: '{pair[0].kill_command}', restart: '{pair[0].restart_command}'}}"
    outcome = run_trial(
        folder / "kill",
        solution(pair, hooks=hooks)
        + timing()
        + "faults: [{fault: kill, target: replica, restart_after: 1s}]\n",
    )
    sound(outcome)
    rejoined(outcome)
    record = outcome.record
    assert record.fault is not None and record.fault.node == "db2"
    assert record.divergence is not None and record.divergence.compared == ["db1", "db2"]
    assert record.divergence.differences == []
    assert record.deployment is not None and record.deployment.roles["db1"] == "primary"
    states = outcome.rows("nodes", "SELECT node, state FROM rows ORDER BY t_us")
    assert ("db1", "writable") in states and ("db2", "away") in states
    assert outcome.rows("views", "SELECT DISTINCT node FROM rows ORDER BY 1") == [("db1",), ("db2",)]
    assert outcome.rows("counters", "SELECT count(*) > 0 FROM rows") == [(True,)]
    # The server's clock and its hosts are outside the lab.
    assert not (outcome.folder / "executed.parquet").exists()
    assert not (outcome.folder / "hosts.parquet").exists()
    assert (outcome.folder / "logs/db2/log/hook-kill.log").exists()
    # A standby's connection string contains the password.
    assert record.deployment.settings["db2"]["port"] == str(pair[1].port)
    assert "hidden" not in (outcome.folder / "trial.json").read_text()
    assert pair[0].query("SELECT to_regclass('fivenines_ledger')") == [(None,)]


def test_a_failing_hook_is_reported(pair: list[ExternalServer], folder: Path) -> None:
    hooks = "{kill: 'echo no such host {node}; exit 255', restart: 'true'}"
    outcome = run_trial(
        folder / "fails",
        solution(pair, hooks=hooks)
        + timing(steady=1.0)
        + "faults: [{fault: kill}]\n".replace("kill}", "kill, restart_after: 1s}"),
    )
    fault = outcome.record.fault
    assert fault is not None and not fault.verified
    assert "the hook `kill` for db1 failed: exit code 255" in fault.detail
    assert "no such host db1" in fault.detail


def test_one_server_by_two_names_is_refused(pair: list[ExternalServer]) -> None:
    twice = {"db1": pair[0].at, "again": f"localhost:{pair[0].port}"}
    external._loaded.clear()
    chosen = settings(pair, members=twice, existing="reuse", password_env=PASSWORD)
    with pytest.raises(UsageError, match=f"{pair[0].at} and localhost:{pair[0].port} are the same server"):
        External.preparation(chosen).data(WORKLOAD, lambda _message, _fraction: None)


@pytest.mark.parametrize("kind", ["mariadb", pytest.param("mysql", marks=pytest.mark.long)])
def test_two_servers_of_mysql_are_distinguished_by_a_lock(tmp_path: Path, kind: str) -> None:
    start = {"mariadb": lab_external_servers.mariadb, "mysql": lab_external_servers.mysql}[kind]
    servers = [start(tmp_path, name) for name in ("m1", "m2")]
    with running(*servers):
        first, second = servers
        host: Any = SimpleNamespace(name="here", node=tmp_path)
        one, same, other = (
            external_server(
                host, engine(f"external-{kind}"), Target("127.0.0.1", port, "app", "app", "sbtest")
            )
            for port in (first.port, first.port, second.port)
        )
        assert one.same_as(same) and not one.same_as(other)


@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_accounts_log_in_by_the_plugins_that_manuals_recommend(tmp_path: Path, kind: str) -> None:
    """Use ed25519 of MariaDB, and caching_sha2_password without TLS before the password is cached."""
    if kind == "mariadb":
        tree = engine("mariadb-10.11").root().lower
        options = (f"--plugin-dir={tree}/usr/lib/mysql/plugin", "--plugin-load-add=auth_ed25519")
        server = lab_external_servers.mariadb(tmp_path, "m1", *options)
        secret = "IDENTIFIED VIA ed25519 USING PASSWORD('new')"
    else:
        server = lab_external_servers.mysql(tmp_path, "m1")
        secret = "IDENTIFIED WITH caching_sha2_password BY 'new'"
    with (server.folder / "accounts.sql").open("a") as accounts:
        accounts.write(f"CREATE USER new@'%' {secret};\nGRANT SELECT ON sbtest.* TO new@'%';\n")
    with running(server):
        target = Target("127.0.0.1", server.port, "new", "new", "sbtest", tls="disable")
        with closing(open_mysql(target, 2.0, 5.0)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM sbtest1")
            assert cursor.fetchall() == ((500,),)


def test_a_replica_of_another_server_than_the_primary_is_named(tmp_path: Path) -> None:
    """Plant what MySQL's fail-back of a list of sources does: both threads run, and nothing arrives."""
    servers = [
        lab_external_servers.mariadb(tmp_path, name, f"--server-id={number}")
        for number, name in enumerate(("new", "old", "astray"), start=1)
    ]
    for server in servers:
        with (server.folder / "accounts.sql").open("a") as file:
            file.write("GRANT ALL ON *.* TO app@'%';\n")
    new, old, astray = servers
    with running(*servers):
        primary, replica = (
            external_server(
                SimpleNamespace(name=server.name, node=tmp_path),  # type: ignore[arg-type]
                engine("external-mariadb"),
                Target("127.0.0.1", server.port, "app", "app", "sbtest"),
            )
            for server in (new, astray)
        )
        astray.query(
            f"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {old.port}, MASTER_USER = 'app', "
            "MASTER_PASSWORD = 'app', MASTER_USE_GTID = slave_pos"
        )
        astray.query("START SLAVE")
        wait_until(replica.follows, LIMIT, "its threads do not run")
        assert replica.behind(primary) == ""
        new.query("UPDATE sbtest1 SET k = 7 WHERE id = 7")
        followed = f"; it follows 127.0.0.1:{old.port}, not new, the primary"
        assert replica.behind(primary).endswith(followed)


def test_existing_tables_are_refused_reused_or_replaced(pair: list[ExternalServer]) -> None:
    def load(existing: str) -> list[str]:
        messages: list[str] = []
        external._loaded.clear()
        chosen = settings(pair, existing=existing, password_env=PASSWORD)
        External.preparation(chosen).data(WORKLOAD, lambda message, _fraction: messages.append(message))
        return messages

    with pytest.raises(UsageError, match="already exist in the database sbtest: set `existing: reuse`"):
        load("refuse")
    pair[0].query("UPDATE sbtest1 SET k = -1 WHERE id = 7")
    load("reuse")
    assert pair[0].query("SELECT k FROM sbtest1 WHERE id = 7") == [(-1,)]
    load("replace")
    assert pair[0].query("SELECT count(*), min(k) > 0 FROM sbtest1") == [(500, True)]


def test_a_server_whose_commits_wait_without_end_is_refused(tmp_path: Path) -> None:
    server = lab_external_servers.postgres(tmp_path, "db1")
    with (server.folder / "data" / "postgresql.conf").open("a") as configuration:
        configuration.write("synchronous_standby_names = 'db2'\n")
    expected = "synchronous_standby_names is 'db2', and no synchronous standby is connected"
    with running(server):
        external._loaded.clear()
        chosen = settings([server], existing="reuse", password_env=PASSWORD)
        with pytest.raises(FiveninesError, match=expected):
            External.preparation(chosen).data(WORKLOAD, lambda _message, _fraction: None)
        dsn = f"postgresql://app:app@{server.at}/sbtest"
        done = fivenines("bench", "--dsn", dsn, "--prepare", "--duration", "0s", cwd=tmp_path)
        assert done.returncode == 1 and expected in done.stderr


def test_a_refused_log_in_is_reported(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    absent = ExternalServer("db1", lab_external_servers.free_port(), [], folder, open_postgres)
    file.write_text(f"name: x\nworkloads: [oltp_read_only]\n{solution([absent])}")
    done = fivenines("run", file, cwd=tmp_path, env={PASSWORD: "app"})
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"127.0.0.1:{absent.port}" in done.stderr and "refused" in done.stderr


def test_variables_of_libpq_do_not_change_a_trial(pair: list[ExternalServer], tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(f"{HEAD}{GENTLE}{timing()}{solution(pair)}")
    shell = {
        "PGSERVICE": "absent",
        "PGHOSTADDR": "127.0.0.9",
        "PGOPTIONS": "-c default_transaction_read_only=on",
        "PGTARGETSESSIONATTRS": "standby",
    }
    done = fivenines("run", file, "--out", tmp_path / "run", cwd=tmp_path, env={PASSWORD: "app", **shell})
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_nothing_to_bring_up(tmp_path: Path) -> None:
    setting = ("--set", "user=app", "--set", "database=x", "--set", "write=[h:1]")
    done = fivenines("up", "external", "--engine", "external-mysql", *setting, cwd=tmp_path)
    assert done.returncode == 2
    assert "is an external cluster, which fivenines does not deploy" in done.stderr


@pytest.mark.parametrize("kind", ["mariadb", pytest.param("mysql", marks=pytest.mark.long)])
def test_a_server_is_measured_and_broken_by_a_command(tmp_path: Path, kind: str) -> None:
    start = {"mariadb": lab_external_servers.mariadb, "mysql": lab_external_servers.mysql}
    server = start[kind](tmp_path, "m1")
    mark = tmp_path / "broken"
    fault = {
        "fault": "command",
        "duration": "1s",
        "recover": f"rm {mark}",
        "verify": f"test -e {mark}",
        "inject": f"test $FIVENINES_PRIMARY,{{port}} = m1,{server.port} && touch {mark}",
    }
    with running(server):
        outcome = run_trial(
            tmp_path / "run",
            solution([server], kind) + timing(recovery=3) + f"faults: [{json.dumps(fault)}]\n",
        )
    sound(outcome)
    assert outcome.record.fault is not None and outcome.record.fault.ended_verified
    assert outcome.node("m1").lost == 0
    states = {state for (state,) in outcome.rows("nodes", "SELECT DISTINCT state FROM rows")}
    # A busy server may answer too late once.
    assert "writable" in states and states <= {"writable", "away"}
    assert not mark.exists()


def test_a_command_in_the_lab_knows_the_hosts_process(tmp_path: Path) -> None:
    # A backend may end between the listing and the signal.
    freeze = "kill -STOP $(pgrep --ns $FIVENINES_PID --nslist pid postgres) || true"
    thaw = freeze.replace("STOP", "CONT")
    outcome = run_trial(
        tmp_path,
        "solutions: [standalone]\n"
        + timing()
        + f"faults: [{{fault: command, inject: '{freeze}', recover: '{thaw}', duration: 1s}}]\n",
    )
    sound(outcome)
    assert outcome.record.fault is not None and outcome.record.fault.ended_verified
    assert outcome.node("node1").lost == 0
    # The process that started the server was stopped with it, and resumed so that the host could end.
    ours = psutil.Process().children(recursive=True)
    assert [process for process in ours if process.status() == psutil.STATUS_STOPPED] == []
