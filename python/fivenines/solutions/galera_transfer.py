"""Galera's full state transfer (SST): how a node gets everything from a donor.

Source: MariaDB documentation, "Introduction to State Snapshot Transfers", "mariadb-backup SST Method".
"""

from typing import Literal

from fivenines.servers import secrets
from fivenines.servers.base import Server, Value

Method = Literal["rsync", "mariabackup"]

_USER = "transfer"
"""The account of mariadb-backup, which asks the donor's server."""

_FILE = "transfer.cnf"


def transfer_settings(method: Method) -> dict[str, Value]:
    """Settings of each node; the password stands in a file of its own, see `transfer_secret`."""
    return {"wsrep_sst_method": method}


def transfer_secret(method: Method, node: Server) -> None:
    """Let a node's configuration include the password that the method needs, if any.

    It cannot stand in the configuration itself, which is kept with the results.
    """
    if method == "rsync":
        return
    text = f"[mariadbd]\nwsrep_sst_auth={_USER}:{node.passwords.transfer}\n"
    secrets.write(node.host, _FILE, text)
    with (node.host.node / "conf" / "my.cnf").open("a") as file:
        file.write(f"!include {secrets.seen_inside(_FILE)}\n")


def transfer_account(method: Method, password: str) -> list[str]:
    """Statements that make the account that the method needs, if any; run on one node, all have it."""
    if method == "rsync":
        return []
    return [
        f"CREATE USER {_USER}@localhost IDENTIFIED BY '{password}'",
        f"GRANT RELOAD, PROCESS, LOCK TABLES, BINLOG MONITOR ON *.* TO {_USER}@localhost",
    ]
