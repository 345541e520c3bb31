"""Checks whether a server answers at a port."""

import http.server
import socket
import threading
from collections.abc import Iterator

import pytest

from fivenines.failover.programs.port_check import reason


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # the name that the library asks for
        self.send_response(200 if self.path == "/ready" else 503)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        return


@pytest.fixture
def port() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


def test_a_connection_is_enough_without_a_path(port: int) -> None:
    assert reason("127.0.0.1", port) == ""
    assert reason("127.0.0.1", port, "/ready") == ""
    assert "returns HTTP status 503" in reason("127.0.0.1", port, "/other")


def test_a_port_without_a_server_is_reported() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        assert "refused" in reason("127.0.0.1", port)
        assert f"port {port}: " in reason("127.0.0.1", port, "/ready")
