"""The program of the Python client stacks: reads its task, starts the workers, ends with its input."""

import sys
import threading
import traceback

from . import lines, tasks, threads
from .lines import Task

KINDS = {
    "psycopg-pool": threads.psycopg_pools,
    "sqlalchemy-psycopg": threads.sqlalchemy_psycopg,
    "sqlalchemy-pymysql": threads.sqlalchemy_pymysql,
    "asyncpg-pool": tasks.asyncpg_pool,
    "sqlalchemy-asyncpg": tasks.sqlalchemy_asyncpg,
}


def main(kind: str) -> None:
    """Run a stack until standard input ends."""
    task = Task.read()

    def start() -> None:
        try:
            KINDS[kind](task)
        except BaseException as error:  # the program must not go on without its workers
            if not isinstance(error, SystemExit):
                traceback.print_exc()
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
            lines.fail()

    threading.Thread(target=start, daemon=True).start()
    lines.live_until_the_end()
