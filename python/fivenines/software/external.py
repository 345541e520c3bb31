"""`external-postgres`, `aurora-mysql` and their like: servers that others run. There is nothing to fetch."""

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
        raise FiveninesError(f"engine {self.name} has no files here: it is for servers that others run")

    def program(self, name: str) -> str:
        raise FiveninesError(f"engine {self.name} has no programs here: it is for servers that others run")


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


class ExternalOdbc(_External):
    """Any DBMS, by a driver of ODBC."""

    name = "external-odbc"
    description = "servers that others run, of any DBMS with a driver of ODBC"
    family = "odbc"


class AuroraMysql(_External):
    """Aurora MySQL."""

    name = "aurora-mysql"
    description = "Amazon Aurora MySQL, for `solution: aurora`"
    family = "mysql"


class AuroraPostgresql(_External):
    """Aurora PostgreSQL."""

    name = "aurora-postgresql"
    description = "Amazon Aurora PostgreSQL, for `solution: aurora`"
    family = "postgresql"


class RdsMysql(_External):
    """MySQL in a Multi-AZ cluster of RDS."""

    name = "rds-mysql"
    description = "MySQL in a Multi-AZ cluster of Amazon RDS, for `solution: aurora`"
    family = "mysql"


class RdsPostgres(_External):
    """PostgreSQL in a Multi-AZ cluster of RDS."""

    name = "rds-postgres"
    description = "PostgreSQL in a Multi-AZ cluster of Amazon RDS, for `solution: aurora`"
    family = "postgresql"
