"""The kernel's list of a program's connections, with real sockets."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from fivenines.load.stacks.sockets import connections

# Opens two connections to the port, by IPv4 and by an IPv4 address within IPv6, and waits.
CLIENT = """
import socket, sys
port = int(sys.argv[1])
one = socket.create_connection(("127.0.0.1", port))
two = socket.socket(socket.AF_INET6)
two.connect(("::ffff:127.0.0.1", port))
print("open", flush=True)
sys.stdin.readline()
one.close()
print("closed", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def test_connections_are_counted_by_the_other_end(server: socket.socket) -> None:
    port = server.getsockname()[1]
    command = [sys.executable, "-c", CLIENT, str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdin is not None and client.stdout is not None
        accepted = [server.accept()[0] for _ in range(2)]
        assert client.stdout.readline() == "open\n"
        assert connections(client.pid) == {f"127.0.0.1:{port}": 2}
        client.stdin.write("\n")
        client.stdin.flush()
        assert client.stdout.readline() == "closed\n"
        assert connections(client.pid) == {f"127.0.0.1:{port}": 1}
        client.stdin.close()
        for each in accepted:
            each.close()


def test_a_process_below_counts_as_the_program(server: socket.socket) -> None:
    port = server.getsockname()[1]
    script = f'{sys.executable} -c "$CLIENT" {port}; :'
    with subprocess.Popen(
        ["/bin/sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "CLIENT": CLIENT},
    ) as shell:
        assert shell.stdin is not None and shell.stdout is not None
        accepted = [server.accept()[0] for _ in range(2)]
        assert shell.stdout.readline() == "open\n"
        assert connections(shell.pid) == {f"127.0.0.1:{port}": 2}
        shell.stdin.close()
        for each in accepted:
            each.close()


def test_a_program_that_has_ended_has_none() -> None:
    with subprocess.Popen(["/bin/true"]) as ended:
        ended.wait()
    assert connections(ended.pid) is None
