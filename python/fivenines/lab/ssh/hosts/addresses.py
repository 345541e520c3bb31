"""The addresses of a host on another machine, whose network is the machine's own."""

from fivenines.base.errors import FiveninesError
from fivenines.lab.hosts.addresses import HostAddresses


class SshAddresses(HostAddresses):
    """Only the first address: the network belongs to the machine."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def give(self, extra: str) -> None:
        raise FiveninesError(f"{self._name}: hosts over SSH cannot have further addresses")

    def keep_only_own(self) -> None:
        """Do nothing: a machine of an inventory has no further addresses."""
