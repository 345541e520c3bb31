"""`asyncpg-pool`: asyncpg with its own pool."""

from typing import ClassVar

from fivenines.load.stacks.stack import PythonStack


class AsyncpgPool(PythonStack):
    """asyncpg with its own pool."""

    name = "asyncpg-pool"
    description = "asyncpg with its own pool"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {"connect.timeout": 2, "connect.command_timeout": 5, "pool.acquire_timeout": 5}
    documentation = "magicstack.github.io/asyncpg/current/api"
