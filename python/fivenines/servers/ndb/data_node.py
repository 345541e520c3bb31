"""A data node: ndbmtd, which holds rows in memory, and writes checkpoints and a redo log.

Source: MySQL NDB Cluster 9 reference manual, "ndbmtd".
"""

import contextlib
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Host
from fivenines.servers.daemon import Daemon
from fivenines.servers.incidents import LogReader
from fivenines.servers.ndb.incidents import incidents
from fivenines.servers.ndb.layout import Layout, Place
from fivenines.software.base import Engine


class DataNode(Daemon):
    """One process on one host, without the angel process that would restart it."""

    uid = 999

    def __init__(self, host: Host, engine: Engine, place: Place) -> None:
        super().__init__(host)
        self.place = place
        self._program = engine.program("ndbmtd")
        self._client = engine.program("ndb_mgm")
        self._connection = ""
        self._ordered = False

    @property
    def log(self) -> Path:
        return self.host.node / "log" / "server.out"

    @property
    def ended_itself(self) -> bool:
        """Return whether it has shut itself down, neither killed nor by an order, according to its log."""
        if self.process is None or self.alive or self._ordered:
            return False
        return self.process.popen.returncode == 0

    def start(self, *arguments: str) -> None:
        self._ordered = False
        super().start(*arguments)

    def log_reader(self) -> LogReader:
        return LogReader(incidents)

    def configure(self, layout: Layout) -> None:
        """Configure the management nodes, which supply all other settings."""
        self._connection = layout.connection

    def command(self, *arguments: str) -> list[str]:
        return [
            self._program,
            "--no-defaults",
            f"--ndb-connectstring={self._connection}",
            f"--ndb-nodeid={self.place.number}",
            f"--bind-address={self.host.address}",
            "--nodaemon",
            *arguments,
        ]

    def stop(self, timeout: float = 60.0) -> None:
        """Shut this node down cleanly, by an order to a management node: a signal would not do it.

        The last node of its node group may not leave, as that would end the cluster. It is killed at the
        timeout.
        """
        if self.process is None or not self.alive:
            return
        self._ordered = True
        order = [self._client, "--no-defaults", self._connection, f"--execute={self.place.number} stop"]
        with contextlib.suppress(FiveninesError):
            self.host.commands.run(order, uid=self.uid, timeout=timeout)
        if not self.process.wait(timeout):
            self.process.gone(self.process.kill())
