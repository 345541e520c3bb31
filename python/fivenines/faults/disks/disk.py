"""Find the disks of the target servers, for all disk faults."""

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.disk import FaultyDisk
from fivenines.servers.member import Member


def disks(servers: tuple[Member, ...]) -> list[FaultyDisk]:
    """Return the disks of these servers.

    Raises:
        FiveninesError: a server was not started on a disk that supports faults.
    """
    prepared = []
    for server in servers:
        if server.disk is None:
            raise FiveninesError(f"{server.name}: its disk was not prepared for faults")
        prepared.append(server.disk)
    return prepared
