"""`psql`: libpq by psql, a new process and connection for each transaction."""

from typing import ClassVar

from fivenines.load.stacks.stack import LIBPQ_BOUNDS, PsqlStack


class Psql(PsqlStack):
    """libpq by psql, a new process and connection for each transaction."""

    name = "psql"
    description = "libpq by psql, a new process and connection for each transaction"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {**LIBPQ_BOUNDS, "pool.transaction_timeout": "5s"}
    documentation = "postgresql.org/docs/18/libpq-connect.html; postgresql.org/docs/18/app-psql.html"
