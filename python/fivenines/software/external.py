"""Engines of external servers, such as `external-postgres` and `aurora-mysql`. There is nothing to pull."""

from fivenines.base.errors import FiveninesError
from fivenines.lab.host import Root
from fivenines.software.base import Engine, EngineStatus, Report


class _External(Engine):
    """The kind of an external server; its version is in the record of the run."""

    def status(self) -> EngineStatus:
        return EngineStatus(True, "as found", detail="nothing to pull")

    def pull(self, report: Report) -> None:
        """Do nothing: external servers have no files here."""

    def remove(self) -> None:
        raise FiveninesError(f"engine {self.name} is not in the cache: there is nothing to remove")

    def root(self) -> Root:
        raise FiveninesError(f"engine {self.name} has no files here: it stands for external servers")

    def program(self, name: str) -> str:
        raise FiveninesError(f"engine {self.name} has no programs here: it stands for external servers")


class ExternalPostgres(_External):
    """PostgreSQL."""

    name = "external-postgres"
    description = "external PostgreSQL servers"
    family = "postgresql"


class ExternalMariadb(_External):
    """MariaDB."""

    name = "external-mariadb"
    description = "external MariaDB servers"
    family = "mariadb"


class ExternalMysql(_External):
    """MySQL."""

    name = "external-mysql"
    description = "external MySQL servers"
    family = "mysql"


class ExternalOdbc(_External):
    """Any DBMS with an ODBC driver."""

    name = "external-odbc"
    description = "external servers of any DBMS with an ODBC driver"
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
