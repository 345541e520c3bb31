"""Detect ports of a machine that other servers use, so that our servers cannot bind them."""

from collections.abc import Iterable

from fivenines.base.errors import FiveninesError
from fivenines.lab.ssh.connection import Connection

# Ports that our hosts can listen at, and the usual server of each port.
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

# TCP_LISTEN of the kernel's include/net/tcp_states.h, as /proc/net/tcp has it.
_LISTENS = "0A"


def listening(tables: Iterable[str]) -> set[int]:
    """Return the listening ports in lines of /proc/net/tcp and tcp6 (proc(5))."""
    ports = set()
    for line in tables:
        fields = line.split()
        if len(fields) > 3 and fields[3] == _LISTENS:
            ports.add(int(fields[1].rpartition(":")[2], 16))
    return ports


def require_free(on: Connection) -> None:
    """Check that no other server listens at the ports of our servers.

    Raises:
        FiveninesError: another server listens; the message names the port.
    """
    tables = on.run(["sh", "-c", "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null || true"]).output
    used = sorted(listening(tables.splitlines()) & set(PORTS))
    if used:
        ports = ", ".join(f"{port} ({PORTS[port]})" for port in used)
        raise FiveninesError(
            f"{on.name}: another server listens at port {ports}. fivenines does not touch servers that it "
            "did not start: stop the server or use another machine"
        )
