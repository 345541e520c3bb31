"""Which kind of server an engine runs."""

from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.postgres.server import Postgres
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine, Family

KINDS: dict[Family, type[Server]] = {"postgresql": Postgres, "mariadb": Mariadb, "mysql": Mysql}


def server(host: Host, engine: Engine, passwords: Passwords | None = None) -> Server:
    """The server of this engine on this host, with the passwords of its lab; without them with its own."""
    return KINDS[engine.family](host, engine, passwords)
