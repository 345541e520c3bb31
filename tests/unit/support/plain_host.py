"""A host of this machine without a lab: the test runs tools outside it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fivenines.lab.host import Host, Root
from fivenines.lab.hosts.clock import HostClock
from fivenines.lab.hosts.commands import HostCommands
from fivenines.lab.hosts.files import HostFiles
from fivenines.lab.namespaces.addresses import NamespaceAddresses
from fivenines.lab.namespaces.first import Namespaces
from fivenines.lab.namespaces.processes import NamespaceProcesses


class PlainCommands(HostCommands):
    """Commands outside the host are those of this machine, unless the test changes them."""

    def __init__(self, outside: Callable[[list[str]], list[str]]) -> None:
        self._outside = outside

    def outside(self, command: Sequence[str]) -> list[str]:
        return self._outside(list(command))

    def inside(self, command: Sequence[str], uid: int | None) -> list[str]:
        raise AssertionError("no command runs inside a plain host")


class PlainHost(Host):
    """Nothing but what a load needs of a host."""

    def __init__(
        self,
        outside: Callable[[list[str]], list[str]] = lambda command: command,
        address: str = "10.99.0.11",
        extra_addresses: Sequence[str] = (),
    ) -> None:
        self.address = address
        self.commands = PlainCommands(outside)
        self.files = HostFiles(Path())
        self.clock = HostClock()
        nowhere = Namespaces("plain", Path(), Root())
        self.namespaces = nowhere
        self.processes = NamespaceProcesses(nowhere)
        self.addresses = NamespaceAddresses(nowhere, address)
        self.addresses.extra = list(extra_addresses)
