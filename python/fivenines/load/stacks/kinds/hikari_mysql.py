"""`hikari-mysql`: HikariCP over MySQL Connector/J (Java)."""

from typing import ClassVar

from fivenines.load.stacks.stack import HIKARI_BOUNDS, JavaStack


class HikariMysql(JavaStack):
    """HikariCP over MySQL Connector/J (Java)."""

    name = "hikari-mysql"
    description = "HikariCP over MySQL Connector/J (Java)"
    driver = "mysql"
    several_hosts = True
    # The first host that answers. On another one than the first it refuses writes, unless failOverReadOnly
    # is off.
    recommended: ClassVar = {
        **HIKARI_BOUNDS,
        "connect.connectTimeout": 2000,
        "connect.socketTimeout": 5000,
        "connect.failOverReadOnly": False,
    }
    documentation = (
        "github.com/brettwooldridge/HikariCP; "
        "dev.mysql.com/doc/connector-j/en/connector-j-config-failover.html"
    )
