"""`psycopg-pool`: psycopg 3 with psycopg_pool."""

from typing import ClassVar

from fivenines.load.stacks.stack import LIBPQ_BOUNDS, PythonStack


class PsycopgPool(PythonStack):
    """psycopg 3 with psycopg_pool."""

    name = "psycopg-pool"
    description = "psycopg 3 with psycopg_pool"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {**LIBPQ_BOUNDS, "pool.timeout": 5, "pool.check": True}
    documentation = (
        "psycopg.org/psycopg3/docs/advanced/pool.html; libpq: postgresql.org/docs/18/libpq-connect.html"
    )
