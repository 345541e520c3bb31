"""`pgx-pool`: pgx with its own pool (Go)."""

from typing import ClassVar

from fivenines.load.stacks.stack import GoStack


class PgxPool(GoStack):
    """pgx with its own pool (Go)."""

    name = "pgx-pool"
    description = "pgx with its own pool (Go)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {"connect.connect_timeout": 2, "pool.context_timeout": "5s"}
    documentation = "pkg.go.dev/github.com/jackc/pgx/v5/pgxpool; pkg.go.dev/context"
