"""What Pacemaker is to run: MariaDB by ocf:heartbeat:mariadb, and the address by IPaddr2."""

from collections.abc import Sequence

from fivenines.lab import network
from fivenines.managers.cib import ADDRESS, DATABASE, Operation, Resource, milliseconds
from fivenines.managers.pacemaker_settings import PacemakerSettings
from fivenines.servers import secrets
from fivenines.servers.base import REPLICATION, inside

CLIENT = inside("conf", "mariadb-client")
"""The client that the agent calls; see `client_script`."""

PASSWORD_FILE = "replication"
"""The file, among those with passwords, with that of replication alone."""

_STAND_IN = "kept-in-a-file"


def client_script() -> str:
    """A client that gets the password from files.

    The agent writes passwords into the cluster's configuration, its logs and the client's arguments, which
    everybody on the machine can read. It is told another word; here the true password takes its place.
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
    """The server of one node, with the parameters of its agent."""
    parameters = {
        # not mysqld_safe: that would start the server again by itself
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
        # a primary that crashed drops what no replica has acknowledged (init_rpl_role)
        "additional_parameters": "--init-rpl-role=SLAVE",
    }
    threshold = settings.migration_threshold
    meta = {
        "migration-threshold": "INFINITY" if threshold is None else str(threshold),
        "failure-timeout": milliseconds(settings.failure_timeout),
    }
    return Resource(DATABASE, "mariadb", parameters, _operations(settings), meta)


def address() -> Resource:
    """The virtual address."""
    parameters = {"ip": network.VIRTUAL, "cidr_netmask": "24", "nic": "eth0"}
    operations = [Operation("start", 20.0), Operation("stop", 20.0), Operation("monitor", 20.0, 10.0)]
    return Resource(ADDRESS, "IPaddr2", parameters, operations, {})


def _operations(settings: PacemakerSettings) -> list[Operation]:
    once = ("start", "stop", "promote", "demote", "notify")
    timeout = settings.monitor_timeout
    return [
        *(Operation(name, settings.operation_timeout) for name in once),
        Operation("monitor", timeout, settings.monitor_promoted, "Promoted"),
        # to this agent a replica that has just lost its primary has failed (error 2013, until it tries again
        # and finds 2003); ignored, but counted, so the threshold leaves room for one such look
        Operation("monitor", timeout, settings.monitor_unpromoted, "Unpromoted", "ignore"),
    ]
