"""`sqlalchemy-pymysql`: SQLAlchemy's pool over PyMySQL."""

from typing import ClassVar

from fivenines.load.stacks.stack import PythonStack


class SqlalchemyPymysql(PythonStack):
    """SQLAlchemy's pool over PyMySQL."""

    name = "sqlalchemy-pymysql"
    description = "SQLAlchemy's pool over PyMySQL"
    driver = "mysql"
    several_hosts = False
    recommended: ClassVar = {
        "connect.connect_timeout": 2,
        "connect.read_timeout": 5,
        "connect.write_timeout": 5,
        "pool.pool_pre_ping": True,
        "pool.pool_timeout": 5,
    }
    documentation = (
        "docs.sqlalchemy.org/en/21/core/pooling.html#dealing-with-disconnects; pymysql.readthedocs.io"
    )
