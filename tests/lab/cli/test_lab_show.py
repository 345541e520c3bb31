"""`fivenines show` on real servers: printed files start a server by hand, and equal those of a deployment."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from lab_support import HEAD, PAUSES, fivenines

from fivenines.base.drivers import psycopg, pymysql
from fivenines.base.paths import short_path
from fivenines.base.waiting import wait_until
from fivenines.lab.host import Host
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.lab.processes.process import Process
from fivenines.servers import secrets
from fivenines.software.base import Engine
from fivenines.software.store import engine

_PASSWORD = "by-hand"

# User ids of the servers, which refuse to run as root.
_POSTGRES, _MYSQL = 65534, 999

Connect = Callable[[str], Any]


@contextmanager
def _by_hand(tmp_path: Path, software: Engine, *arguments: str) -> Iterator[Host]:
    """Write the files of a solution with `--out`, and provide a host with those of its first node."""
    software.require(lambda _message, _fraction: None)
    shown = fivenines("show", *arguments, "--out", "printed", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    with NamespaceLab(tmp_path / "lab") as lab:
        host = lab.add_host("node1", software.root())
        printed = list((tmp_path / "printed/node1/conf").iterdir())
        assert any("# set by fivenines for measuring: " in file.read_text() for file in printed)
        for file in printed:
            copy(file, host.node / "conf")
        yield host


def _answers(host: Host, server: Process, connect: Connect, statement: str) -> list[str]:
    """Return the answer of a server that was started, once it accepts connections."""
    answer: list[str] = []

    def refusal() -> str:
        assert server.alive, server.log_tail()
        try:
            with short_path(host.node / "run") as folder, connect(folder) as connection:
                cursor = connection.cursor()
                cursor.execute(statement)
                answer[:] = [str(value) for value in cursor.fetchone()]
        except (psycopg.Error, pymysql.Error, OSError) as error:
            return str(error)
        return ""

    wait_until(refusal, 60.0, "the server does not answer")
    return answer


def test_postgresql_starts_by_hand_with_the_printed_files(tmp_path: Path) -> None:
    software = engine("postgres-18")
    settings = ("hot-standby", "--set", "server.work_mem=7MB", "--set", "synchronous_commit=remote_apply")
    with _by_hand(tmp_path, software, *settings) as host:
        secrets.write(host, "by-hand", _PASSWORD)
        files = ["--pgdata=/run/node/data", f"--pwfile={secrets.seen_inside('by-hand')}"]
        host.commands.run([software.program("initdb"), *files, "--username=postgres"], uid=_POSTGRES)
        started = ["-D", "/run/node/data", "-c", "config_file=/run/node/conf/postgresql.conf"]
        server = host.commands.spawn([software.program("postgres"), *started], uid=_POSTGRES, log="server")

        def connect(folder: str) -> Any:
            return psycopg.connect(host=folder, user="postgres", password=_PASSWORD, dbname="postgres")

        names = ("work_mem", "synchronous_commit", "wal_keep_size")
        question = f"SELECT {', '.join(f'current_setting({name!r})' for name in names)}"
        assert _answers(host, server, connect, question) == ["7MB", "remote_apply", "512MB"]
        server.terminate(20.0)


@pytest.mark.parametrize(
    ("name", "initialise", "program"),
    [
        ("mariadb-10.11", "mariadb-install-db --auth-root-authentication-method=normal --force", "mariadbd"),
        ("mysql-9.7", "mysqld --initialize-insecure", "mysqld"),
    ],
)
def test_mariadb_and_mysql_start_by_hand_with_the_printed_files(
    tmp_path: Path, name: str, initialise: str, program: str
) -> None:
    software = engine(name)
    chosen = ("--set", f"engine={name}", "--set", "server.innodb_buffer_pool_size=80M", "--set", "mode=async")
    with _by_hand(tmp_path, software, "replication", *chosen) as host:
        (host.node / "files").mkdir()
        command, *arguments = initialise.split()
        data = ["--no-defaults", *arguments, "--datadir=/run/node/data"]
        host.commands.run([software.program(command), *data], uid=_MYSQL, timeout=180.0)
        config = "--defaults-file=/run/node/conf/my.cnf"
        server = host.commands.spawn([software.program(program), config], uid=_MYSQL, log="server")

        def connect(folder: str) -> Any:
            return pymysql.connect(unix_socket=f"{folder}/mysqld.sock", user="root", connect_timeout=5)

        question = "SELECT @@innodb_buffer_pool_size, @@report_host, @@log_bin_basename"
        answer = _answers(host, server, connect, question)
        assert answer == [str(80 * 2**20), "10.99.0.11", "/run/node/data/binlog"]
        server.terminate(30.0)


def test_a_run_stores_what_show_prints(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(
        f"{HEAD}{PAUSES}solutions:\n"
        "  - {solution: hot-standby, name: pair, access: haproxy}\n"
        "  - {solution: patroni, name: managed}\n"
        "  - {solution: replication, name: replicated, engine: mysql-9.7, mode: after_sync}\n"
        "timing: {warmup: 200ms, steady: 1500ms}\n"
    )
    ran = fivenines("run", "tiny.yaml", "--out", "run", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    stored, rendered = (
        json.loads(fivenines("show", what, "--format", "json", cwd=tmp_path).stdout)
        for what in ("run", "tiny.yaml")
    )
    assert list(rendered) == ["pair", "managed", "replicated"]
    assert stored == rendered
    assert len(list((tmp_path / "run/configuration").iterdir())) == 3
    assert not list((tmp_path / "run/trials").glob("*/configuration"))
    differ = fivenines("show", "run", "pair", "managed", cwd=tmp_path)
    assert differ.returncode == 0 and "patroni.yml" in differ.stdout
