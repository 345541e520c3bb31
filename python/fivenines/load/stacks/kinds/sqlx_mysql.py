"""`sqlx-mysql`: sqlx with its own pool, on MariaDB and MySQL (Rust)."""

from typing import ClassVar

from fivenines.load.stacks.stack import SQLX_BOUNDS, RustStack


class SqlxMysql(RustStack):
    """sqlx with its own pool, on MariaDB and MySQL (Rust)."""

    name = "sqlx-mysql"
    description = "sqlx with its own pool, on MariaDB and MySQL (Rust)"
    driver = "mysql"
    several_hosts = False
    recommended: ClassVar = SQLX_BOUNDS
    documentation = (
        "docs.rs/sqlx/0.8/sqlx/pool/struct.PoolOptions.html; docs.rs/tokio/latest/tokio/time/fn.timeout.html"
    )
