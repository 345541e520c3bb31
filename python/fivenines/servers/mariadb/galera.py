"""The state of a Galera cluster as one of its nodes reports it."""

import contextlib

from fivenines.base.drivers import pymysql
from fivenines.servers.mysql_family.sql import MysqlFamilySql


def galera_state(sql: MysqlFamilySql) -> tuple[str, str, str] | None:
    """Return cluster size, cluster status and own state, as Galera names them; None without an answer."""
    names = ("wsrep_cluster_size", "wsrep_cluster_status", "wsrep_local_state_comment")
    with contextlib.suppress(pymysql.Error):
        status = sql.status(*names)
        size, cluster, own = (status.get(name, "") for name in names)
        return size, cluster, own
    return None
