"""What a server says of its role and of its durability, and how that is changed while it runs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fivenines.servers.session import Session

Settings = Mapping[str, str]
"""Settings by name, with values as the server says them."""


@dataclass(frozen=True)
class RoleView:
    """One look at a server.

    Attributes:
        primary: whether it takes writes.
        accompanied: whether standbys have what its commits wait for; without such a wait, whether one is
            connected to it. False of a server that takes no writes, and where nobody wants to know.
        settings: those that decide about its durability.
    """

    primary: bool
    accompanied: bool
    settings: Settings


@dataclass(frozen=True)
class Company:
    """When a primary is not alone: with so many standbys; `awaited`: if its commits wait for them, too."""

    least: int = 1
    awaited: bool = False


class RoleReader(ABC):
    """Of one kind of server."""

    always: ClassVar[Settings] = {}
    """Settings that durability of either kind needs."""

    @abstractmethod
    def look(self, asked: Session) -> RoleView:
        """How it is now.

        Raises:
            Exception: it did not answer.
        """

    @abstractmethod
    def change(self, asked: Session, settings: Settings) -> None:
        """Set these for all sessions, from now on; a server may need a moment, so look again.

        Raises:
            Exception: it refused, or did not answer.
        """
