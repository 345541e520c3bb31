"""What "strict" and "relaxed" durability mean on each kind of server."""

from typing import Literal

from fivenines.servers.base import Value
from fivenines.software.base import Family


def durability(family: Family, kind: Literal["strict", "relaxed"]) -> dict[str, Value]:
    """Settings under which a commit waits for its node's disk (strict), or does not (relaxed).

    Sources: PostgreSQL manual 19.5 (synchronous_commit); MariaDB documentation of
    innodb_flush_log_at_trx_commit and sync_binlog.
    """
    strict = kind == "strict"
    if family == "postgresql":
        return {"synchronous_commit": "on" if strict else "off"}
    return {
        "innodb_flush_log_at_trx_commit": 1 if strict else 2,
        "sync_binlog": 1 if strict else 0,
    }
