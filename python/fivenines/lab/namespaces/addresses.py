"""Add addresses to the network namespace of a host."""

from fivenines.lab.hosts.addresses import HostAddresses
from fivenines.lab.hosts.place import HostNamespaces
from fivenines.lab.network import network


class NamespaceAddresses(HostAddresses):
    """The further addresses of a host that is namespaces.

    Args:
        namespaces: the namespaces of the host.
        own: its first address.
    """

    def __init__(self, namespaces: HostNamespaces, own: str) -> None:
        super().__init__()
        self._namespaces, self._own = namespaces, own

    def give(self, extra: str) -> None:
        network.give_address(self._namespaces.pid, extra)
        self.extra.append(extra)

    def keep_only_own(self) -> None:
        network.keep_only(self._namespaces.pid, self._own)
