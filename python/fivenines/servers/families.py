"""The server class of an engine."""

from typing import Literal

from fivenines.lab.host import Host
from fivenines.servers.counters import Catalogue
from fivenines.servers.local import LocalServer
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql import counters as mysql
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family import counters as mysql_family
from fivenines.servers.ndb import counters as ndb
from fivenines.servers.ndb.sql_node import SqlNode
from fivenines.servers.postgres import counters as postgres
from fivenines.servers.postgres.server import Postgres
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine, Family
from fivenines.software.store import family_of

KINDS: dict[Family, type[LocalServer]] = {
    "postgresql": Postgres,
    "mariadb": Mariadb,
    "mysql": Mysql,
    "ndb": SqlNode,
}

# The counters that are recorded for each kind.
CATALOGUES: dict[Family, Catalogue] = {
    "postgresql": postgres.CATALOGUE,
    "mariadb": mysql_family.CATALOGUE,
    "mysql": mysql.CATALOGUE,
    "ndb": ndb.CATALOGUE,
}


def server(host: Host, engine: Engine, passwords: Passwords | None = None) -> LocalServer:
    """Return the server of this engine on this host, with its lab's passwords or with new ones."""
    return KINDS[engine.family](host, engine, passwords)


def driver_of(engine: str) -> Literal["postgres", "mysql"] | None:
    """Return the protocol that servers of an engine speak; None: unknown engine."""
    family = family_of(engine)
    if family not in KINDS:
        return None
    return "postgres" if KINDS[family].driver == "postgres" else "mysql"
