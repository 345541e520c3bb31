"""`mysql2`: mysql2 with its own pool (Node.js)."""

from typing import ClassVar

from fivenines.load.stacks.stack import NodeStack


class Mysql2(NodeStack):
    """mysql2 with its own pool (Node.js)."""

    name = "mysql2"
    description = "mysql2 with its own pool (Node.js)"
    driver = "mysql"
    several_hosts = False
    # A connection whose query timed out still waits for it.
    recommended: ClassVar = {
        "connect.connectTimeout": 2000,
        "pool.query_timeout": 5000,
        "pool.destroy_failed": True,
    }
    documentation = "sidorares.github.io/node-mysql2/docs; github.com/mysqljs/mysql#timeouts"
