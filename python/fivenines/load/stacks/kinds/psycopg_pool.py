"""`psycopg-pool`: psycopg 3 with psycopg_pool."""

from typing import ClassVar

from fivenines.load.stacks.runtime import PythonRuntime
from fivenines.load.stacks.stack import Stack


class PsycopgPool(Stack):
    """psycopg 3 with psycopg_pool."""

    name = "psycopg-pool"
    description = "psycopg 3 with psycopg_pool"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {
        "connect.connect_timeout": 2,
        "connect.tcp_user_timeout": 5000,
        "connect.keepalives_idle": 5,
        "connect.keepalives_interval": 1,
        "connect.keepalives_count": 3,
        "pool.timeout": 5,
        "pool.check": True,
    }
    documentation = (
        "psycopg.org/psycopg3/docs/advanced/pool.html; libpq: postgresql.org/docs/18/libpq-connect.html"
    )

    @property
    def runtime(self) -> PythonRuntime:
        return PythonRuntime()

    def command(self) -> list[str]:
        return self.runtime.command(self.name)
