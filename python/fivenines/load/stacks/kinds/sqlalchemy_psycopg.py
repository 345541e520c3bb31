"""`sqlalchemy-psycopg`: SQLAlchemy's pool over psycopg 3."""

from typing import ClassVar

from fivenines.load.stacks.stack import LIBPQ_BOUNDS, PythonStack


class SqlalchemyPsycopg(PythonStack):
    """SQLAlchemy's pool over psycopg 3."""

    name = "sqlalchemy-psycopg"
    description = "SQLAlchemy's pool over psycopg 3"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {**LIBPQ_BOUNDS, "pool.pool_pre_ping": True, "pool.pool_timeout": 5}
    documentation = "docs.sqlalchemy.org/en/21/core/pooling.html#dealing-with-disconnects"
