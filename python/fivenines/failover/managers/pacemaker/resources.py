"""Pacemaker's resources for MariaDB: ocf:heartbeat:mariadb, and the address by IPaddr2."""

from collections.abc import Sequence

from fivenines.failover.managers.pacemaker.cib import ADDRESS, DATABASE, Operation, Resource, milliseconds
from fivenines.failover.managers.pacemaker.settings import PacemakerSettings
from fivenines.lab.network import network
from fivenines.servers import secrets
from fivenines.servers.base import REPLICATION, inside

# The client that the agent calls; see `client_script`.
CLIENT = inside("conf", "mariadb-client")

# The file with the password of replication only.
PASSWORD_FILE = "replication"

_STAND_IN = "kept-in-a-file"


def client_script() -> str:
    """Return a client that reads the password from files.

    The agent writes passwords into the cluster's configuration, its logs and the client's arguments, which
    every user of the machine can read. So it gets a placeholder, which this client replaces by the password.
    """
    options, password = (secrets.seen_inside(name) for name in (f"{REPLICATION}.cnf", PASSWORD_FILE))
    return f"""\
#!/bin/sh
client="/usr/bin/mariadb --defaults-extra-file={options}"
statement=
for word in "$@"; do
  shift
  case $word in
    --password=*) ;;
    *{_STAND_IN}*) statement=$word ;;
    *) set -- "$@" "$word" ;;
  esac
done
[ -n "$statement" ] || exec $client "$@"
for word in "$@"; do
  shift
  [ "$word" = -e ] || set -- "$@" "$word"
done
{{
  printf %s "${{statement%%{_STAND_IN}*}}"
  cat {password}
  printf '%s\\n' "${{statement#*{_STAND_IN}}}"
}} | $client "$@"
"""


def database(settings: PacemakerSettings, nodes: Sequence[str]) -> Resource:
    """Return the server of one node, with the parameters of its agent."""
    parameters = {
        # Not mysqld_safe, which would restart the server by itself.
        "binary": "/usr/sbin/mariadbd",
        "client_binary": CLIENT,
        "config": inside("conf", "my.cnf"),
        "datadir": inside("data"),
        "pid": inside("run", "mysqld.pid"),
        "socket": inside("run", "mysqld.sock"),
        "log": inside("log", "error.log"),
        "user": "mysql",
        "group": "mysql",
        "node_list": " ".join(nodes),
        "replication_user": REPLICATION,
        "replication_passwd": _STAND_IN,
        "test_user": REPLICATION,
        "test_passwd": _STAND_IN,
        # A crashed primary discards what no replica has acknowledged (init_rpl_role).
        "additional_parameters": "--init-rpl-role=SLAVE",
    }
    threshold = settings.migration_threshold
    meta = {
        "migration-threshold": "INFINITY" if threshold is None else str(threshold),
        "failure-timeout": milliseconds(settings.failure_timeout),
    }
    return Resource(DATABASE, "mariadb", parameters, _operations(settings), meta)


def address(virtual: str) -> Resource:
    """Return a virtual address, which the host that has it gives to itself."""
    parameters = {"ip": virtual, "cidr_netmask": "24", "nic": network.DEVICE}
    return Resource(ADDRESS, "IPaddr2", parameters, OF_ADDRESS, {})


# As the agent IPaddr2 advises.
OF_ADDRESS = (Operation("start", 20.0), Operation("stop", 20.0), Operation("monitor", 20.0, 10.0))


def _operations(settings: PacemakerSettings) -> list[Operation]:
    once = ("start", "stop", "promote", "demote", "notify")
    timeout = settings.monitor_timeout
    return [
        *(Operation(name, settings.operation_timeout) for name in once),
        Operation("monitor", timeout, settings.monitor_promoted, "Promoted"),
        # For this agent a replica that has just lost its primary has failed (error 2013, until it tries again
        # and gets 2003). Such failures are ignored but counted, so the threshold allows for one.
        Operation("monitor", timeout, settings.monitor_unpromoted, "Unpromoted", "ignore"),
    ]
