"""`sqlalchemy-asyncpg`: SQLAlchemy's pool over asyncpg."""

from typing import ClassVar

from fivenines.load.stacks.stack import PythonStack


class SqlalchemyAsyncpg(PythonStack):
    """SQLAlchemy's pool over asyncpg."""

    name = "sqlalchemy-asyncpg"
    description = "SQLAlchemy's pool over asyncpg"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {
        "connect.timeout": 2,
        "connect.command_timeout": 5,
        "pool.pool_pre_ping": True,
        "pool.pool_timeout": 5,
    }
    documentation = (
        "docs.sqlalchemy.org/en/21/core/pooling.html#dealing-with-disconnects; "
        "magicstack.github.io/asyncpg/current/api"
    )
