"""A management node: ndb_mgmd, which distributes the configuration, writes the cluster's log, and arbitrates.

Source: MySQL NDB Cluster 9 reference manual, "ndb_mgmd".
"""

from collections.abc import Mapping
from pathlib import Path

from fivenines.lab.host import Host
from fivenines.servers.base import inside
from fivenines.servers.daemon import Daemon
from fivenines.servers.ndb.layout import Layout, Place
from fivenines.servers.ndb.states import Reporter
from fivenines.software.base import Engine

PORT = 1186


class ManagementNode(Daemon):
    """One process on one host."""

    uid = 999

    def __init__(self, host: Host, engine: Engine, place: Place) -> None:
        super().__init__(host)
        self.place = place
        # The names of all data nodes and management nodes by id.
        self.names: Mapping[int, str] = {}
        self._engine = engine

    @property
    def log(self) -> Path:
        """Return the cluster's log, as this node has received it."""
        return self.data / f"ndb_{self.place.number}_cluster.log"

    def tells_states(self) -> Reporter:
        return Reporter(self.host.address, PORT, self.names, self.place.number)

    def configure(self, layout: Layout) -> None:
        """Write config.ini."""
        (self.host.node / "conf" / "config.ini").write_text(layout.text())

    def command(self, *arguments: str) -> list[str]:
        return [
            self._engine.program("ndb_mgmd"),
            "--no-defaults",
            f"--config-file={inside('conf', 'config.ini')}",
            f"--configdir={inside('data')}",
            # No cache of the configuration, so that the file decides.
            "--config-cache=0",
            f"--ndb-nodeid={self.place.number}",
            f"--bind-address={self.host.address}",
            "--nodaemon",
            *arguments,
        ]

    def shut_down_cluster(self, timeout: float = 60.0) -> None:
        """Shut all data nodes and management nodes down cleanly.

        Raises:
            FiveninesError: the order could not be sent.
        """
        client = [self._engine.program("ndb_mgm"), "--no-defaults", self.host.address]
        self.host.commands.run([*client, "--execute=shutdown"], uid=self.uid, timeout=timeout)
