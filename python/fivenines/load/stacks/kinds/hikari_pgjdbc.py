"""`hikari-pgjdbc`: HikariCP over pgjdbc (Java)."""

from typing import ClassVar

from fivenines.load.stacks.stack import HIKARI_BOUNDS, JavaStack


class HikariPgjdbc(JavaStack):
    """HikariCP over pgjdbc (Java)."""

    name = "hikari-pgjdbc"
    description = "HikariCP over pgjdbc (Java)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {
        **HIKARI_BOUNDS,
        "connect.connectTimeout": 2,
        "connect.socketTimeout": 5,
        "connect.cancelSignalTimeout": 2,
        "connect.tcpKeepAlive": True,
    }
    documentation = "github.com/brettwooldridge/HikariCP; jdbc.postgresql.org/documentation/use"
