"""What fivenines reads and changes through a family's own catalogues: clients, durability, checksums."""

from abc import ABC, abstractmethod

from fivenines.servers.checksums import Dialect
from fivenines.servers.roles import Company, RoleReader


class Introspection(ABC):
    """Queries that only work where fivenines knows the catalogues and functions of the DBMS."""

    @abstractmethod
    def clients(self) -> int:
        """Return the number of connected clients."""

    @abstractmethod
    def most_clients(self) -> int:
        """Return the largest number of clients that the server accepts."""

    @abstractmethod
    def role_reader(self, company: Company | None) -> RoleReader:
        """Return what reads and changes the durability of the server's role.

        Args:
            company: when it is accompanied as a primary; None: this is not needed.
        """

    @abstractmethod
    def dialect(self) -> Dialect:
        """Return the SQL for checksums of its rows."""
