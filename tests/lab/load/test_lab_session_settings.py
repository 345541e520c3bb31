"""Session settings behind PgBouncer: in transaction mode a later transaction may run on another server
connection.
"""

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from lab_external_servers import ExternalServer, free_port, postgres, running
from lab_support import LIMIT, UNPRIVILEGED, program

BOUNCER = """\
[databases]
sbtest = host=127.0.0.1 port={server} user=app
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
query_wait_timeout = 20
"""

SERIALIZABLE = ("--workload", "bank", "--set", "isolation=serializable")

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="another account is root's to take")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExternalServer]:
    node = postgres(tmp_path_factory.mktemp("kept"), "one")
    with running(node):
        yield node


@contextmanager
def bouncer(server: ExternalServer, mode: str, size: int = 3) -> Iterator[int]:
    """Run PgBouncer with this mode and number of server connections; yield its port."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="fivenines-pooler-") as made:
        folder = Path(made)
        file = folder / "bouncer.ini"
        file.write_text(BOUNCER.format(server=server.port, port=port, mode=mode, size=size))
        with subprocess.Popen([*UNPRIVILEGED, "pgbouncer", "-q", str(file)]) as running:
            try:
                _listens(port)
                yield port
            finally:
                running.terminate()


def _listens(port: int) -> None:
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return
        time.sleep(0.05)
    raise AssertionError("PgBouncer does not listen")


def bench(port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a load against this port."""
    dsn = f"postgresql://app@127.0.0.1:{port}/sbtest"
    how = ("--tls", "disable", "--connections", "2", "--duration", "3s")
    command = program("bench", "--dsn", dsn, *how, *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)


def test_an_isolation_level_that_a_pooler_forgets_is_refused(server: ExternalServer) -> None:
    with bouncer(server, "transaction") as port:
        done = bench(port, *SERIALIZABLE, "--protocol", "extended")
        assert done.returncode != 0
        assert "transaction_isolation = serializable was set" in done.stderr
        assert "has read committed" in done.stderr
        assert "Pool sessions" in done.stderr
        # The server's default isolation level requires no session setting.
        own = bench(port, "--workload", "bank", "--set", "isolation=server", "--protocol", "extended")
        assert own.returncode == 0, own.stderr


def test_a_pooler_of_sessions_keeps_it(server: ExternalServer) -> None:
    with bouncer(server, "session") as port:
        done = bench(port, *SERIALIZABLE)
        assert done.returncode == 0, done.stderr


def test_without_a_pooler_the_setting_persists(server: ExternalServer) -> None:
    done = bench(server.port, *SERIALIZABLE)
    assert done.returncode == 0, done.stderr
