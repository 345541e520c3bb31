"""State of a disk that two nodes replicate block by block."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from fivenines.servers.cluster.aspect import Aspect, N


@dataclass(frozen=True)
class DiskStatus:
    """State of the device as one node sees it.

    Attributes:
        connection: as Connected, WFConnection, StandAlone, SyncSource.
        role: Primary or Secondary, of the node itself.
        peer_role: role of the other node; Unknown without a connection.
        disk: as UpToDate, Inconsistent, Outdated.
        peer_disk: state of the other node's disk.
        sent: bytes sent to the other node since the device started.
        received: bytes received from it.
        log_updates: updates of the activity log.
        out_of_sync: bytes that differ on the other node.
        done: progress of a running comparison or resynchronisation, in percent; None: none runs.
    """

    connection: str
    role: str
    peer_role: str
    disk: str
    peer_disk: str
    sent: int
    received: int
    log_updates: int
    out_of_sync: int
    done: float | None = None

    @property
    def whole(self) -> bool:
        """Return whether both nodes are connected and have the same data."""
        both = (self.disk, self.peer_disk) == ("UpToDate", "UpToDate")
        return self.connection == "Connected" and both and not self.out_of_sync


class ReplicatedDisk(Aspect[N], ABC):
    """The disk that the nodes of a cluster share by replication."""

    @abstractmethod
    def status(self, node: N) -> DiskStatus | None:
        """Return the state of the disk as a node sees it; None: it does not show it now."""
