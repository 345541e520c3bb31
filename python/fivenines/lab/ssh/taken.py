"""Ports on a machine that somebody else uses: servers of ours would not get them, or be taken for his."""

from collections.abc import Iterable

from fivenines.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

PORTS = {
    3306: "MySQL or MariaDB",
    33060: "MySQL's X protocol",
    33061: "MySQL's Group Replication",
    4444: "Galera's state transfer",
    4567: "Galera",
    4568: "Galera's incremental state transfer",
    5432: "PostgreSQL",
    8008: "Patroni",
    2379: "etcd",
    2380: "etcd's peers",
    1186: "NDB's management",
}
"""Ports that hosts of ours may listen at, and what usually does."""

_LISTENS = "0A"
"""TCP_LISTEN of the kernel's include/net/tcp_states.h, as /proc/net/tcp has it."""


def listening(tables: Iterable[str]) -> set[int]:
    """The ports that somebody listens at, by lines of /proc/net/tcp and tcp6 (proc(5))."""
    found = set()
    for line in tables:
        fields = line.split()
        if len(fields) > 3 and fields[3] == _LISTENS:
            found.add(int(fields[1].rpartition(":")[2], 16))
    return found


def require_free(on: Connection) -> None:
    """Make sure that nobody else's server listens where ours would.

    Raises:
        FiveninesError: one does; says at which port.
    """
    tables = on.run(["sh", "-c", "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null || true"]).output
    used = sorted(listening(tables.splitlines()) & set(PORTS))
    if used:
        said = ", ".join(f"{port} ({PORTS[port]})" for port in used)
        raise FiveninesError(
            f"{on.name}: somebody listens at port {said}: fivenines never touches what it did not start. "
            "Stop that server, or take another machine"
        )
