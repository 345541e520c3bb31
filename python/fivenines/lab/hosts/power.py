"""Switch a host off."""

from abc import ABC, abstractmethod

import psutil


class HostPower(ABC):
    """The power of a host."""

    @property
    @abstractmethod
    def is_on(self) -> bool:
        """Whether the host runs."""

    @abstractmethod
    def off(self) -> list[psutil.Process]:
        """Switch the host off; return the killed processes, as seen from here."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs on the host.

        Raises:
            FiveninesError: the host does not answer.
        """
        return not self.is_on

    def cut(self) -> None:
        """End all that runs on the host, as the power switch of a cluster's nodes does."""
        self.off()
