"""Sample the status of a replicated block device (DRBD) on each node."""

from collections.abc import Iterable

from fivenines.servers.base import Server
from fivenines.servers.session import Session
from fivenines.trial.observers.sampling import Row, SamplingObserver


class ReplicatedDiskObserver(SamplingObserver):
    """Table `disks`: data sent and received since the device started, and data that the peer lacks."""

    tables = ("disks",)

    @property
    def wanted(self) -> bool:
        return self.deployed.solution.replicated_disk is not None

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        # The host is asked instead of the server, which runs only on one node.
        disk = self.deployed.solution.replicated_disk
        now = disk.status(node) if disk is not None else None
        if now is None:
            return []
        return [
            (node.name, now.connection, now.disk, now.sent, now.received, now.log_updates, now.out_of_sync)
        ]
