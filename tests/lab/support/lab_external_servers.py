"""Run servers outside the lab, on this machine's network and on free ports."""

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
from lab_support import LIMIT

from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.external.remote import Target, open_mysql, open_postgres
from fivenines.software.store import engine

# The tables in the servers' data, the same as those of `lab_support.HEAD`.
WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)

PASSWORD = "FIVENINES_TEST_PASSWORD"

# The password of the account `odd`, full of characters that are special in connection strings.
ODD = "a+b%41 ;}{="


@dataclass
class ExternalServer:
    """Control a server outside the lab: `command` starts it, and `pid_file` names its process."""

    name: str
    port: int
    command: list[str]
    folder: Path
    open: Callable[..., object]
    process: subprocess.Popen[bytes] | None = None
    started: list[int] = field(default_factory=list)

    @property
    def at(self) -> str:
        """Return its address."""
        return f"127.0.0.1:{self.port}"

    @property
    def pid_file(self) -> Path:
        """Return the path of the file that names its process for hooks."""
        return self.folder / "server.pid"

    @property
    def script(self) -> Path:
        """Return the path of the script that starts it in the background."""
        return self.folder / "start.sh"

    def start(self) -> None:
        """Start it, and wait until it accepts log-ins."""
        script = self.script
        script.write_text(
            f"#!/bin/sh\n{' '.join(self.command)} >> {self.folder}/server.log 2>&1 &\n"
            f"echo $! > {self.pid_file}\n"
        )
        script.chmod(0o755)
        subprocess.run([script], check=True)
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            with suppress(Exception):
                self.query("SELECT 1")
                return
            time.sleep(0.05)
        raise AssertionError((self.folder / "server.log").read_text()[-2000:])

    @property
    def kill_command(self) -> str:
        """Return the hook command that kills it."""
        return f"kill -KILL $(cat {self.folder.parent}/{{node}}/server.pid)"

    @property
    def restart_command(self) -> str:
        """Return the hook command that starts it again in the background."""
        return f"{self.folder.parent}/{{node}}/start.sh"

    def query(self, sql: str, account: str = "app") -> list[tuple[object, ...]]:
        """Return the rows of a statement, run by an account whose password equals its name."""
        target = Target("127.0.0.1", self.port, account, account, "sbtest", tls="prefer")
        with closing(self.open(target, 2.0, 5.0)) as connection, connection.cursor() as cursor:  # type: ignore[type-var,attr-defined]
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def end(self) -> None:
        """End it and all of its processes, including one that a hook has started."""
        with suppress(OSError, ValueError, psutil.NoSuchProcess):
            own = psutil.Process(int(self.pid_file.read_text()))
            for process in [own, *own.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
            psutil.wait_procs([own], timeout=5)


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _as_ordinary(uid: int) -> list[str]:
    """Return the prefix that runs a command as an ordinary user, because servers refuse to run as root."""
    if os.geteuid() != 0:
        return []
    return ["unshare", "--user", f"--map-user={uid}", f"--map-group={uid}", "--"]


def _data(software: str, target: Path) -> None:
    data = dataset.ensure(engine(software), WORKLOAD, lambda _message, _fraction: None)
    shutil.copytree(data / "data", target, symlinks=True)


def postgres(folder: Path, name: str, primary: int | None = None) -> ExternalServer:
    """Create a PostgreSQL server; with `primary`, a standby of the server at that port."""
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
        # In the data directory: a killed server would leave its segments in /dev/shm.
        "dynamic_shared_memory_type = mmap",
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
    # The lock file of a killed server may name a process that is now unrelated.
    command = ["rm", "-f", str(home / "data/postmaster.pid"), ";", "exec", *_as_ordinary(65534)]
    command = ["sh", "-c", f"'{' '.join([*command, str(program), '-D', str(home / 'data')])}'"]
    return ExternalServer(name, port, command, home, open_postgres)


def mariadb(folder: Path, name: str, *options: str) -> ExternalServer:
    """Create a MariaDB server from the engine's tree, with further options."""
    more = ("--skip-name-resolve", "--log-bin=binlog", "--innodb-log-file-size=64M", *options)
    return _mysql_family(folder, name, "mariadb-10.11", "mariadbd", more)


def mysql(folder: Path, name: str, *options: str) -> ExternalServer:
    """Create a MySQL server from the engine's tree, with further options."""
    more = ("--skip-name-resolve", "--mysqlx=OFF", "--secure-file-priv=NULL", *options)
    return _mysql_family(folder, name, "mysql-9.7", "mysqld", more)


def _mysql_family(
    folder: Path, name: str, software: str, program: str, more: Sequence[str]
) -> ExternalServer:
    """Use the tree's loader, because the tree may come from another Debian release."""
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
    # Data sets contain random passwords: the operators of these servers have set known ones.
    (home / "accounts.sql").write_text(
        "SET SESSION sql_log_bin = 0;\nALTER USER app@'%' IDENTIFIED BY 'app';\n"
        f"CREATE USER IF NOT EXISTS odd@'%' IDENTIFIED BY '{ODD}';\nGRANT SELECT ON sbtest.* TO odd@'%';\n"
    )
    return ExternalServer(name, port, ["exec", *command], home, open_mysql)


@contextmanager
def running(*servers: ExternalServer) -> Iterator[None]:
    """Run these servers for the duration of the context."""
    try:
        for server in servers:
            server.start()
        yield
    finally:
        for server in servers:
            server.end()
