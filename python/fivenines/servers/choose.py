"""Which kind of server an engine runs."""

from fivenines.engines.base import Engine
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.mariadb import Mariadb
from fivenines.servers.postgres import Postgres


def server(host: Host, engine: Engine) -> Server:
    """The server of this engine on this host."""
    return Postgres(host, engine) if engine.family == "postgresql" else Mariadb(host, engine)
