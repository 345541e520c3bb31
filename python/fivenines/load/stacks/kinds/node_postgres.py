"""`node-postgres`: pg with its own pool (Node.js)."""

from typing import ClassVar

from fivenines.load.stacks.stack import NodeStack


class NodePostgres(NodeStack):
    """pg with its own pool (Node.js)."""

    name = "node-postgres"
    description = "pg with its own pool (Node.js)"
    driver = "postgres"
    several_hosts = False
    # Without listeners an error of any connection ends the program. A client whose query timed out still
    # waits for it.
    recommended: ClassVar = {
        "connect.query_timeout": 5000,
        "connect.keepAlive": True,
        "pool.connectionTimeoutMillis": 2000,
        "pool.error_listener": "clients",
        "pool.destroy_failed": True,
    }
    documentation = "node-postgres.com/apis/pool; node-postgres.com/apis/client"
