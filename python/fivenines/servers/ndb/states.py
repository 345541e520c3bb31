"""The states of a cluster's processes, as a management node knows them.

As a program it runs in the network of a host of the lab, and speaks the management server's own protocol,
which is text (storage/ndb/src/mgmsrv/Services.cpp, "get status").
"""

import json
import select
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.lab.host import Host

STARTED = "STARTED"

# Seconds that a management node may take to answer a poll.
_TIMEOUT = 1.0

# Number of arguments of a single query, including the program's name.
_ARGUMENTS = 4


@dataclass(frozen=True)
class State:
    """The type of a process (NDB, MGM or API), and its state (STARTED, STARTING, NO_CONTACT, ...)."""

    kind: str
    status: str
    phase: int = 0


def ask(host: "Host", address: str, port: int, timeout: float = 2.0) -> dict[int, State]:
    """Return the states by node id, from this management node; empty if it does not answer."""
    program = _program(address, port, timeout)
    done = subprocess.run(host.commands.outside(program), capture_output=True, text=True, check=False)
    return states(json.loads(done.stdout)) if done.returncode == 0 else {}


def states(lines: Iterable[str]) -> dict[int, State]:
    """Parse states from lines as `node.1.status: STARTED`."""
    fields: dict[int, dict[str, str]] = {}
    for line in lines:
        key, _, value = line.partition(":")
        parts = key.split(".")
        if len(parts) == 3 and parts[0] == "node" and parts[1].isdigit():
            fields.setdefault(int(parts[1]), {})[parts[2]] = value.strip()
    return {
        number: State(values.get("type", ""), values.get("status", ""), int(values.get("startphase", "0")))
        for number, values in fields.items()
    }


@dataclass(frozen=True)
class Reporter:
    """A management node that reports the states of the cluster's members by id.

    Attributes:
        names: of data nodes and management nodes by id.
        own: its own id.
    """

    address: str
    port: int
    names: Mapping[int, str]
    own: int

    def program(self, period: float) -> list[str]:
        """Return the command of this module, see `fivenines.servers.member.StateReporter`."""
        return [*_program(self.address, self.port, _TIMEOUT), str(period)]

    def states(self, report: list[str]) -> dict[str, str]:
        """Return states in words: `started`, `starting 4` (the phase), `not connected`."""
        known = states(report)
        return {
            name: "started" if number == self.own else _text(known[number])
            for number, name in self.names.items()
            if number in known
        }


def _text(state: State) -> str:
    if state.status == "STARTING":
        return f"starting {state.phase}"
    # The only known state of management nodes is that they are connected.
    words = {"NO_CONTACT": "not connected", "CONNECTED": "started"}
    return words.get(state.status, state.status.lower().replace("_", " "))


def _program(address: str, port: int, timeout: float) -> list[str]:
    return [sys.executable, "-I", "-S", str(Path(__file__)), address, str(port), str(timeout)]


def _connect(address: str, port: int, timeout: float) -> socket.socket:
    connection = socket.create_connection((address, port), timeout)
    connection.settimeout(timeout)
    return connection


def _status(connection: socket.socket) -> list[str]:
    connection.sendall(b"get status\ntypes: NDB MGM API\n\n")
    answer = b""
    while not answer.endswith(b"\n\n"):
        some = connection.recv(65536)
        if not some:
            raise OSError("the management node closed the connection")
        answer += some
    return answer.decode(errors="replace").splitlines()


def _watch(address: str, port: int, timeout: float, period: float) -> None:
    """Write the states whenever they have changed, until the standard input ends."""
    connection: socket.socket | None = None
    before: list[str] | None = None
    while True:
        try:
            connection = connection or _connect(address, port, timeout)
            now = _status(connection)
        except OSError:
            connection, now = None, []
        if now != before:
            sys.stdout.write(json.dumps(now) + "\n")
            sys.stdout.flush()
        before = now
        if select.select([sys.stdin], [], [], period)[0]:
            return


def _main(address: str, port: int, timeout: float) -> None:
    try:
        with _connect(address, port, timeout) as connection:
            answer = _status(connection)
    except OSError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    if len(sys.argv) > _ARGUMENTS:
        _watch(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
    else:
        _main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
