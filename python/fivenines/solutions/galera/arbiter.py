"""Galera's arbitrator: a member that votes, receives all write sets, and stores none.

Source: Galera Cluster documentation, "Galera Arbitrator"; garbd(8).
"""

from collections.abc import Sequence
from typing import ClassVar

from fivenines.lab.host import Host
from fivenines.lab.processes.process import Process, tail
from fivenines.servers.base import inside

# Port of group communication; garbd requires it.
_PORT = 4567

_UID = 999

_FILE = "garbd.cnf"


class Arbiter:
    """garbd on a separate host, with its configuration file.

    Args:
        host: its host.
        members: addresses of the nodes.
        group: the name of their cluster.
        options: provider options, as `name=value; ...`.
    """

    # The engine that contains garbd.
    software: ClassVar[str] = "garbd"

    # Name of its host.
    name: ClassVar[str] = "arbiter"

    def __init__(self, host: Host, members: Sequence[str], group: str, options: str) -> None:
        self.host = host
        self.process: Process | None = None
        address = "gcomm://" + ",".join(f"{member}:{_PORT}" for member in members)
        lines = [f"group = {group}", f"address = {address}", f"options = {options}"]
        (host.node / "conf" / _FILE).write_text("\n".join(lines) + "\n")

    @property
    def alive(self) -> bool:
        """Return whether its process runs."""
        return self.process is not None and self.process.alive

    def start(self) -> None:
        """Start it; it joins as soon as it finds a member."""
        self.process = self.host.commands.spawn(
            ["garbd", "--cfg", inside("conf", _FILE)], uid=_UID, log="garbd.out"
        )

    def restart(self) -> None:
        """Start it again; end it first if it still runs."""
        if self.process is not None:
            self.process.terminate()
        self.start()

    def last_words(self) -> str:
        """Return the last lines of its output."""
        return tail(self.host.node / "log" / "garbd.out") or "  (no output)"
