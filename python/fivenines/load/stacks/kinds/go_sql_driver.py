"""`go-sql-driver`: database/sql's pool over go-sql-driver/mysql (Go)."""

from typing import ClassVar

from fivenines.load.stacks.stack import DATABASE_SQL_BOUNDS, GoStack


class GoSqlDriver(GoStack):
    """database/sql's pool over go-sql-driver/mysql (Go)."""

    name = "go-sql-driver"
    description = "database/sql's pool over go-sql-driver/mysql (Go)"
    driver = "mysql"
    several_hosts = False
    recommended: ClassVar = {
        "connect.timeout": "2s",
        "connect.readTimeout": "5s",
        "connect.writeTimeout": "5s",
        "connect.rejectReadOnly": True,
        **DATABASE_SQL_BOUNDS,
    }
    documentation = "github.com/go-sql-driver/mysql#important-settings; go.dev/doc/database/cancel-operations"
