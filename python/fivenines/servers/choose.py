"""Which kind of server an engine runs."""

from fivenines.engines.base import Engine, Family
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.mariadb import Mariadb
from fivenines.servers.mysql import Mysql
from fivenines.servers.postgres import Postgres
from fivenines.servers.secrets import Passwords

KINDS: dict[Family, type[Server]] = {"postgresql": Postgres, "mariadb": Mariadb, "mysql": Mysql}


def server(host: Host, engine: Engine, passwords: Passwords | None = None) -> Server:
    """The server of this engine on this host, with the passwords of its lab; without them with its own."""
    return KINDS[engine.family](host, engine, passwords)
