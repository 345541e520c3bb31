"""Galera's arbitrator: a member that votes, sees all write sets, and keeps none.

Source: Galera Cluster documentation, "Galera Arbitrator"; garbd(8).
"""

from collections.abc import Sequence
from typing import ClassVar

from fivenines.lab.host import Host
from fivenines.lab.process import Process, tail

_PORT = 4567
"""Of group communication; garbd wants it named."""

_UID = 999


class Arbiter:
    """garbd on a host of its own.

    Args:
        host: where it runs.
        members: addresses of the nodes.
        group: the name of their cluster.
        options: those of its provider, as `name=value; ...`.
    """

    software: ClassVar[str] = "garbd"
    """The engine that carries it."""

    name: ClassVar[str] = "arbiter"
    """What its host is called."""

    def __init__(self, host: Host, members: Sequence[str], group: str, options: str) -> None:
        self.host = host
        self.process: Process | None = None
        address = "gcomm://" + ",".join(f"{member}:{_PORT}" for member in members)
        self._command = ["garbd", "--group", group, "--address", address, "--options", options]

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and self.process.alive

    def start(self) -> None:
        """Start it; it joins as soon as it finds a member."""
        self.process = self.host.spawn(self._command, uid=_UID, log="garbd.out")

    def restart(self) -> None:
        """Start it anew, ended before where it still runs."""
        if self.process is not None:
            self.process.terminate()
        self.start()

    def last_words(self) -> str:
        """The last lines that it wrote."""
        return tail(self.host.node / "log" / "garbd.out") or "  (it wrote nothing)"
