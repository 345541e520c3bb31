"""The metadata that MySQL Router reads: the members of a cluster with their UUIDs and addresses.

MySQL Shell writes them with many tables that Router never reads. If MySQL Shell is not installed, fivenines
creates only the tables that Router queries, in version 2.0 of the schema, which needs no cluster sets (MySQL
source, router/src/cluster/cluster_metadata_gr.cc).
"""

import json
import subprocess
from collections.abc import Sequence

from fivenines.base.errors import FiveninesError
from fivenines.servers.base import REPLICATION, Server
from fivenines.servers.mysql.server import Mysql

CLUSTER = "fivenines"
ROUTER_ID = 1

_SCHEMA = "mysql_innodb_cluster_metadata"
_CLUSTER_ID = "9f1e9999-0000-4000-8000-0000000000ff"
_X_PORT = 33060
_TABLES = (
    f"CREATE DATABASE {_SCHEMA}",
    f"CREATE VIEW {_SCHEMA}.schema_version (major, minor, patch) AS SELECT 2, 0, 0",
    f"CREATE TABLE {_SCHEMA}.v2_gr_clusters (cluster_id CHAR(36) PRIMARY KEY, cluster_name VARCHAR(63), "
    "cluster_type CHAR(2), primary_mode CHAR(2), group_name CHAR(36), attributes JSON, options JSON, "
    "router_options JSON, description TEXT, clusterset_id CHAR(36))",
    f"CREATE VIEW {_SCHEMA}.v2_clusters AS SELECT cluster_type, primary_mode, cluster_id, cluster_name, "
    f"router_options FROM {_SCHEMA}.v2_gr_clusters",
    f"CREATE TABLE {_SCHEMA}.v2_instances (instance_id INT PRIMARY KEY, cluster_id CHAR(36), "
    "label VARCHAR(265), mysql_server_uuid CHAR(36), address VARCHAR(265), endpoint VARCHAR(265), "
    "xendpoint VARCHAR(265), attributes JSON)",
    f"CREATE SQL SECURITY INVOKER VIEW {_SCHEMA}.v2_this_instance AS SELECT i.cluster_id, i.instance_id, "
    f"c.cluster_name, c.cluster_type FROM {_SCHEMA}.v2_instances i JOIN {_SCHEMA}.v2_gr_clusters c "
    "USING (cluster_id) WHERE i.mysql_server_uuid = (SELECT VARIABLE_VALUE "
    "FROM performance_schema.global_variables WHERE VARIABLE_NAME = 'server_uuid')",
    f"CREATE TABLE {_SCHEMA}.v2_routers (router_id INT PRIMARY KEY, cluster_id CHAR(36), "
    "router_name VARCHAR(265), product_name VARCHAR(128), address VARCHAR(256), version VARCHAR(12), "
    "last_check_in TIMESTAMP NULL, attributes JSON, options JSON)",
)


def statements(members: Sequence[Mysql], group: str) -> list[str]:
    """Return SQL that describes the members of a group; run on its primary, it replicates to all members."""
    rows = ", ".join(_row(number, member) for number, member in enumerate(members, start=1))
    return [
        *_TABLES,
        f"INSERT INTO {_SCHEMA}.v2_gr_clusters VALUES ('{_CLUSTER_ID}', '{CLUSTER}', 'gr', "
        f"IF(@@group_replication_single_primary_mode, 'pm', 'mm'), '{group}', '{{}}', '{{}}', '{{}}', "
        "NULL, NULL)",
        f"INSERT INTO {_SCHEMA}.v2_instances VALUES {rows}",
        f"INSERT INTO {_SCHEMA}.v2_routers (router_id, cluster_id, router_name, product_name, address) "
        f"VALUES ({ROUTER_ID}, '{_CLUSTER_ID}', 'proxy', 'MySQL Router', 'proxy')",
    ]


def _row(number: int, member: Mysql) -> str:
    attributes = json.dumps({"server_id": number})
    x = f"{member.host.address}:{_X_PORT}"
    return (
        f"({number}, '{_CLUSTER_ID}', '{member.name}', '{member.uuid}', '{member.endpoint}', "
        f"'{member.endpoint}', '{x}', '{attributes}')"
    )


def account(user: str, password: str) -> list[str]:
    """Return SQL that creates Router's account, with the rights that the manual lists."""
    seen = (
        "replication_group_members",
        "replication_group_member_stats",
        "global_variables",
        "global_status",
    )
    return [
        f"CREATE USER {user}@'%' IDENTIFIED WITH caching_sha2_password BY '{password}'",
        f"GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE ON {_SCHEMA}.* TO {user}@'%'",
        *(f"GRANT SELECT ON performance_schema.{table} TO {user}@'%'" for table in seen),
    ]


def by_shell(primary: Server) -> None:
    """Let MySQL Shell of this machine adopt the group, and register the Router.

    Raises:
        FiveninesError: it failed; with its last output.
    """
    place = f"{REPLICATION}@{primary.endpoint}"
    script = f"dba.createCluster('{CLUSTER}', {{adoptFromGR: true}})"
    command = ["mysqlsh", "--js", "--no-wizard", "--passwords-from-stdin", f"--uri={place}"]
    done = subprocess.run(
        primary.host.commands.outside([*command, "--execute", script]),
        input=f"{primary.passwords.replication}\n",
        capture_output=True,
        text=True,
        timeout=120.0,
        check=False,
    )
    if done.returncode != 0:
        raise FiveninesError(f"MySQL Shell could not adopt the group: {done.stderr.strip()[-500:]}")
    primary.sql.execute(
        f"INSERT INTO {_SCHEMA}.routers (router_id, router_name, product_name, address, cluster_id) "
        f"SELECT {ROUTER_ID}, 'proxy', 'MySQL Router', 'proxy', cluster_id FROM {_SCHEMA}.clusters"
    )
