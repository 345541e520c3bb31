"""Stacks whose workers are asyncio tasks: asyncpg's own pool, and SQLAlchemy over asyncpg."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import asyncpg
import sqlalchemy
from sqlalchemy.ext.asyncio import create_async_engine

from . import lines
from .engines import counters
from .lines import Attempt, Task

# One transaction of the application: moves the attempt from stage to stage.
Transact = Callable[[Attempt], AbstractAsyncContextManager[None]]


async def _run(task: Task, transact: Transact) -> None:
    await asyncio.gather(*(_work(task, worker, transact) for worker in range(task.workers)))


async def _work(task: Task, worker: int, transact: Transact) -> None:
    n, number = worker, 1
    while True:
        attempt = Attempt(n, worker, number)
        error: BaseException | None = None
        try:
            async with transact(attempt):
                pass
        except Exception as raised:  # whatever the stack raises is what the application gets
            error = raised
        committed = attempt.write(error, *described(error))
        n, number = (n, number + 1) if task.repeat and not committed else (n + task.workers, 1)
        await asyncio.sleep((task.think_ms if committed else task.pause_ms) / 1000)


def described(error: BaseException | None) -> tuple[str, bool]:
    """Return an error's code, and whether it is the server's answer."""
    # SQLAlchemy keeps its own copy of asyncpg's error, with the original as the cause.
    cause = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    if state:
        # asyncpg itself gives class 08 to connections that it has lost.
        return str(state), lines.answers(str(state))
    return type(cause).__name__, False


def asyncpg_pool(task: Task) -> None:
    """Run asyncpg's own pool."""
    task.require(("connect", "pool"))
    asyncio.run(_asyncpg(task))


async def _asyncpg(task: Task) -> None:
    pool_settings = task.settings("pool")
    acquire = pool_settings.pop("acquire_timeout", None)
    sizes = {"min_size": task.workers, "max_size": task.workers}
    created = 0

    async def connected(_: Any) -> None:
        nonlocal created
        created += 1

    pool = await asyncpg.create_pool(
        **account(task), **task.settings("connect"), **{**sizes, **pool_settings}, init=connected
    )
    sql = f"INSERT INTO {task.table} (n, attempt) VALUES ($1, $2) {task.suffix}"

    @asynccontextmanager
    async def transact(attempt: Attempt) -> Any:
        async with pool.acquire(timeout=acquire) as link:
            transaction = link.transaction()
            await transaction.start()
            attempt.stage = "work"
            await link.execute(sql, attempt.n, attempt.number)
            attempt.stage = "commit"
            await transaction.commit()
            attempt.stage = "release"
        yield

    def counted() -> dict[str, int]:
        return {"open": pool.get_size(), "idle": pool.get_idle_size(), "created": created}

    lines.ready(f"asyncpg {asyncpg.__version__}", counted)
    await _run(task, transact)


def account(task: Task) -> dict[str, Any]:
    """Return the arguments of asyncpg; of several hosts it looks for the writable one."""
    hosts = task.hosts
    several = {"target_session_attrs": "read-write"} if len(hosts) > 1 else {}
    return {
        "host": [host for host, _ in hosts],
        "port": [int(port) for _, port in hosts],
        "user": task.user,
        "password": task.password,
        "database": task.database,
        **several,
    }


def sqlalchemy_asyncpg(task: Task) -> None:
    """Run SQLAlchemy's pool over asyncpg."""
    task.require(("connect", "pool"))
    asyncio.run(_sqlalchemy(task))


async def _sqlalchemy(task: Task) -> None:
    sizes = {"pool_size": task.workers, "max_overflow": 0}
    engine = create_async_engine(
        "postgresql+asyncpg://",
        connect_args={**account(task), **task.settings("connect")},
        **{**sizes, **task.settings("pool")},
    )
    statement = sqlalchemy.text(f"INSERT INTO {task.table} (n, attempt) VALUES (:n, :attempt) {task.suffix}")

    @asynccontextmanager
    async def transact(attempt: Attempt) -> Any:
        async with engine.connect() as link:
            attempt.stage = "work"
            await link.execute(statement, {"n": attempt.n, "attempt": attempt.number})
            attempt.stage = "commit"
            await link.commit()
            attempt.stage = "release"
        yield

    counted = counters(engine.sync_engine)
    async with engine.connect() as link:
        await link.execute(sqlalchemy.text("SELECT 1"))
    lines.ready(f"SQLAlchemy {sqlalchemy.__version__}, asyncpg {asyncpg.__version__}", counted)
    await _run(task, transact)
