"""Add addresses to a host, and remove them again."""

from abc import ABC, abstractmethod
from typing import ClassVar


class HostAddresses(ABC):
    """The addresses of a host besides its own."""

    # Whether programs on the host cannot add addresses themselves, and have to request them of the lab.
    by_request: ClassVar[bool] = False

    def __init__(self) -> None:
        # Addresses that were added later.
        self.extra: list[str] = []

    @abstractmethod
    def give(self, extra: str) -> None:
        """Add an address to the host.

        Raises:
            FiveninesError: the host cannot have further addresses.
        """

    def take(self, extra: str) -> None:
        """Remove an added address, where programs on the host cannot do so (`by_request`).

        Raises:
            FiveninesError: it could not be removed.
        """
        raise NotImplementedError

    @abstractmethod
    def keep_only_own(self) -> None:
        """Remove all addresses that were added later, as a reboot does."""
