"""What faults of disks share: the disks of the servers that are hit, and their counts."""

from fivenines.errors import FiveninesError
from fivenines.lab.disk import FaultyDisk
from fivenines.servers.member import Member


def disks(servers: tuple[Member, ...]) -> list[FaultyDisk]:
    """The disks of these servers.

    Raises:
        FiveninesError: one was not started on a disk that can be interfered with.
    """
    found = []
    for server in servers:
        if server.disk is None:
            raise FiveninesError(f"{server.name}: its disk was not prepared for faults")
        found.append(server.disk)
    return found
