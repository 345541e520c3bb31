"""`tokio-postgres-deadpool`: deadpool-postgres over tokio-postgres (Rust)."""

from typing import ClassVar

from fivenines.load.stacks.stack import RustStack


class TokioPostgresDeadpool(RustStack):
    """deadpool-postgres over tokio-postgres (Rust)."""

    name = "tokio-postgres-deadpool"
    description = "deadpool-postgres over tokio-postgres (Rust)"
    driver = "postgres"
    several_hosts = True
    # `tcp_user_timeout` is in seconds here, and in milliseconds in libpq. A transaction past its deadline is
    # still running on its connection; `verified` detects that.
    recommended: ClassVar = {
        "connect.connect_timeout": 2,
        "connect.tcp_user_timeout": 5,
        "connect.keepalives_idle": 5,
        "connect.keepalives_interval": 1,
        "connect.keepalives_retries": 3,
        "pool.wait_timeout": "5s",
        "pool.create_timeout": "5s",
        "pool.recycle_timeout": "2s",
        "pool.recycling_method": "verified",
        "pool.transaction_timeout": "5s",
    }
    documentation = (
        "docs.rs/tokio-postgres/latest/tokio_postgres/config/struct.Config.html; "
        "docs.rs/deadpool-postgres; docs.rs/tokio/latest/tokio/time/fn.timeout.html"
    )
