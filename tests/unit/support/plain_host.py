"""A host of this machine without a lab: the test runs tools outside it."""

from collections.abc import Callable, Sequence

from fivenines.lab.host import Host


class PlainHost(Host):
    """Nothing but what a load needs of a host."""

    def __init__(
        self,
        outside: Callable[[list[str]], list[str]] = lambda command: command,
        address: str = "10.99.0.11",
        extra_addresses: Sequence[str] = (),
    ) -> None:
        self._outside = outside
        self.address = address
        self.extra_addresses = list(extra_addresses)

    def outside(self, command: Sequence[str]) -> list[str]:
        return self._outside(list(command))
