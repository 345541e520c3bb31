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
