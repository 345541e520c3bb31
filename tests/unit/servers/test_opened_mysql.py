"""Connections to MySQL and MariaDB: a refused one leaves no descriptor behind."""

import gc
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pymysql
import pytest

from fivenines.servers.mysql_family.opened import opened


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Keep cycles of objects, as between two runs of the garbage collector."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize("listens", [False, True])
def test_a_refused_connection_leaves_no_descriptor(tmp_path: Path, uncollected: None, listens: bool) -> None:
    path = tmp_path / "mysql.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        if listens:
            server.listen()
            threading.Thread(target=_hang_up, args=(server,), daemon=True).start()
        before = _descriptors()
        for _ in range(5):
            with pytest.raises(pymysql.Error):
                opened(unix_socket=str(path), user="application")
        assert _descriptors() == before
        server.shutdown(socket.SHUT_RDWR)


def _hang_up(server: socket.socket) -> None:
    """Accept clients and close their connections at once, until the server is shut down."""
    with suppress(OSError):
        while True:
            server.accept()[0].close()
