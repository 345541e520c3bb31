"""Stacks whose workers are threads: psycopg_pool, and SQLAlchemy over psycopg and PyMySQL."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import psycopg
import psycopg_pool
import pymysql
import sqlalchemy

from . import lines
from .engines import counters
from .lines import Attempt, Task

# Borrows a connection of the pool; its `insert` writes the row and its `commit` commits.
Borrow = Callable[[], AbstractContextManager[Any]]


def run(task: Task, borrow: Borrow, insert: Callable[[Any, int, int], None]) -> None:
    """Start the workers, which write until the process ends."""
    for worker in range(task.workers):
        threading.Thread(target=_work, args=(task, worker, borrow, insert), daemon=True).start()


def _work(task: Task, worker: int, borrow: Borrow, insert: Callable[[Any, int, int], None]) -> None:
    n, number = worker, 1
    while True:
        attempt = Attempt(n, worker, number)
        error: BaseException | None = None
        try:
            with borrow() as connection:
                attempt.stage = "work"
                insert(connection, n, number)
                attempt.stage = "commit"
                connection.commit()
                attempt.stage = "release"
        except Exception as raised:  # whatever the stack raises is what the application gets
            error = raised
        committed = attempt.write(error, *described(error))
        n, number = (n, number + 1) if task.repeat and not committed else (n + task.workers, 1)
        time.sleep((task.think_ms if committed else task.pause_ms) / 1000)


def described(error: BaseException | None) -> tuple[str, bool]:
    """Return an error's code, and whether it is the server's answer."""
    # SQLAlchemy keeps the driver's error within its own.
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, psycopg.Error) and cause.sqlstate:
        return cause.sqlstate, lines.answers(cause.sqlstate)
    if isinstance(cause, pymysql.err.MySQLError) and cause.args and isinstance(cause.args[0], int):
        number = cause.args[0]
        # 2000 to 2999 are errors of the client.
        return str(number), number > 0 and not 2000 <= number < 3000 and lines.answers(str(number))
    return type(cause).__name__, False


def psycopg_pools(task: Task) -> None:
    """Run psycopg's own pool."""
    task.require(("connect", "pool"))
    connect, pool = task.settings("connect"), task.settings("pool")
    if pool.pop("check", False):
        pool["check"] = psycopg_pool.ConnectionPool.check_connection
    sizes = {"min_size": task.workers, "max_size": task.workers}
    opened = psycopg_pool.ConnectionPool(kwargs={**account(task), **connect}, open=True, **{**sizes, **pool})
    opened.wait(timeout=60.0)
    sql = f"INSERT INTO {task.table} (n, attempt) VALUES (%s, %s) {task.suffix}"

    def counted() -> dict[str, int]:
        numbers = opened.get_stats()
        created = numbers.get("connections_num", 0) - numbers.get("connections_errors", 0)
        return {"open": numbers["pool_size"], "idle": numbers["pool_available"], "created": created}

    lines.ready(f"psycopg {psycopg.__version__}, psycopg_pool {psycopg_pool.__version__}", counted)
    run(task, opened.connection, lambda link, n, number: link.execute(sql, (n, number)))


def account(task: Task) -> dict[str, Any]:
    """Return the arguments of libpq; of several hosts it looks for the writable one."""
    hosts = task.hosts
    several = {"target_session_attrs": "read-write"} if len(hosts) > 1 else {}
    return {
        "host": ",".join(host for host, _ in hosts),
        "port": ",".join(port for _, port in hosts),
        "user": task.user,
        "password": task.password,
        "dbname": task.database,
        **several,
    }


def sqlalchemy_psycopg(task: Task) -> None:
    """Run SQLAlchemy's pool over psycopg."""
    _sqlalchemy(task, "postgresql+psycopg://", account(task), f"psycopg {psycopg.__version__}")


def sqlalchemy_pymysql(task: Task) -> None:
    """Run SQLAlchemy's pool over PyMySQL."""
    ((host, port), *_) = task.hosts
    known = {"host": host, "port": int(port), "user": task.user, "password": task.password}
    _sqlalchemy(
        task, "mysql+pymysql://", {**known, "database": task.database}, f"PyMySQL {pymysql.__version__}"
    )


def _sqlalchemy(task: Task, url: str, known: dict[str, Any], driver: str) -> None:
    task.require(("connect", "pool"))
    sizes = {"pool_size": task.workers, "max_overflow": 0}
    engine = sqlalchemy.create_engine(
        url, connect_args={**known, **task.settings("connect")}, **{**sizes, **task.settings("pool")}
    )
    statement = sqlalchemy.text(f"INSERT INTO {task.table} (n, attempt) VALUES (:n, :attempt) {task.suffix}")

    def insert(link: Any, n: int, number: int) -> None:
        link.execute(statement, {"n": n, "attempt": number})

    counted = counters(engine)
    with engine.connect() as link:
        link.execute(sqlalchemy.text("SELECT 1"))
    lines.ready(f"SQLAlchemy {sqlalchemy.__version__}, {driver}", counted)
    run(task, engine.connect, insert)
