"""Failover of PostgreSQL streaming replication (manual, 26.3: pg_promote)."""

import contextlib
import math
import os
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any, LiteralString

from fivenines.base.drivers import psycopg
from fivenines.servers.base import REPLICATION
from fivenines.servers.control import Address, Control, ServerFullError
from fivenines.servers.postgres.opened import opened
from fivenines.servers.postgres.server import conninfo, synchronous_names

# 53300, too_many_connections (PostgreSQL manual, appendix A), in the words of the server and of PgBouncer.
_FULL = re.compile(r"too many (?:clients|connections)|remaining connection slots|no more connections allowed")


class PostgresControl(Control):
    """Operations by SQL only."""

    def check(self, address: Address) -> str:
        try:
            with self._connect(address) as connection, _within(connection, self.timeout):
                row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
        except TimeoutError as late:
            return str(late)
        except psycopg.Error as error:
            # A refused login has no SQLSTATE in psycopg; the lab's servers speak English.
            if _FULL.search(str(error)):
                raise ServerFullError(str(error).strip().splitlines()[-1]) from error
            return str(error).strip().splitlines()[0]
        return "it is a standby" if row == (True,) else ""

    def position(self, address: Address) -> int | None:
        statement = (
            "SELECT pg_wal_lsn_diff(GREATEST(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), "
            "'0/0')::bigint WHERE pg_is_in_recovery()"
        )
        position = self._value(address, statement)
        return None if position is None else int(position)

    def uptime(self, address: Address) -> float | None:
        statement = "SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8"
        uptime = self._value(address, statement)
        return None if uptime is None else float(uptime)

    def promote(self, address: Address, others: Sequence[str]) -> None:
        names = synchronous_names(others, **self.facts)
        with self._connect(address) as connection:
            # Before any reload: a reload wakes the startup process, which looks for the dead primary once
            # more and then sleeps for wal_retrieve_retry_interval before it notices the promotion.
            row = connection.execute("SELECT pg_promote(true, 60)").fetchone()
            if row != (True,):
                raise RuntimeError("pg_promote did not finish within 60 s")
            connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'".encode())
            connection.execute("SELECT pg_reload_conf()")

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        with self._connect(address) as connection:
            value = conninfo(primary[0], name)
            connection.execute(f"ALTER SYSTEM SET primary_conninfo = '{value}'".encode())
            connection.execute("SELECT pg_reload_conf()")

    def demote(self, address: Address) -> int | None:
        return None

    def undo_demote(self, address: Address) -> None:
        """Do nothing: a stop demotes it, and it is writable after the next start."""

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        self.repoint(address, name, primary)

    def _value(self, address: Address, statement: LiteralString) -> Any:
        """Return the only value of a statement; None without one, or without an answer in time."""
        try:
            with self._connect(address) as connection, _within(connection, self.timeout):
                row = connection.execute(statement).fetchone()
        except (psycopg.Error, TimeoutError):
            return None
        return None if row is None else row[0]

    def _connect(self, address: Address) -> "psycopg.Connection[Any]":
        host, port = address
        return opened(
            host=host,
            port=port,
            user=REPLICATION,
            password=self.password,
            dbname="postgres",
            connect_timeout=max(1, math.ceil(self.timeout)),
            tcp_user_timeout=round(self.timeout * 1000),
            autocommit=True,
        )


@contextlib.contextmanager
def _within(connection: "psycopg.Connection[Any]", seconds: float) -> Iterator[None]:
    """Break the connection after this time: libpq waits for an answer for ever if the server stands still.

    Raises:
        TimeoutError: there was no answer in this time.
    """
    other = socket.socket(fileno=os.dup(connection.fileno()))
    late = threading.Event()

    def end() -> None:
        late.set()
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)

    bound = threading.Timer(seconds, end)
    bound.start()
    try:
        yield
    except psycopg.Error as error:
        if late.is_set():
            raise TimeoutError(f"no answer within {seconds:g} s") from error
        raise
    finally:
        bound.cancel()
        bound.join()
        other.close()
