"""Galera's full state transfer (SST), in which a node gets all data from a donor.

Source: MariaDB documentation, "Introduction to State Snapshot Transfers", "mariadb-backup SST Method".
"""

from typing import Literal

from fivenines.servers import secrets
from fivenines.servers.base import Server, Value

Method = Literal["rsync", "mariabackup"]

# Account of mariadb-backup on the donor's server.
_USER = "transfer"

_FILE = "transfer.cnf"


def transfer_settings(method: Method) -> dict[str, Value]:
    """Return the settings of each node; the password is in a separate file, see `transfer_secret`."""
    return {"wsrep_sst_method": method}


def transfer_secret(method: Method, node: Server) -> None:
    """Let a node's configuration include the password that the method needs, if any.

    It cannot be in the configuration itself, which is kept with the results.
    """
    if method == "rsync":
        return
    text = f"[mariadbd]\nwsrep_sst_auth={_USER}:{node.passwords.transfer}\n"
    secrets.write(node.host, _FILE, text)
    with (node.host.node / "conf" / "my.cnf").open("a") as file:
        file.write(f"!include {secrets.seen_inside(_FILE)}\n")


def transfer_account(method: Method, password: str) -> list[str]:
    """Return statements that create the method's account, if any; run them on one node."""
    if method == "rsync":
        return []
    return [
        f"CREATE USER {_USER}@localhost IDENTIFIED BY '{password}'",
        f"GRANT RELOAD, PROCESS, LOCK TABLES, BINLOG MONITOR ON *.* TO {_USER}@localhost",
    ]
