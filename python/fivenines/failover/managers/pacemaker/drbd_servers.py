"""The agent with which Pacemaker starts the server on a replicated disk, and its parameters.

Sources: the agents ocf:heartbeat:mysql, pgsql and anything themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from fivenines.failover.managers.pacemaker.drbd_settings import PacemakerDrbdSettings
from fivenines.lab.host import Host
from fivenines.servers.base import Server, inside
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.postgres.accounts import ADMINISTRATOR, PASSFILE
from fivenines.servers.postgres.server import Postgres
from fivenines.software.combined_root import CombinedRoot


@dataclass(frozen=True)
class ServerAgent:
    """An agent of ocf:heartbeat, its parameters, and the name of the server's process."""

    name: str
    parameters: Mapping[str, str]
    program: str


def server_agent(settings: PacemakerDrbdSettings, node: Server) -> ServerAgent:
    """Return the agent for this kind of server."""
    if isinstance(node, Postgres):
        return ServerAgent("pgsql", _postgres(node), "postgres")
    assert isinstance(node, MysqlFamily)
    parameters = _mysql(node) if settings.server_agent == "mysql" else _anything(node)
    engine = node.engine
    called = engine.process if isinstance(engine, CombinedRoot) else node.server_program
    return ServerAgent(settings.server_agent, parameters, called)


def write_client(node: Server) -> None:
    """Write the client that the agent calls, where that is not the server's own."""
    if isinstance(node, Postgres):
        client = node.host.node / "conf" / _PSQL
        client.write_text(_CLIENT.format(file=PASSFILE, program=node.engine.program("psql")))
        client.chmod(0o755)


def prepare(host: Host, node: Server) -> None:
    """Make what the agent needs on a node, and let it find a running server."""
    if isinstance(node, Postgres):
        host.commands.run(["sh", "-c", _USER, "sh", ADMINISTRATOR, str(node.uid)])
    else:
        host.commands.run(["sh", "-c", f"[ ! -e {_PID} ] || cp {_PID} {_AGENTS_PID}"])


# The server writes the first as mysql, the agent `anything` the second as root.
_PID, _AGENTS_PID = inside("run", "mysqld.pid"), inside("run", "agent.pid")

_CONFIG = inside("conf", "my.cnf")
_USER_NAME = "mysql"


def _mysql(node: MysqlFamily) -> dict[str, str]:
    return {
        # Not mysqld_safe, which would restart the server by itself.
        "binary": _program(node, node.server_program),
        "client_binary": node.engine.program(node.client_program),
        "config": _CONFIG,
        "datadir": inside("data"),
        "pid": _PID,
        "socket": inside("run", node.socket_name),
        "log": inside("log", node.log.name),
        "user": _USER_NAME,
        "group": _USER_NAME,
    }


def _anything(node: MysqlFamily) -> dict[str, str]:
    return {
        "binfile": _program(node, node.server_program),
        "cmdline_options": f"--defaults-file={_CONFIG} --user={_USER_NAME}",
        "workdir": "/",
        "pidfile": _AGENTS_PID,
        # A separate file: the agent would create the server's log as root, and the server could not write to
        # it.
        "logfile": inside("log", "agent.out"),
    }


def _program(node: MysqlFamily, name: str) -> str:
    # Agents need an absolute path.
    path = node.engine.program(name)
    return path if path.startswith("/") else f"/usr/sbin/{path}"


_PSQL = "psql"

_CLIENT = """\
#!/bin/sh
# the agent would write the password into the cluster's configuration
PGPASSFILE={file} exec {program} "$@"
"""

# The agent changes to the server's user by name, with a shell.
_USER = 'grep -q "^$1:" /etc/passwd || echo "$1:*:$2:$2::/:/bin/sh" >> /etc/passwd'


def _postgres(node: Postgres) -> dict[str, str]:
    return {
        "pgctl": node.engine.program("pg_ctl"),
        "psql": inside("conf", _PSQL),
        "pgdata": inside("data"),
        "pgdba": ADMINISTRATOR,
        "pgdb": ADMINISTRATOR,
        "pgport": str(node.port),
        "config": inside("conf", "postgresql.conf"),
        "socketdir": inside("run"),
        "logfile": inside("log", node.log.name),
    }
