"""The table of a stack's rows: one for each program and run, dropped when it has been read."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from fivenines.load.stacks.protocol import Task

# Opens a connection to the writable server, with a timeout in seconds for statements.
Connect = Callable[[float], AbstractContextManager[Any]]

# Statements take long on a busy server, or while a cluster recovers.
_SECONDS = 30.0

# No unique key on n, except as an idempotency key: an operation that was committed twice has two rows.
_COLUMNS = {
    "postgres": "id bigserial PRIMARY KEY, n bigint NOT NULL, attempt integer NOT NULL",
    "mysql": "id bigint AUTO_INCREMENT PRIMARY KEY, n bigint NOT NULL, attempt integer NOT NULL",
}


# With a unique key on n, the end of an INSERT of an operation that may have its row already.
_SUFFIXES = {"postgres": "ON CONFLICT (n) DO NOTHING", "mysql": "ON DUPLICATE KEY UPDATE n = n"}


def suffix(driver: str, idempotent: bool) -> str:
    """Return the end of INSERT statements; with an idempotency key a repeated one changes nothing."""
    return _SUFFIXES[driver] if idempotent else ""


def create(connect: Connect, task: Task, owner: str = "") -> None:
    """Create the table of a stack; for an `owner` where the connection is not its own."""
    driver, table = task.driver, task.table
    key = ", UNIQUE (n)" if task.suffix else ""
    _execute(connect, f"CREATE TABLE {table} ({_COLUMNS[driver]}{key})")
    # Accounts of MariaDB and MySQL have rights in the whole database.
    if owner and driver == "postgres":
        _execute(connect, f"ALTER TABLE {table} OWNER TO {owner}")


def drop(connect: Connect, driver: str, table: str) -> None:
    """Drop the table.

    PostgreSQL waits for no standby: one may be gone for good, and no timeout ends the wait of a commit.
    """
    before = ["SET synchronous_commit TO local"] if driver == "postgres" else []
    _execute(connect, *before, f"DROP TABLE IF EXISTS {table}")


def counted(connect: Connect, table: str) -> dict[int, int]:
    """Return the number of rows of each operation."""
    with connect(_SECONDS) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT n, count(*) FROM {table} GROUP BY n")
        return {int(n): int(number) for n, number in cursor.fetchall()}


def _execute(connect: Connect, *statements: str) -> None:
    with connect(_SECONDS) as connection, connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(sql)
        connection.commit()
