"""`database-sql-pgx`: database/sql's pool over pgx (Go)."""

from typing import ClassVar

from fivenines.load.stacks.stack import DATABASE_SQL_BOUNDS, GoStack


class DatabaseSqlPgx(GoStack):
    """database/sql's pool over pgx (Go)."""

    name = "database-sql-pgx"
    description = "database/sql's pool over pgx (Go)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {"connect.connect_timeout": 2, **DATABASE_SQL_BOUNDS}
    documentation = "go.dev/doc/database/cancel-operations; go.dev/doc/database/manage-connections"
