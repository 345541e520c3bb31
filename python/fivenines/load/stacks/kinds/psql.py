"""`psql`: psql, a process for each transaction (libpq)."""

from typing import ClassVar

from fivenines.load.stacks.stack import LIBPQ_BOUNDS, PsqlStack


class Psql(PsqlStack):
    """psql, a process for each transaction (libpq)."""

    name = "psql"
    description = "psql, a process for each transaction (libpq)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {**LIBPQ_BOUNDS, "pool.transaction_timeout": "5s"}
    documentation = "postgresql.org/docs/18/libpq-connect.html; postgresql.org/docs/18/app-psql.html"
