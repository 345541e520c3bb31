"""The states of a cluster's processes, as a management node knows them.

As a program it runs on the network of a host of the lab, and speaks the management server's own protocol,
which is text (storage/ndb/src/mgmsrv/Services.cpp, "get status").
"""

import json
import socket
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.lab.host import Host

STARTED = "STARTED"


@dataclass(frozen=True)
class State:
    """What a process is (NDB, MGM or API), and its state (STARTED, STARTING, NO_CONTACT, ...)."""

    kind: str
    status: str
    phase: int = 0


def ask(host: "Host", address: str, port: int, timeout: float = 2.0) -> dict[int, State]:
    """The states by node id, as the management node there tells them; none where it does not answer."""
    program = [sys.executable, "-I", "-S", str(Path(__file__)), address, str(port), str(timeout)]
    done = subprocess.run(host.beside(program), capture_output=True, text=True, check=False)
    return states(json.loads(done.stdout)) if done.returncode == 0 else {}


def states(lines: Iterable[str]) -> dict[int, State]:
    """States from lines as `node.1.status: STARTED`."""
    told: dict[int, dict[str, str]] = {}
    for line in lines:
        key, _, value = line.partition(":")
        parts = key.split(".")
        if len(parts) == 3 and parts[0] == "node" and parts[1].isdigit():
            told.setdefault(int(parts[1]), {})[parts[2]] = value.strip()
    return {
        number: State(one.get("type", ""), one.get("status", ""), int(one.get("startphase", "0")))
        for number, one in told.items()
    }


def _main(address: str, port: int, timeout: float) -> None:
    try:
        with socket.create_connection((address, port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(b"get status\ntypes: NDB MGM API\n\n")
            answer = b""
            while not answer.endswith(b"\n\n") and (some := connection.recv(65536)):
                answer += some
    except OSError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    sys.stdout.write(json.dumps(answer.decode(errors="replace").splitlines()))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
