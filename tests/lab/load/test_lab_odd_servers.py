"""Unusual server setups: what the load does, and what it reports."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lab_external_servers import ExternalServer, mysql, postgres, running
from lab_forgetful import forgetful
from lab_support import LIMIT, PATIENCE, program

from fivenines.servers.external import writable
from fivenines.servers.external.remote import Target, open_postgres

WORK = (
    "--workload",
    "oltp_update_index",
    "--tables",
    "2",
    "--table-size",
    "500",
    "--tls",
    "disable",
    "--connections",
    "2",
    "--think-time",
    "20ms",
)


@pytest.fixture(scope="module")
def two_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ExternalServer, ExternalServer]]:
    folder = tmp_path_factory.mktemp("postgres")
    pair = postgres(folder, "a"), postgres(folder, "b")
    with running(*pair):
        yield pair


@pytest.fixture(scope="module")
def two_mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ExternalServer, ExternalServer]]:
    folder = tmp_path_factory.mktemp("mysql")
    pair = mysql(folder, "a"), mysql(folder, "b")
    for node in pair:
        with (node.folder / "accounts.sql").open("a") as file:
            file.write("CREATE USER IF NOT EXISTS boss@'%' IDENTIFIED BY 'boss';\n")
            file.write("GRANT ALL ON *.* TO boss@'%';\n")
    with running(*pair):
        yield pair


def load(
    dsn: str, out: Path, meanwhile: Callable[[], None] = lambda: None, work: tuple[str, ...] = WORK
) -> dict[str, Any]:
    """Run a load, call a function meanwhile, and return load.json."""
    command = program("bench", "--dsn", dsn, *work, "--duration", f"{4 + 2 * PATIENCE:g}s", "--out", str(out))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        meanwhile()
        _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, errors
    return dict(json.loads((out / "load.json").read_text()))


def _is_loaded(server: ExternalServer, account: str) -> None:
    """Wait until the load's rows change."""
    changed = "SELECT sum(k) FROM sbtest1"
    before = server.query(changed, account)
    deadline = time.monotonic() + LIMIT
    while server.query(changed, account) == before:
        assert time.monotonic() < deadline, "no load arrives"
        time.sleep(0.1)


def _ok(loaded: dict[str, Any], server: ExternalServer) -> int:
    """Return the number of successful statements of a server."""
    return int(loaded["endpoints"].get(server.at, {"ok": 0})["ok"])


def _by_boss(server: ExternalServer, *statements: str) -> None:
    for statement in statements:
        server.query(statement, "boss")


def _classes(loaded: dict[str, Any]) -> set[str]:
    return {str(error["class"]) for error in loaded["errors"]}


def test_the_primary_is_where_postgresql_does_not_default_to_read_only(
    two_postgres: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    a, b = two_postgres
    dsn = f"postgresql://app@{a.at},{b.at}/sbtest"

    def read_only() -> None:
        _is_loaded(a, "app")
        a.query("ALTER SYSTEM SET default_transaction_read_only = on", "repl")
        a.query("SELECT pg_reload_conf()", "repl")

    loaded = load(dsn, tmp_path / "loaded", read_only)
    assert "read_only" in _classes(loaded)
    assert _ok(loaded, a) > 0 and _ok(loaded, b) > 0
    # From the beginning only the second server is accepted.
    loaded = load(dsn, tmp_path / "begun")
    assert (_ok(loaded, a), loaded["transactions"]["failed"]) == (0, 0)


def test_a_postgresql_server_that_belies_itself_is_left(
    two_postgres: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    a, b = two_postgres
    a.query("ALTER SYSTEM RESET default_transaction_read_only", "repl")
    a.query("SELECT pg_reload_conf()", "repl")
    a.query(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE 'no writes here' USING ERRCODE = '25006'; END $$",
        "repl",
    )
    for table in ("sbtest1", "sbtest2"):
        a.query(
            f"CREATE TRIGGER refuse BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()", "repl"
        )
    loaded = load(f"postgresql://app@{a.at},{b.at}/sbtest", tmp_path / "load")
    assert _classes(loaded) == {"read_only"}
    # Each connection has noticed it once, and then stays with the other server.
    assert loaded["transactions"]["failed"] <= 2
    assert _ok(loaded, b) > 10


def test_the_primary_is_where_mysql_is_not_super_read_only(
    two_mysql: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    a, b = two_mysql
    dsn = f"mysql://app:app@{a.at},{b.at}/sbtest"

    def read_only() -> None:
        _is_loaded(a, "app")
        _by_boss(a, "SET GLOBAL super_read_only = ON")

    loaded = load(dsn, tmp_path / "loaded", read_only)
    assert "read_only" in _classes(loaded)
    assert _ok(loaded, a) > 0 and _ok(loaded, b) > 0
    loaded = load(dsn, tmp_path / "begun")
    assert (_ok(loaded, a), loaded["transactions"]["failed"]) == (0, 0)


def test_a_mysql_server_that_belies_itself_is_left(
    two_mysql: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    """Set a schema read only, which no variable shows (error 3989)."""
    a, b = two_mysql
    _by_boss(a, "SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")
    _by_boss(a, "ALTER SCHEMA sbtest READ ONLY = 1")
    loaded = load(f"mysql://app:app@{a.at},{b.at}/sbtest", tmp_path / "load")
    assert _classes(loaded) == {"read_only"}
    assert {str(error["code"]) for error in loaded["errors"]} == {"3989"}
    assert loaded["transactions"]["failed"] <= 2
    assert _ok(loaded, b) > 10


def test_statements_that_mysql_has_forgotten_are_prepared_anew(
    two_mysql: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    _, b = two_mysql
    with forgetful(b.port) as relay:

        def forget() -> None:
            _is_loaded(b, "app")
            for _ in range(3):
                relay.forget()
                time.sleep(0.5)

        loaded = load(f"mysql://app:app@127.0.0.1:{relay.port}/sbtest", tmp_path / "load", forget)
    (entry,) = [error for error in loaded["errors"] if error["class"] == "session_lost"]
    assert str(entry["code"]) == "1243"
    # At most one for each session and reset; then the load goes on.
    assert 1 <= entry["count"] <= relay.resets
    assert loaded["transactions"]["failed"] == entry["count"]
    assert loaded["transactions"]["ok"] > 10 * entry["count"]


@pytest.mark.parametrize("how", ["autocommit = 0", "init_connect = 'SET autocommit = 0'"])
def test_statements_commit_where_mysql_does_not_by_itself(
    two_mysql: tuple[ExternalServer, ExternalServer], tmp_path: Path, how: str
) -> None:
    _, b = two_mysql
    reset = "autocommit = 1" if how.startswith("autocommit") else "init_connect = ''"
    _by_boss(b, f"SET GLOBAL {how}")
    try:
        loaded = load(f"mysql://app:app@{b.at}/sbtest", tmp_path / "load", lambda: _is_loaded(b, "boss"))
    finally:
        _by_boss(b, f"SET GLOBAL {reset}")
    assert loaded["transactions"]["failed"] == 0 and loaded["transactions"]["ok"] > 0


@pytest.mark.parametrize("value", ["CHAIN", "RELEASE"])
def test_what_counts_as_committed_is_committed_whatever_completion_type_says(
    two_mysql: tuple[ExternalServer, ExternalServer], tmp_path: Path, value: str
) -> None:
    """Each transaction of the mix adds 1 to the sum, with a COMMIT or without one."""
    _, b = two_mysql
    kinds = ("--workload", "oltp_update_index", "--workload", "oltp_write_only")
    mix = (*kinds, "--set", "oltp_write_only.delete_inserts=0", *WORK[2:])
    dsn = f"mysql://app:app@{b.at}/sbtest"
    script = tmp_path / "one.sql"
    script.write_text("BEGIN;\nUPDATE sbtest1 SET k = k + 1 WHERE id = 1;\nCOMMIT;\n")
    before = _sum(b)
    _by_boss(b, f"SET GLOBAL completion_type = '{value}'")
    try:
        loaded = load(dsn, tmp_path / "load", work=mix)
        assert f"completion_type is {value}" in _refused("--dsn", dsn, "--script", str(script))
        plain = f"{dsn}?sessionVariables=completion_type=0"
        scripted = load(plain, tmp_path / "scripted", work=("--script", str(script)))["transactions"]
    finally:
        _by_boss(b, "SET GLOBAL completion_type = 'NO_CHAIN'")
    of = loaded["transactions"]
    assert of["ok"] > 0 and not {"connection", "shutdown"} & _classes(loaded)
    known = before + of["ok"] + scripted["ok"]
    assert scripted["ok"] > 0
    assert known <= _sum(b) <= known + of["in_doubt"] + scripted["in_doubt"]


def test_what_a_session_rolls_back_has_failed(
    two_mysql: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    """Each session begins within a transaction, so that its first statement does not commit."""
    _, b = two_mysql
    work = ("--workload", "oltp_update_index", *WORK[2:])
    before = _sum(b)
    _by_boss(b, "SET GLOBAL init_connect = 'START TRANSACTION'")
    try:
        loaded = load(f"mysql://app:app@{b.at}/sbtest", tmp_path / "load", work=work)
    finally:
        _by_boss(b, "SET GLOBAL init_connect = ''")
    of = loaded["transactions"]
    (error,) = [error for error in loaded["errors"] if str(error["code"]) == "left_open"]
    assert of["ok"] > 0 and error["count"] == of["failed"]
    assert before + of["ok"] <= _sum(b) <= before + of["ok"] + of["in_doubt"]


def _sum(server: ExternalServer) -> int:
    ((total,),) = server.query("SELECT (SELECT sum(k) FROM sbtest1) + (SELECT sum(k) FROM sbtest2)", "boss")
    return int(str(total))


def test_a_statement_that_the_time_limit_of_postgresql_ended_has_failed(
    two_postgres: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    _, b = two_postgres
    script = tmp_path / "slow.sql"
    script.write_text("UPDATE sbtest1 SET k = k + 1 WHERE id = 1 AND pg_sleep(10) IS NOT NULL;\n")
    dsn = f"postgresql://app@{b.at}/sbtest?statement_timeout=300ms"
    arguments = ("--connections", "2", "--duration", "2s", "--out", str(tmp_path / "load"))
    assert "canceling statement" in _refused("--dsn", dsn, "--script", str(script), *arguments)
    loaded = json.loads((tmp_path / "load" / "load.json").read_text())
    of = loaded["transactions"]
    assert (of["ok"], of["in_doubt"]) == (0, 0) and of["failed"] > 0
    assert {(str(error["class"]), str(error["code"])) for error in loaded["errors"]} == {("timeout", "57014")}
    # The sessions go on.
    assert loaded["connects"]["ok"] == 2


def test_time_limits_of_a_server_do_not_end_the_preparation(
    two_postgres: tuple[ExternalServer, ExternalServer], two_mysql: tuple[ExternalServer, ExternalServer]
) -> None:
    (_, postgres_server), (_, mysql_server) = two_postgres, two_mysql
    limits = ("statement_timeout", "transaction_timeout", "idle_session_timeout", "lock_timeout")
    for name in limits:
        postgres_server.query(f"ALTER ROLE app IN DATABASE sbtest SET {name} = '100ms'", "repl")
    _by_boss(mysql_server, "SET GLOBAL wait_timeout = 1", "SET GLOBAL max_execution_time = 1")
    work = ("--workload", "tpcc", "--set", "warehouses=1", "--prepare", "--duration", "0s")
    try:
        for dsn in (
            f"postgresql://app@{postgres_server.at}/sbtest",
            f"mysql://app:app@{mysql_server.at}/sbtest",
        ):
            command = program("bench", "--dsn", dsn, *work)
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
            assert done.returncode == 0, done.stderr
    finally:
        postgres_server.query("ALTER ROLE app IN DATABASE sbtest RESET ALL", "repl")
        _by_boss(mysql_server, "SET GLOBAL wait_timeout = 28800", "SET GLOBAL max_execution_time = 0")


def test_texts_are_utf8_whatever_the_encoding_of_the_database(
    two_postgres: tuple[ExternalServer, ExternalServer], tmp_path: Path
) -> None:
    """The texts of a script keep their characters, and answers about a server are words and no bytes."""
    _, b = two_postgres
    script = tmp_path / "text.sql"
    script.write_text("INSERT INTO words VALUES ('\u00e9');\n")
    for encoding, length in (("LATIN1", 1), ("SQL_ASCII", 2)):
        name = encoding.lower()
        b.query(
            f"CREATE DATABASE {name} OWNER app ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' "
            "TEMPLATE template0",
            "repl",
        )
        target = Target("127.0.0.1", b.port, "app", "", name)
        with closing(open_postgres(target, 5.0, 30.0)) as connection:
            assert writable.why_not("postgres", connection.execute) == ""
            connection.execute("CREATE TABLE words (word text)")
            dsn = f"postgresql://app@{b.at}/{name}"
            loaded = load(dsn, tmp_path / name, work=("--script", str(script), "--connections", "1"))
            assert loaded["transactions"]["ok"] > 0
            assert connection.execute("SELECT DISTINCT length(word), word FROM words").fetchall() == [
                (length, "\u00e9")
            ]


def test_tables_without_transactions_are_refused(two_mysql: tuple[ExternalServer, ExternalServer]) -> None:
    # Tests before this one leave the other server read-only.
    _, b = two_mysql
    dsn = f"mysql://boss:boss@{b.at}/sbtest"
    _by_boss(b, "SET GLOBAL default_storage_engine = MyISAM")
    try:
        tatp = ["tatp", "--set", "subscribers=100", "--prepare"]
        for work in (tatp, ["bank"], ["append"], ["registers"]):
            error = _refused("--dsn", dsn, "--workload", *work)
            assert "new tables would have the storage engine MyISAM" in error
            assert "default_storage_engine" in error
    finally:
        _by_boss(b, "SET GLOBAL default_storage_engine = InnoDB")
    assert b.query("SELECT table_name FROM information_schema.tables WHERE engine = 'MyISAM'", "boss") == []
    _by_boss(b, "ALTER TABLE sbtest1 ENGINE = MyISAM")
    try:
        assert "the table sbtest1 has the storage engine MyISAM" in _refused("--dsn", dsn, *WORK)
    finally:
        _by_boss(b, "ALTER TABLE sbtest1 ENGINE = InnoDB")


def _refused(*arguments: str) -> str:
    """Return the error of a load that must fail."""
    length = () if "--duration" in arguments else ("--duration", "1s")
    command = program("bench", *arguments, *length)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 1, done.stderr
    return done.stderr
