"""The node watch: record each node's role, and ten times per second the rows of the ledger that it has.

After a fault the role is read every 10 ms.

`fivenines-core watch` runs outside the lab and uses the nodes' unix sockets, so partitions and latency in the
lab's network do not affect it. External servers are queried at their addresses. It ends with the controller,
which holds its standard input.
"""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from fivenines.base.core import core_binary
from fivenines.lab.processes.process import end_within
from fivenines.load.commands import account_flags, administrators_secret, secret
from fivenines.servers.base import Server
from fivenines.trial.observers.base import Observer

# Interval until a fault or a change of role; longer, to keep the overhead low.
CALM = "50ms"

# Time limit in seconds to write the remaining rows at the end.
PATIENCE = 5.0


class NodeWatch(Observer):
    """Write the tables `nodes` and `views`."""

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
            with suppress(OSError):  # The watch has ended, which the end of the trial reports.
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
    """Return the command line of the watch, which uses the administrator's account of these nodes."""
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
