"""Servers that are not the lab's: they run on this machine's own network, on free ports, by our own hands."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from fivenines.load import dataset
from fivenines.servers.remote import Target, open_mysql, open_postgres
from fivenines.software.store import engine
from fivenines.workloads.oltp import Oltp

# The tables that the servers' data come with; the same as those of `lab_support.HEAD`.
WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)

PASSWORD = "FIVENINES_TEST_PASSWORD"

# The password of the account `odd`, full of what has a meaning in connection strings.
ODD = "a+b%41 ;}{="


@dataclass
class Alien:
    """A server that the tests run; `command` starts it in the foreground, `pid_file` names it then."""

    name: str
    port: int
    command: list[str]
    folder: Path
    open: Callable[..., object]
    process: subprocess.Popen[bytes] | None = None
    started: list[int] = field(default_factory=list)

    @property
    def at(self) -> str:
        """Where it is."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid_file(self) -> Path:
        """Where a hook finds its process."""
        return self.folder / "server.pid"

    @property
    def script(self) -> Path:
        """What starts it; it stays in the background."""
        return self.folder / "start.sh"

    def start(self) -> None:
        """Start it, and wait until it lets us in."""
        script = self.script
        script.write_text(
            f"#!/bin/sh\n{' '.join(self.command)} >> {self.folder}/server.log 2>&1 &\n"
            f"echo $! > {self.pid_file}\n"
        )
        script.chmod(0o755)
        subprocess.run([script], check=True)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with suppress(Exception):
                self.query("SELECT 1")
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "server.log").read_text()[-2000:])

    @property
    def kill_command(self) -> str:
        """A hook that ends it."""
        return f"kill -KILL $(cat {self.folder.parent}/{{node}}/server.pid)"

    @property
    def restart_command(self) -> str:
        """A hook that starts it again; it stays in the background."""
        return f"{self.folder.parent}/{{node}}/start.sh"

    def query(self, sql: str, account: str = "app") -> list[tuple[object, ...]]:
        """Rows of a statement, by an account whose password is its name."""
        target = Target("127.0.0.1", self.port, account, account, "sbtest", tls="prefer")
        with closing(self.open(target, 2.0, 5.0)) as connection, connection.cursor() as cursor:  # type: ignore[type-var,attr-defined]
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def end(self) -> None:
        """End it and all of its processes, also one that a hook has started."""
        with suppress(OSError, ValueError, psutil.NoSuchProcess):
            own = psutil.Process(int(self.pid_file.read_text()))
            for process in [own, *own.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
            psutil.wait_procs([own], timeout=5)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _as_ordinary(uid: int) -> list[str]:
    """Servers refuse root; an ordinary user may run them as they are."""
    if os.geteuid() != 0:
        return []
    return ["unshare", "--user", f"--map-user={uid}", f"--map-group={uid}", "--"]


def _data(software: str, target: Path) -> None:
    one = engine(software)
    data = dataset.ensure(one, WORKLOAD, lambda _message, _fraction: None)
    shutil.copytree(data / "data", target, symlinks=True)


def postgres(folder: Path, name: str, primary: int | None = None) -> Alien:
    """A PostgreSQL server, a standby of the one at port `primary`."""
    home = folder / name
    home.mkdir(parents=True)
    _data("postgres-18", home / "data")
    (home / "data").chmod(0o700)
    port = free_port()
    trust = "all all 127.0.0.1/32 trust\n"
    (home / "data" / "pg_hba.conf").write_text(
        f"host all odd 127.0.0.1/32 scram-sha-256\nhost {trust}host replication {trust[4:]}"
    )
    lines = [
        "listen_addresses = '127.0.0.1'",
        f"port = {port}",
        "unix_socket_directories = ''",
        "wal_level = replica",
        "max_wal_senders = 16",
        "hot_standby = on",
        "max_connections = 300",
        "max_replication_slots = 16",
        "shared_buffers = 32MB",
    ]
    if primary is not None:
        (home / "data" / "standby.signal").touch()
        lines.append(
            f"primary_conninfo = 'host=127.0.0.1 port={primary} user=repl password=hidden "
            f"application_name={name}'"
        )
    (home / "data" / "postgresql.conf").write_text("\n".join(lines) + "\n")
    (home / "data" / "postgresql.auto.conf").unlink(missing_ok=True)
    tree = engine("postgres-18").root().engine
    assert tree is not None
    program = next(tree.rglob("bin/postgres"))
    # a stale lock file of a server that was killed would name a process of somebody else by now
    command = ["rm", "-f", str(home / "data/postmaster.pid"), ";", "exec", *_as_ordinary(65534)]
    command = ["sh", "-c", f"'{' '.join([*command, str(program), '-D', str(home / 'data')])}'"]
    return Alien(name, port, command, home, open_postgres)


def mariadb(folder: Path, name: str) -> Alien:
    """A MariaDB server out of the engine's tree."""
    more = ("--skip-name-resolve", "--log-bin=binlog", "--innodb-log-file-size=64M")
    return _mysql_family(folder, name, "mariadb-10.11", "mariadbd", more)


def mysql(folder: Path, name: str, *options: str) -> Alien:
    """A MySQL server out of the engine's tree, with further options."""
    more = ("--skip-name-resolve", "--mysqlx=OFF", "--secure-file-priv=NULL", *options)
    return _mysql_family(folder, name, "mysql-9.7", "mysqld", more)


def _mysql_family(folder: Path, name: str, software: str, program: str, more: Sequence[str]) -> Alien:
    """By the tree's own loader, as the tree is of another Debian, maybe."""
    home = folder / name
    home.mkdir(parents=True)
    _data(software, home / "data")
    port = free_port()
    tree = engine(software).root().lower
    assert tree is not None
    libraries = sorted({str(path.parent) for path in (tree / "usr/lib").glob("*-linux-gnu/**/*.so*")})
    loader = next((tree / "usr/lib64").glob("ld-linux*"), None) or next((tree / "usr/lib").glob("ld-linux*"))
    command = [
        *_as_ordinary(999),
        str(loader.resolve()),
        "--library-path",
        ":".join(libraries),
        str(tree / "usr/sbin" / program),
        "--no-defaults",
        f"--basedir={tree}/usr",
        f"--lc-messages-dir={tree}/usr/share/mysql",
        f"--datadir={home}/data",
        f"--port={port}",
        "--bind-address=127.0.0.1",
        f"--socket={home}/s",
        "--innodb-use-native-aio=0",
        "--innodb-buffer-pool-size=32M",
        f"--pid-file={home}/own.pid",
        f"--init-file={home}/accounts.sql",
        *more,
    ]
    # the passwords of a data set are nobody's: those who run these servers have set their own
    (home / "accounts.sql").write_text(
        "SET SESSION sql_log_bin = 0;\nALTER USER app@'%' IDENTIFIED BY 'app';\n"
        f"CREATE USER IF NOT EXISTS odd@'%' IDENTIFIED BY '{ODD}';\nGRANT SELECT ON sbtest.* TO odd@'%';\n"
    )
    return Alien(name, port, ["exec", *command], home, open_mysql)


@contextmanager
def running(*servers: Alien) -> Iterator[None]:
    """These servers run inside, and are gone afterwards."""
    try:
        for server in servers:
            server.start()
        yield
    finally:
        for server in servers:
            server.end()
