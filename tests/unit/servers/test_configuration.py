"""Configuration of servers: files, command lines, SQL of accounts."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import Folder
from fivenines.servers.families import server
from fivenines.servers.mariadb.server import Mariadb, follow
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family.setup import option_line
from fivenines.servers.postgres.server import Postgres
from fivenines.servers.postgres.setup import setting_value


class Host(SimpleNamespace):
    """A host's folder, and the commands that were run on it."""

    def run(self, command: list[str], **more: Any) -> str:
        self.ran.append((command, more))
        return ""

    def spawn(self, command: list[str], **more: Any) -> str:
        self.ran.append((command, more))
        return "process"

    def own(self, *parts: str, uid: int) -> None:
        self.owned = (parts, uid)

    def inside(self, command: list[str], uid: int | None) -> list[str]:
        return ["inside", str(uid), *command]


@pytest.fixture
def host(tmp_path: Path) -> Any:
    for part in ("data", "conf", "run", "log"):
        (tmp_path / part).mkdir()
    data = Folder(tmp_path / "data")
    made = Host(node=tmp_path, data=data, name="node1", address="10.99.0.11", ran=[], peers=("10.99.0.0/24",))
    made.commands = made.files = made
    return made


def _engine(family: str) -> Any:
    return SimpleNamespace(family=family, program=lambda name: f"/bin/{name}", next_to_server=dict)


@pytest.fixture
def postgres(host: Any) -> Postgres:
    return Postgres(host, _engine("postgresql"))


@pytest.fixture
def mariadb(host: Any) -> Mariadb:
    return Mariadb(host, _engine("mariadb"))


@pytest.fixture
def mysql(host: Any) -> Mysql:
    return Mysql(host, _engine("mysql"))


def _settings(file: Path, separator: str) -> dict[str, str]:
    lines = [line for line in file.read_text().splitlines() if separator in line]
    return dict(line.split(separator, 1) for line in lines)


def test_the_family_of_an_engine_decides_the_server(host: Any) -> None:
    assert isinstance(server(host, _engine("postgresql")), Postgres)
    assert isinstance(server(host, _engine("mariadb")), Mariadb)
    assert isinstance(server(host, _engine("mysql")), Mysql)


def test_addresses_of_a_server(postgres: Postgres, mariadb: Mariadb) -> None:
    assert (postgres.name, postgres.endpoint) == ("node1", "10.99.0.11:5432")
    assert mariadb.endpoint == "10.99.0.11:3306"
    assert not postgres.alive
    assert not mariadb.answers()


def test_postgresql_is_configured_with_defaults_and_settings(postgres: Postgres) -> None:
    postgres.setup.configure({"shared_buffers": "1GB", "jit": True, "work_mem": "it's"})
    found = _settings(postgres.host.node / "conf/postgresql.conf", " = ")
    assert found["listen_addresses"] == "'0.0.0.0'"
    assert found["unix_socket_directories"] == "'/run/node/run'"
    assert found["max_connections"] == "300"
    assert found["hot_standby"] == "on"
    assert (found["shared_buffers"], found["jit"]) == ("'1GB'", "on")
    assert found["work_mem"] == "'it''s'"


def test_each_setting_of_postgresql_is_written_once(postgres: Postgres) -> None:
    postgres.setup.configure({"shared_buffers": "1GB"})
    postgres.setup.configure({"shared_buffers": "2GB"})
    text = (postgres.host.node / "conf/postgresql.conf").read_text()
    assert re.findall("^shared_buffers = (.*)$", text, re.MULTILINE) == ["'2GB'"]


def test_postgresql_requires_a_password_for_every_connection(postgres: Postgres) -> None:
    postgres.setup.configure({})
    lines = (postgres.host.node / "conf/pg_hba.conf").read_text().splitlines()
    assert [line.split() for line in lines] == [
        ["local", "all", "all", "scram-sha-256"],
        ["local", "replication", "all", "scram-sha-256"],
        ["host", "all", "all", "10.99.0.0/24", "scram-sha-256"],
        ["host", "replication", "all", "10.99.0.0/24", "scram-sha-256"],
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "on"),
        (False, "off"),
        (0, "0"),
        (-1, "-1"),
        (0.5, "0.5"),
        ("", "''"),
        ("1", "'1'"),
        ("on", "'on'"),
        ("'", "''''"),
        ("a\\b", "'a\\\\b'"),
        ("a\nb\n", "'a\\nb'"),
    ],
)
def test_values_are_formatted_for_postgresql(value: Any, text: str) -> None:
    assert setting_value(value) == text


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(min_codepoint=32, exclude_characters="\\")))
def test_any_text_can_be_quoted_for_postgresql(value: str) -> None:
    """Check the manual's rule: two quotes in a quoted text stand for one."""
    quoted = setting_value(value)
    assert quoted[0] == quoted[-1] == "'"
    assert re.fullmatch(r"([^']|'')*", quoted[1:-1], re.DOTALL)
    assert quoted[1:-1].replace("''", "'") == value


def test_mariadb_is_configured_with_defaults_and_settings(mariadb: Mariadb) -> None:
    mariadb.setup.configure({"innodb_buffer_pool_size": "1G", "read_only": True, "sync_binlog": 0})
    file = mariadb.host.node / "conf/my.cnf"
    assert file.read_text().startswith("[mariadbd]\n")
    found = _settings(file, "=")
    assert found["datadir"] == "/run/node/data"
    assert found["socket"] == "/run/node/run/mysqld.sock"
    assert found["skip-name-resolve"] == "1"
    assert found["innodb_use_native_aio"] == "0"
    assert (found["innodb_buffer_pool_size"], found["read_only"], found["sync_binlog"]) == ("1G", "1", "0")


def test_mysql_is_configured_with_defaults_and_settings(mysql: Mysql) -> None:
    mysql.setup.configure({"innodb_buffer_pool_size": "1G", "sync_binlog": 0})
    file = mysql.host.node / "conf/my.cnf"
    assert file.read_text().startswith("[mysqld]\n")
    found = _settings(file, "=")
    assert (found["datadir"], found["mysqlx"]) == ("/run/node/data", "0")
    assert (found["innodb_buffer_pool_size"], found["sync_binlog"]) == ("1G", "0")


def test_each_copy_of_a_data_directory_has_its_own_uuid(mysql: Mysql) -> None:
    auto = mysql.data / "auto.cnf"
    mysql.setup.configure({})
    # --initialize requires an empty folder.
    assert not auto.exists()
    (mysql.data / "mysql").mkdir()
    auto.write_text("[auto]\nserver-uuid=that-of-the-loading-server\n")
    mysql.setup.configure({})
    assert auto.read_text() == "[auto]\nserver-uuid=00000000-0000-0000-0000-000000000011\n"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.from_regex("[a-z][a-z_]{0,12}", fullmatch=True),
        st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False)),
        max_size=5,
    )
)
def test_every_setting_is_written_once_on_a_separate_line(
    postgres: Postgres, mariadb: Mariadb, asked: dict[str, Any]
) -> None:
    postgres.setup.configure(asked)
    mariadb.setup.configure(asked)
    for file, separator in (("postgresql.conf", " = "), ("my.cnf", "=")):
        lines = (postgres.host.node / "conf" / file).read_text().splitlines()
        names = [line.split(separator)[0] for line in lines]
        assert len(set(names)) == len(names)
        assert set(asked) <= set(names)


@pytest.mark.parametrize("kind", [Postgres, Mariadb, Mysql])
def test_loading_is_quick_only_by_settings_that_a_solution_sets_again(kind: type[Any], host: Any) -> None:
    assert kind.unsafe_settings
    node = kind(host, _engine("any"))
    node.setup.configure({})
    safe = "".join(file.read_text() for file in (host.node / "conf").iterdir())
    node.setup.configure(kind.unsafe_settings)
    quick = "".join(file.read_text() for file in (host.node / "conf").iterdir())
    assert safe != quick


def test_how_servers_are_started(postgres: Postgres, mariadb: Mariadb, host: Any) -> None:
    for left in ("data/postmaster.pid", "run/.s.PGSQL.5432.lock"):
        (host.node / left).touch()
    (host.node / "data").chmod(0o755)
    postgres.start("-c", "x=y")
    assert host.ran[-1] == (
        [
            "/bin/postgres",
            "-D",
            "/run/node/data",
            "-c",
            "config_file=/run/node/conf/postgresql.conf",
            "-c",
            "x=y",
        ],
        {"uid": 65534, "log": "server.out"},
    )
    # PostgreSQL refuses a folder that others can read, and a PID file that may name a live process.
    assert (host.node / "data").stat().st_mode & 0o777 == 0o700
    assert not (host.node / "data/postmaster.pid").exists()
    assert not (host.node / "run/.s.PGSQL.5432.lock").exists()
    mariadb.start("--wsrep-new-cluster")
    assert host.ran[-1] == (
        ["/bin/mariadbd", "--defaults-file=/run/node/conf/my.cnf", "--wsrep-new-cluster"],
        {"uid": 999, "log": "server.out"},
    )
    # With all user ids mapped, files of the test are not the server's.
    assert host.owned == (("data", "log", "run", "conf", "secret"), 999)


def test_mysql_may_request_a_restart(mysql: Mysql, host: Any) -> None:
    mysql.start()
    ((command, _),) = host.ran
    assert command == ["env", "MYSQLD_PARENT_PID=0", "/bin/mysqld", "--defaults-file=/run/node/conf/my.cnf"]


def test_data_directories_are_made_by_the_servers_own_user(
    postgres: Postgres, mariadb: Mariadb, host: Any
) -> None:
    postgres.setup.initialise()
    mariadb.setup.initialise()
    (initdb, as_postgres), (_, alone), (install, as_mysql) = host.ran
    assert initdb[:3] == ["/bin/initdb", "--pgdata", "/run/node/data"]
    assert install[0] == "/bin/mariadb-install-db"
    assert "--datadir=/run/node/data" in install
    assert (as_postgres, as_mysql) == ({"uid": 65534}, {"uid": 999})
    assert alone["uid"] == 65534, "the accounts are made while nobody can connect"


def test_prompts(postgres: Postgres, mariadb: Mariadb) -> None:
    assert postgres.console.prompt() == [
        "inside",
        "65534",
        "/bin/psql",
        "host=/run/node/run user=postgres dbname=sbtest passfile=/run/node/secret/pgpass",
    ]
    assert mariadb.console.prompt() == [
        "inside",
        "None",
        "/bin/mariadb",
        "--defaults-extra-file=/run/node/secret/root.cnf",
        "--socket=/run/node/run/mysqld.sock",
        "sbtest",
    ]


def test_a_standby_is_known_by_its_signal_file(postgres: Postgres) -> None:
    assert not postgres.is_standby()
    (postgres.data / "standby.signal").touch()
    assert postgres.is_standby()


def test_settings_of_alter_system_are_replaced_completely(postgres: Postgres) -> None:
    file = postgres.data / "postgresql.auto.conf"
    file.write_text("primary_conninfo = 'old'\n")
    postgres.write_auto_conf({"synchronous_standby_names": "ANY 1 (node2)"})
    assert file.read_text() == "synchronous_standby_names = 'ANY 1 (node2)'\n"
    postgres.write_auto_conf({})
    assert file.read_text() == "\n"


def test_postgres_starts_with_its_file_and_without_settings_of_a_former_role(postgres: Postgres) -> None:
    file = postgres.data / "postgresql.auto.conf"
    postgres.forget_durability()
    assert not file.exists()
    given = {"synchronous_standby_names": "node2", "synchronous_commit": "off", "fsync": "on"}
    postgres.write_auto_conf(given)
    postgres.forget_durability()
    assert file.read_text() == "synchronous_standby_names = 'node2'\n"


def test_a_rewind_reads_from_the_source(postgres: Postgres, host: Any) -> None:
    (postgres.data / "postmaster.pid").touch()
    (postgres.data / "PG_VERSION").write_text("18\n")
    source: Any = SimpleNamespace(host=SimpleNamespace(address="10.99.0.12"))
    postgres.rewind(source)
    ((command, more),) = host.ran
    assert command[0] == "/bin/pg_rewind" and "--config-file" in command
    assert command[-1] == "host=10.99.0.12 user=repl dbname=postgres passfile=/run/node/secret/pgpass"
    assert more["uid"] == 65534
    assert not (postgres.data / "postmaster.pid").exists()


@pytest.mark.parametrize("version", [13, 14, 15])
def test_older_versions_need_a_checkpoint_of_the_source_first(
    postgres: Postgres, host: Any, version: int
) -> None:
    (postgres.data / "PG_VERSION").write_text(f"{version}\n")
    asked: list[str] = []
    sql = SimpleNamespace(execute=asked.append)
    source: Any = SimpleNamespace(host=SimpleNamespace(address="10.99.0.12"), sql=sql)
    postgres.rewind(source)
    *before, (rewind, _) = host.ran
    assert asked == ["CHECKPOINT"]
    # Before 15 it does not find the configuration, and crash recovery is run for it.
    assert [alone[1] for alone, _ in before] == ["--single"] * (version < 15)
    assert ("--config-file" in rewind, "--no-ensure-shutdown" in rewind) == (version == 15, version < 15)


@pytest.mark.parametrize(
    ("log", "position"),
    [
        ("[Note] WSREP: Recovered position: 6e2c8a1d-0001:42\n", "6e2c8a1d-0001:42"),
        ("WSREP: Recovered position a-b:1\nWSREP: Recovered position: c-d:-1\n", "c-d:-1"),
        ("[Note] nothing of it\n", ""),
    ],
)
def test_the_recovered_position_of_a_galera_node(mariadb: Mariadb, log: str, position: str) -> None:
    (mariadb.host.node / "log/recover.log").write_text(log)
    assert mariadb.recover_position() == position
    ((command, more),) = mariadb.host.ran  # type: ignore[attr-defined]
    assert command[2:] == ["--wsrep-recover", "--log-error=/run/node/log/recover.log"]
    assert more["uid"] == 999


class Recording:
    """A connection that records statements, and refuses one of them."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses, self.statements = refuses, list[str]()

    @contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        @contextmanager
        def cursor() -> Iterator[Any]:
            yield SimpleNamespace(execute=self.execute, description=None)

        yield SimpleNamespace(cursor=cursor)

    def execute(self, statement: str) -> None:
        if statement == self.refuses:
            raise ValueError("it will not")
        self.statements.append(statement)


@pytest.mark.parametrize("kind", [Mariadb, Mysql])
def test_the_first_start_creates_the_accounts_before_connections(kind: type[Any], host: Any) -> None:
    node = kind(host, _engine("any"))
    node.setup.initialise()
    node.setup.configure({})
    node.start()
    assert host.ran[-1][0][-1] == "--init-file=/run/node/secret/accounts.sql"
    text = (host.node / "secret/accounts.sql").read_text()
    assert text.startswith("SET SESSION sql_log_bin = 0;\n"), "no node gets a transaction of its own"
    assert "CREATE DATABASE sbtest" in text
    assert re.search(rf"ALTER USER app@'%' .*'{node.passwords.application}'", text)
    assert re.search(rf"ALTER USER repl@'%' .*'{node.passwords.replication}'", text)
    assert re.search(rf"ALTER USER root@localhost .*'{node.passwords.administrator}'", text)
    # The application must obey read_only.
    assert not re.search(r"(GRANT ALL|SUPER)[^;]* app\b", text)
    node.start()
    assert "init-file" not in " ".join(host.ran[-1][0]), "a restart changes nothing"


@pytest.mark.parametrize("kind", [Mariadb, Mysql])
def test_a_copy_gets_the_passwords_of_its_own_lab(kind: type[Any], host: Any) -> None:
    node = kind(host, _engine("any"))
    node.setup.take_over()
    text = (host.node / "secret/accounts.sql").read_text()
    assert "CREATE" not in text and text.count("ALTER USER") == 3
    assert (host.node / "secret/accounts.sql").stat().st_mode & 0o077 == 0
    node.setup.configure({})
    node.setup.let_others_start()
    own = (host.node / "conf/my.cnf").read_text().splitlines()[-1]
    assert own == "init-file=/run/node/secret/accounts.sql"


def test_postgresql_gets_its_accounts_without_a_server_and_never_a_password(
    postgres: Postgres, host: Any
) -> None:
    postgres.setup.initialise()
    postgres.setup.take_over()
    (_, first), (command, second) = host.ran[1], host.ran[2]
    assert command[:2] == ["/bin/postgres", "--single"]
    assert "CREATE DATABASE sbtest OWNER app" in first["stdin"]
    assert "CREATE" not in second["stdin"] and second["stdin"].count("SCRAM-SHA-256$") == 3
    for password in vars(postgres.passwords).values():
        assert password not in str(host.ran)


def test_passwords_are_random_and_shown_nowhere(postgres: Postgres, mariadb: Mariadb) -> None:
    ours, others = vars(postgres.passwords), vars(mariadb.passwords)
    assert len({*ours.values(), *others.values()}) == 10
    assert not any(one in repr(postgres.passwords) for one in ours.values())
    assert postgres.passwords.hidden(f"x {ours['router']} y") == "x *** y"


def test_a_statement_that_fails_is_named(mariadb: Mariadb) -> None:
    recording = Recording(refuses="SET x")
    mariadb.sql.connect = recording.connect  # type: ignore[method-assign]
    with pytest.raises(FiveninesError, match=r"^node1: 'SET x': it will not$"):
        mariadb.sql.execute("SELECT 1", "SET x", "SET y")
    assert recording.statements == ["SELECT 1"]


def test_a_replica_is_read_only_before_it_follows() -> None:
    statements = follow("10.99.0.12", "hidden")
    assert statements[0] == "STOP SLAVE" and statements[-1] == "START SLAVE"
    assert statements.index("SET GLOBAL read_only = 1") < 2
    assert "MASTER_HOST='10.99.0.12'" in statements[2]
    assert "MASTER_USE_GTID=slave_pos" in statements[2]


def test_a_server_that_ends_at_once_is_not_waited_for(mariadb: Mariadb) -> None:
    (mariadb.host.node / "log/error.log").write_text("x [ERROR] no space\n")
    mariadb.process = SimpleNamespace(alive=False, frozen=False)  # type: ignore[assignment]
    with pytest.raises(FiveninesError) as refused:
        mariadb.wait_ready()
    assert str(refused.value) == "node1: the server did not start.\n  x [ERROR] no space"
    mariadb.process = SimpleNamespace(alive=True, frozen=False)  # type: ignore[assignment]
    with pytest.raises(FiveninesError, match=r"did not answer within 0\.03 s"):
        mariadb.wait_ready(0.03)


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        # 1 would be OFF_PERMISSIVE.
        ("gtid_mode", True, "gtid_mode=ON"),
        ("GTID-mode", False, "GTID-mode=OFF"),
        ("innodb_flush_sync", True, "innodb_flush_sync=1"),
        ("sync_binlog", 1, "sync_binlog=1"),
        # 1e3 in YAML, which both servers would read as 1 with a suffix; long_query_time has fractions.
        ("max_connections", 1000.0, "max_connections=1000"),
        ("long_query_time", 0.5, "long_query_time=0.5"),
        ("init_connect", "SET @a='x', @b=1", "init_connect=SET @a='x', @b=1"),
        ("init_connect", "SET @a=1 # hm", 'init_connect="SET @a=1 # hm"'),
        ("init_connect", "'SET @a=1 # hm'", "init_connect='SET @a=1 # hm'"),
    ],
)
def test_a_switch_is_written_as_its_variable_reads_it(name: str, value: Any, line: str) -> None:
    assert option_line(name, value) == line
