"""PgBouncer and Pgpool-II: their own messages reach the user who runs a load, in the right class."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab_support import LIMIT, UNPRIVILEGED, program

from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.servers.base import DATABASE
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine

WORK = ("--workload", "oltp_point_select", "--tables", "1", "--table-size", "100", "--tls", "disable")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="another account is root's to take")

PGBOUNCER = """\
[databases]
{database} = host={host} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 6432
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
max_client_conn = 20
default_pool_size = 1
query_wait_timeout = 1
"""

PGPOOL = """\
listen_addresses = '127.0.0.1'
port = 9999
pcp_port = 9898
socket_dir = '{folder}'
unix_socket_directories = '{folder}'
pcp_socket_dir = '{folder}'
backend_hostname0 = '{host}'
backend_port0 = {port}
backend_clustering_mode = 'raw'
enable_pool_hba = off
num_init_children = 4
pid_file_name = '{folder}/pgpool.pid'
logdir = '{folder}'
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """Provide a server whose database has the workload's table, open to its own host."""
    software = engine("postgres-18")
    software.require(lambda message, fraction: None)
    with NamespaceLab(tmp_path_factory.mktemp("poolers") / "lab") as lab:
        postgres = server(lab.add_host("node1", software.root()), software)
        postgres.setup.initialise()
        postgres.setup.configure(postgres.unsafe_settings)
        hba = postgres.host.node / "conf" / "pg_hba.conf"
        hba.write_text("host all app all trust\n" + hba.read_text())
        postgres.start()
        postgres.wait_ready()
        assert bench(postgres, postgres.port, "--prepare", "--duration", "0s").returncode == 0
        yield postgres
        postgres.stop()


def bench(
    node: LocalServer, port: int, *arguments: str, database: str = DATABASE
) -> subprocess.CompletedProcess[str]:
    """Run `fivenines bench` on the server's host, at this port."""
    host = node.host.address if port == node.port else "127.0.0.1"
    dsn = f"postgresql://app:any-password@{host}:{port}/{database}"
    command = node.host.commands.outside(program("bench", "--dsn", dsn, *WORK, *arguments))
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)


@contextmanager
def pooler(node: LocalServer, command: list[str], name: str, text: str) -> Iterator[None]:
    """Run a pooler with this configuration, in front of the server."""
    with tempfile.TemporaryDirectory(prefix="fivenines-pooler-") as made:
        folder = Path(made)
        place = {"folder": folder, "host": node.host.address, "port": node.port, "database": DATABASE}
        (folder / name).write_text(text.format(**place))
        (folder / "users").write_text('"app" ""\n')
        network = ("nsenter", f"--net=/proc/{node.host.pid}/ns/net")
        with subprocess.Popen([*network, *UNPRIVILEGED, *command, str(folder / name)]) as running:
            try:
                yield
            finally:
                running.terminate()


def until(node: LocalServer, port: int, words: str, **how: str) -> str:
    """Run loads through the pooler until one prints this text."""
    deadline = time.monotonic() + LIMIT
    while True:
        done = bench(node, port, "--connections", "1", "--duration", "1s", **how)
        output = done.stdout + done.stderr
        if words in output or time.monotonic() > deadline:
            return output
        time.sleep(0.2)


def test_words_of_pgbouncer(node: LocalServer) -> None:
    with pooler(node, ["pgbouncer"], "bouncer.ini", PGBOUNCER):
        unknown = until(node, 6432, "no such database", database="nosuch")
        assert "unknown_database (08P01): no such database: nosuch" in unknown
        waiting = bench(node, 6432, "--connections", "2", "--duration", "4s")
        # The pool has one server connection, and sessions keep theirs: the other client only ever waits.
        assert waiting.returncode == 1 and "1 of 2 connections never worked" in waiting.stderr
        (line,) = [line for line in waiting.stdout.splitlines() if "query_wait_timeout" in line]
        assert line.split()[:2] == ["refused", "08P01"]
        assert "closed the connection" not in waiting.stdout
        options = bench(node, 6432, *WORK[:0], "--duration", "1s", database=f"{DATABASE}?options=-cx%3Dy")
        assert "ignore_startup_parameters" in options.stderr


def test_words_of_pgpool(node: LocalServer) -> None:
    command = ["pgpool", "-n", "-F", "/dev/null", "-f"]
    with pooler(node, command, "pgpool.conf", PGPOOL):
        unknown = until(node, 9999, "does not exist", database="nosuch")
        assert 'unknown_database (3D000): database "nosuch" does not exist' in unknown
        node.stop()
        try:
            message = until(node, 9999, "refused (")
        finally:
            node.start()
            node.wait_ready()
        assert "not understood" not in message
        assert "backend" in message
