"""`hikari-mariadb`: HikariCP over MariaDB Connector/J (Java)."""

from typing import ClassVar

from fivenines.load.stacks.stack import HIKARI_BOUNDS, JavaStack


class HikariMariadb(JavaStack):
    """HikariCP over MariaDB Connector/J (Java)."""

    name = "hikari-mariadb"
    description = "HikariCP over MariaDB Connector/J (Java)"
    driver = "mysql"
    several_hosts = True
    # `sequential`: the first host that answers, writable or not.
    recommended: ClassVar = {**HIKARI_BOUNDS, "connect.connectTimeout": 2000, "connect.socketTimeout": 5000}
    documentation = "github.com/brettwooldridge/HikariCP; mariadb.com/docs/connectors/mariadb-connector-j"
