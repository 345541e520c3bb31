"""Add addresses to a host, and remove them again."""

from abc import ABC, abstractmethod


class HostAddresses(ABC):
    """The addresses of a host besides its own."""

    def __init__(self) -> None:
        # Addresses that were added later.
        self.extra: list[str] = []

    @abstractmethod
    def give(self, extra: str) -> None:
        """Add an address to the host.

        Raises:
            FiveninesError: the host cannot have further addresses.
        """

    @abstractmethod
    def keep_only_own(self) -> None:
        """Remove all addresses that were added later, as a reboot does."""
