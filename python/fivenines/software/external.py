"""`external-postgres` and its like: the server of a cluster that others run. There is nothing to fetch."""

from fivenines.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import Engine, EngineStatus, Report


class _External(Engine):
    """Says which kind of server runs there; the version is whatever it tells (see the record)."""

    def status(self) -> EngineStatus:
        return EngineStatus(True, "as found", detail="nothing to pull")

    def pull(self, report: Report) -> None:
        """Nothing to pull."""

    def remove(self) -> None:
        raise FiveninesError(f"engine {self.name} is not in the cache: there is nothing to remove")

    def root(self) -> Root:
        raise FiveninesError(
            f"engine {self.name} has no files here: it is for `solution: external`"
        )

    def program(self, name: str) -> str:
        raise FiveninesError(
            f"engine {self.name} has no programs here: it is for `solution: external`"
        )


class ExternalPostgres(_External):
    """PostgreSQL."""

    name = "external-postgres"
    description = "PostgreSQL servers that others run"
    family = "postgresql"


class ExternalMariadb(_External):
    """MariaDB."""

    name = "external-mariadb"
    description = "MariaDB servers that others run"
    family = "mariadb"


class ExternalMysql(_External):
    """MySQL."""

    name = "external-mysql"
    description = "MySQL servers that others run"
    family = "mysql"
