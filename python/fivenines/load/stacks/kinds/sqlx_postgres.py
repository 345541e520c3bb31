"""`sqlx-postgres`: sqlx on PostgreSQL, its own pool (Rust)."""

from typing import ClassVar

from fivenines.load.stacks.stack import SQLX_BOUNDS, RustStack


class SqlxPostgres(RustStack):
    """sqlx on PostgreSQL, its own pool (Rust)."""

    name = "sqlx-postgres"
    description = "sqlx on PostgreSQL, its own pool (Rust)"
    driver = "postgres"
    several_hosts = False
    recommended: ClassVar = SQLX_BOUNDS
    documentation = (
        "docs.rs/sqlx/0.8/sqlx/pool/struct.PoolOptions.html; docs.rs/tokio/latest/tokio/time/fn.timeout.html"
    )
