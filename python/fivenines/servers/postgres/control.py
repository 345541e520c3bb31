"""Failover of PostgreSQL streaming replication (manual, 26.3: pg_promote)."""

import math
from collections.abc import Sequence
from typing import Any

from fivenines.base.drivers import psycopg
from fivenines.servers.base import REPLICATION
from fivenines.servers.control import Address, Control
from fivenines.servers.postgres.server import conninfo, synchronous_names


class PostgresControl(Control):
    """Operations by SQL only."""

    def check(self, address: Address) -> str:
        try:
            with self._connect(address) as connection:
                row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
        except psycopg.Error as error:
            return str(error).strip().splitlines()[0]
        return "it is a standby" if row == (True,) else ""

    def position(self, address: Address) -> int | None:
        statement = (
            "SELECT pg_wal_lsn_diff(GREATEST(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), "
            "'0/0')::bigint WHERE pg_is_in_recovery()"
        )
        try:
            with self._connect(address) as connection:
                row = connection.execute(statement).fetchone()
        except psycopg.Error:
            return None
        return None if row is None or row[0] is None else int(row[0])

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

    def _connect(self, address: Address) -> "psycopg.Connection[Any]":
        host, port = address
        return psycopg.connect(
            host=host,
            port=port,
            user=REPLICATION,
            password=self.password,
            dbname="postgres",
            connect_timeout=max(1, math.ceil(self.timeout)),
            tcp_user_timeout=round(self.timeout * 1000),
            autocommit=True,
        )
