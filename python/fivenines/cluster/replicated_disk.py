"""A disk that nodes share block by block, as one of them tells of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DiskStatus:
    """What a node tells of the device.

    Attributes:
        connection: as Connected, WFConnection, StandAlone, SyncSource.
        role: Primary or Secondary, of the node itself.
        peer_role: the same of the other; Unknown where it does not hear it.
        disk: as UpToDate, Inconsistent, Outdated.
        peer_disk: of the other node.
        sent: bytes to the other node since the device is up.
        received: bytes from it.
        log_updates: of the activity log.
        out_of_sync: bytes that the other node has not, or has otherwise.
        done: percent of a comparison or resynchronisation that runs; None: none does.
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
        """Whether both nodes have the same, and hear each other."""
        both = (self.disk, self.peer_disk) == ("UpToDate", "UpToDate")
        return self.connection == "Connected" and both and not self.out_of_sync
