"""Role and durability of a running server: reading and changing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fivenines.servers.session import Session

# Settings by name, with values as the server shows them.
Settings = Mapping[str, str]


@dataclass(frozen=True)
class RoleView:
    """The state of a server at one query.

    Attributes:
        primary: whether it is writable.
        accompanied: whether standbys have what its commits wait for; without such a wait, whether one is
            connected to it. False if it is read-only, or if this is not needed.
        settings: those that control its durability.
    """

    primary: bool
    accompanied: bool
    settings: Settings


@dataclass(frozen=True)
class Company:
    """When a primary is accompanied: by `standbys` of them; `awaited`: if its commits wait for them, too."""

    least: int = 1
    awaited: bool = False


class RoleReader(ABC):
    """Reader for one kind of server."""

    # Settings that durability of either kind needs.
    always: ClassVar[Settings] = {}

    @abstractmethod
    def look(self, session: Session) -> RoleView:
        """Return the current state.

        Raises:
            Exception: it did not answer.
        """

    @abstractmethod
    def change(self, session: Session, settings: Settings) -> None:
        """Set these for all sessions; a server may apply them late, so look again.

        Raises:
            Exception: it refused, or did not answer.
        """
