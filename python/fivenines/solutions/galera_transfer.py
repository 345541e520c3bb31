"""Galera's full state transfer (SST): how a node gets everything from a donor.

Source: MariaDB documentation, "Introduction to State Snapshot Transfers", "mariadb-backup SST Method".
"""

from typing import Literal

from fivenines.servers.base import Value

Method = Literal["rsync", "mariabackup"]

_ACCOUNT = ("transfer", "transfer")
"""User and password of mariadb-backup, which asks the donor's server."""


def transfer_settings(method: Method) -> dict[str, Value]:
    """Settings of each node."""
    if method == "rsync":
        return {"wsrep_sst_method": "rsync"}
    user, password = _ACCOUNT
    return {"wsrep_sst_method": "mariabackup", "wsrep_sst_auth": f"{user}:{password}"}


def transfer_account(method: Method) -> list[str]:
    """Statements that make the account that the method needs, if any; run on one node, all have it."""
    if method == "rsync":
        return []
    user, password = _ACCOUNT
    return [
        f"CREATE USER {user}@localhost IDENTIFIED BY '{password}'",
        f"GRANT RELOAD, PROCESS, LOCK TABLES, BINLOG MONITOR ON *.* TO {user}@localhost",
    ]
