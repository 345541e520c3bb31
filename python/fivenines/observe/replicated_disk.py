"""A disk that nodes share block by block: what each of them tells of it, at a set interval."""

from collections.abc import Iterable

from fivenines.observe.sampling import Row, SamplingObserver
from fivenines.servers.base import Server
from fivenines.servers.session import Session


class ReplicatedDiskObserver(SamplingObserver):
    """Table `disks`: what was sent and received since the device is up, and what the other node lacks."""

    tables = ("disks",)

    @property
    def wanted(self) -> bool:
        return self.deployed.solution.replicates_disk

    def sample(self, node: Server, asked: Session) -> Iterable[Row]:
        # not the server is asked: only one of the nodes has one that runs
        now = self.deployed.solution.disk_status(node)
        if now is None:
            return []
        return [
            (node.name, now.connection, now.disk, now.sent, now.received, now.log_updates, now.out_of_sync)
        ]
