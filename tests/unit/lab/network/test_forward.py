"""Ports on the machine: free ones that stay ours, and those that are asked for."""

import socket

import pytest

from fivenines.base.errors import UsageError
from fivenines.lab.network.forward import LOOPBACK, _listener


def test_a_free_port_stays_reserved_while_it_refuses() -> None:
    with _listener(None) as listener:
        host, port = listener.getsockname()
        assert host == LOOPBACK
        socket.create_connection((host, port), timeout=5).close()
        listener.shutdown(socket.SHUT_RDWR)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, port), timeout=5)
        listener.listen()
        assert listener.getsockname()[1] == port
        socket.create_connection((host, port), timeout=5).close()


def test_a_port_in_use_is_a_usage_error() -> None:
    with _listener(None) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port: cannot listen at 127.0.0.1:{port}: Address"):
            _listener(port)
    with pytest.raises(UsageError, match="not a valid port number"):
        _listener(65_536)
    with _listener(port) as listener:
        assert listener.getsockname() == (LOOPBACK, port)
