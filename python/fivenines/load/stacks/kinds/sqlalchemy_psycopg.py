"""`sqlalchemy-psycopg`: SQLAlchemy's pool over psycopg 3."""

from typing import ClassVar

from fivenines.load.stacks.runtime import PythonRuntime
from fivenines.load.stacks.stack import Stack


class SqlalchemyPsycopg(Stack):
    """SQLAlchemy's pool over psycopg 3."""

    name = "sqlalchemy-psycopg"
    description = "SQLAlchemy's pool over psycopg 3"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {
        "connect.connect_timeout": 2,
        "connect.tcp_user_timeout": 5000,
        "connect.keepalives_idle": 5,
        "connect.keepalives_interval": 1,
        "connect.keepalives_count": 3,
        "pool.pool_pre_ping": True,
        "pool.pool_timeout": 5,
    }
    documentation = "docs.sqlalchemy.org/en/21/core/pooling.html#dealing-with-disconnects"

    @property
    def runtime(self) -> PythonRuntime:
        return PythonRuntime()

    def command(self) -> list[str]:
        return self.runtime.command(self.name)
