"""Command lines of a family's own SQL client."""

from abc import ABC, abstractmethod


class Console(ABC):
    """Clients of one server."""

    @abstractmethod
    def prompt(self) -> list[str]:
        """Return the command line of an interactive SQL client on this node, run from outside the lab."""

    @abstractmethod
    def batch(self) -> list[str]:
        """Return the command line, run from outside the lab, for SQL from stdin; it ends at an error."""

    @abstractmethod
    def shell(self, dsn: str, address: str) -> str:
        """Return the command that opens the client as the application, from any shell.

        Args:
            dsn: leads to the writable node.
            address: one server (host:port), for clients that take no DSN.
        """
