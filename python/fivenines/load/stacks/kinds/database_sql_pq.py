"""`database-sql-pq`: database/sql's pool over lib/pq (Go)."""

from typing import ClassVar

from fivenines.load.stacks.stack import DATABASE_SQL_BOUNDS, GoStack


class DatabaseSqlPq(GoStack):
    """database/sql's pool over lib/pq (Go)."""

    name = "database-sql-pq"
    description = "database/sql's pool over lib/pq (Go)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {"connect.connect_timeout": 2, **DATABASE_SQL_BOUNDS}
    documentation = "pkg.go.dev/github.com/lib/pq; go.dev/doc/database/cancel-operations"
