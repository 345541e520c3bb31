"""`sqlx-postgres`: sqlx with its own pool, on PostgreSQL (Rust)."""

from typing import ClassVar

from fivenines.load.stacks.stack import SQLX_BOUNDS, RustStack


class SqlxPostgres(RustStack):
    """sqlx with its own pool, on PostgreSQL (Rust)."""

    name = "sqlx-postgres"
    description = "sqlx with its own pool, on PostgreSQL (Rust)"
    driver = "postgres"
    several_hosts = False
    recommended: ClassVar = SQLX_BOUNDS
    documentation = (
        "docs.rs/sqlx/0.8/sqlx/pool/struct.PoolOptions.html; docs.rs/tokio/latest/tokio/time/fn.timeout.html"
    )
