"""`sqlx-mysql`: sqlx on MariaDB and MySQL, its own pool (Rust)."""

from typing import ClassVar

from fivenines.load.stacks.stack import SQLX_BOUNDS, RustStack


class SqlxMysql(RustStack):
    """sqlx on MariaDB and MySQL, its own pool (Rust)."""

    name = "sqlx-mysql"
    description = "sqlx on MariaDB and MySQL, its own pool (Rust)"
    driver = "mysql"
    several_hosts = False
    recommended: ClassVar = SQLX_BOUNDS
    documentation = (
        "docs.rs/sqlx/0.8/sqlx/pool/struct.PoolOptions.html; docs.rs/tokio/latest/tokio/time/fn.timeout.html"
    )
