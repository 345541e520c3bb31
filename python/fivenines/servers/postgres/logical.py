"""A logical subscriber that outlives a failover of its publisher: failover slots (PostgreSQL 17 and newer).

Source: PostgreSQL 18 manual, chapter 29 (Logical Replication), 29.3 (Logical Replication Failover), 47.2.3
(Replication Slot Synchronization).
"""

from collections.abc import Mapping, Sequence

from fivenines.base.drivers import psycopg
from fivenines.base.errors import FiveninesError
from fivenines.servers.base import DATABASE, REPLICATION, Value
from fivenines.servers.postgres.accounts import PASSFILE
from fivenines.servers.postgres.server import Postgres

# Name of the publication, the subscription, and its slot.
SLOT = "subscriber"

_OLDEST = 170000

_OWN_TABLES = (
    # The same tables that the load creates if missing (crates/load, ledger and probes), as DDL is not
    # replicated.
    "CREATE TABLE IF NOT EXISTS fivenines_ledger "
    "(id BIGINT PRIMARY KEY, client INT NOT NULL, executed_us BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS fivenines_ledger_client ON fivenines_ledger (client, id)",
    "CREATE TABLE IF NOT EXISTS fivenines_probes (id BIGINT PRIMARY KEY)",
)

# Settings of the nodes that can be the publisher.
PUBLISHING: Mapping[str, Value] = {
    "wal_level": "logical",
    # A standby needs this to keep a copy of the slot, which the subscriber uses after a failover.
    "sync_replication_slots": True,
    "hot_standby_feedback": True,
}

# Settings of the subscriber.
SUBSCRIBING: Mapping[str, Value] = {
    # Refuse clients, and clients that look for the primary; changes from the publisher are applied all the
    # same.
    "default_transaction_read_only": True,
    "wal_retrieve_retry_interval": "500ms",
    "wal_receiver_status_interval": "1s",
}


def require(server: Postgres) -> None:
    """Check that a server supports failover slots.

    Raises:
        FiveninesError: it is too old.
    """
    ((version,),) = server.sql.query("SHOW server_version_num")
    if int(version) < _OLDEST:
        raise FiveninesError(
            f"subscriber: failover slots need PostgreSQL 17, but {server.name} has {int(version) // 10000}: "
            "choose another engine, or leave subscriber out"
        )


def join(publisher: Postgres, publishers: Sequence[Postgres], subscriber: Postgres) -> None:
    """Make a server with the same rows follow whichever of these publishers is writable."""
    owner = "ALTER TABLE {0} OWNER TO app"
    tables = ("fivenines_ledger", "fivenines_probes")
    for server in (publisher, subscriber):
        _do(server, *_OWN_TABLES, *(owner.format(table) for table in tables))
    _do(publisher, f"CREATE PUBLICATION {SLOT} FOR ALL TABLES")
    hosts = ",".join(node.host.address for node in publishers)
    conninfo = (
        f"host={hosts} port={Postgres.port} target_session_attrs=read-write dbname={DATABASE} "
        f"user={REPLICATION} passfile={PASSFILE} application_name={subscriber.name} connect_timeout=2 "
        "keepalives_idle=2 keepalives_interval=1 keepalives_count=3"
    )
    _do(
        subscriber,
        f"CREATE SUBSCRIPTION {SLOT} CONNECTION '{conninfo}' PUBLICATION {SLOT} "
        f"WITH (copy_data = false, failover = true, slot_name = {SLOT})",
    )


def slot_reason(standby: Postgres) -> str:
    """Return why a standby could not serve the subscriber after a promotion; empty if it can."""
    rows = standby.sql.query(
        f"SELECT synced AND NOT temporary FROM pg_replication_slots WHERE slot_name = '{SLOT}'"
    )
    return "" if rows == [(True,)] else f"{standby.name} has no copy of the slot yet"


def lag_reason(publisher: Postgres, subscriber: Postgres, position: str) -> str:
    """Return what a subscriber still has to apply of the log up to a position; empty if nothing."""
    rows = publisher.sql.query(
        f"SELECT pg_wal_lsn_diff('{position}', replay_lsn)::bigint FROM pg_stat_replication "
        f"WHERE application_name = '{subscriber.name}'"
    )
    if not rows or rows[0][0] is None:
        return f"{subscriber.name} is not connected to {publisher.name}"
    return f"{subscriber.name} has {rows[0][0]} bytes of log to apply" if rows[0][0] > 0 else ""


def _do(server: Postgres, *statements: str) -> None:
    with server.sql.open_data(30.0) as connection:
        connection.execute("SET default_transaction_read_only = off")
        for statement in statements:
            try:
                connection.execute(statement.encode())
            except psycopg.Error as error:
                raise FiveninesError(f"{server.name}: {error}") from error
