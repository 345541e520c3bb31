"""A database server that fivenines starts in a lab."""

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar, Literal

from fivenines.servers.base import Server, Value
from fivenines.servers.daemon import Daemon


class LocalServer(Server, Daemon):
    """A server with all parts, which its administrator reaches through a unix socket."""

    # File name of its unix socket.
    socket_name: ClassVar[str]

    # Settings for loading a data set: fast, but not crash-safe.
    unsafe_settings: ClassVar[dict[str, Value]]

    @staticmethod
    @abstractmethod
    def durability(kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
        """Return settings with which a commit waits for the server's disk (strict) or does not (relaxed)."""

    @property
    def watched_at(self) -> str:
        return str(self.socket_folder() / self.socket_name)

    def socket_folder(self) -> Path:
        """Return the folder of its unix socket, as seen from outside the lab."""
        return self.host.node / "run"
