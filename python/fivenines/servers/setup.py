"""The data directory and the configuration of a server that fivenines starts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

Value = str | int | float | bool


class Setup(ABC):
    """Creates and configures one server; all but `finish_loading` before its start."""

    # Settings, by canonical names, that only fivenines needs, with the reason in a few words. `show` marks
    # them, so that a reader leaves them out elsewhere.
    for_measuring: ClassVar[Mapping[str, str]] = {}

    def __init__(self) -> None:
        # User settings that a data directory is created with.
        self.made_with: Mapping[str, Value] = {}

    @abstractmethod
    def initialise(self) -> None:
        """Create a data directory (initdb, mariadb-install-db) with the database and the accounts."""

    @abstractmethod
    def take_over(self) -> None:
        """Set this lab's passwords in a copied data directory before any client can connect."""

    @abstractmethod
    def configure(self, settings: Mapping[str, Value]) -> None:
        """Write the configuration file: the defaults, overridden by `settings`."""

    @abstractmethod
    def finish_loading(self) -> None:
        """Finish a newly loaded data set: statistics for the planner, background work done."""
