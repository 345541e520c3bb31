"""The node watch: what each node is, and ten times a second what it holds of the ledger.

The role is asked every 10 ms once something is broken.

`fivenines-core watch` runs beside the lab, not in it, and asks over the nodes' unix sockets: neither cuts nor
distance in the lab's network stand between. Servers that others run are asked at their addresses. It ends
with us, as its standard input is ours.
"""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from fivenines.core import core_binary
from fivenines.lab.process import end_within
from fivenines.load.commands import account_flags, administrators_secret, secret
from fivenines.observe.base import Observer
from fivenines.servers.base import Server

# Time between two looks at a node until something is broken or changes: observing must cost little.
CALM = "50ms"

# Seconds that it may take to write what it has.
PATIENCE = 5.0


class NodeWatch(Observer):
    """Writes the tables `nodes` and `views`."""

    tables = ("nodes", "views")

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    @property
    def wanted(self) -> bool:
        return all(node.watched_at for node in self.deployed.solution.nodes)

    def start(self, started_ns: int) -> None:
        nodes = self.deployed.solution.nodes
        first = nodes[0]
        account = administrators_secret(first) if _by_socket(first) else secret(first)
        self._errors = (self.out / "watch.err").open("wb")
        self._process = subprocess.Popen(
            command(nodes, self.ledger_clients, started_ns, self.out),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env={**os.environ, **account},
        )

    def alert(self) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError):  # it has ended; that is told at the stop
                process.stdin.write(b"!")
                process.stdin.flush()

    def stop(self) -> None:
        process = self._process
        if process is None:
            return
        process.terminate()
        end_within(process, PATIENCE)
        if process.stdin is not None:
            process.stdin.close()
        if self._errors is not None:
            self._errors.close()


def command(nodes: list[Server], clients: int, started_ns: int, out: Path) -> list[str]:
    """The command line of the watch; it looks at these nodes with their administrator's account."""
    first = nodes[0]
    line = [
        str(core_binary()),
        "watch",
        "--lifeline",
        "--calm-interval",
        CALM,
        *account_flags(first.driver, first.administrator, first.database),
        "--ledger-clients",
        str(clients),
        "--zero-ns",
        str(started_ns),
        "--out",
        str(out),
    ]
    for node in nodes:
        line += ["--node", f"{node.name}={node.watched_at}"]
    return line


def _by_socket(node: Server) -> bool:
    return node.watched_at.startswith("/")
