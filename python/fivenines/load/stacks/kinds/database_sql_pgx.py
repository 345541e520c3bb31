"""`database-sql-pgx`: database/sql's pool over pgx (Go)."""

from typing import ClassVar

from fivenines.load.stacks.stack import GoStack


class DatabaseSqlPgx(GoStack):
    """database/sql's pool over pgx (Go)."""

    name = "database-sql-pgx"
    description = "database/sql's pool over pgx (Go)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {
        "connect.connect_timeout": 2,
        "pool.context_timeout": "5s",
        "pool.max_idle_conns": 4,
        "pool.conn_max_lifetime": "3m",
    }
    documentation = "go.dev/doc/database/cancel-operations; go.dev/doc/database/manage-connections"
