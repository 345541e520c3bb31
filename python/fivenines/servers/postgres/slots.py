"""Physical replication slots, with which a server retains its log (PostgreSQL 18 manual, 26.2.6)."""

from collections.abc import Sequence

from fivenines.servers.postgres.server import Postgres

_UNUSED = (
    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
    "WHERE NOT active AND slot_type = 'physical'"
)
_NEW = (
    "SELECT pg_create_physical_replication_slot('{0}') WHERE NOT EXISTS "
    "(SELECT FROM pg_replication_slots WHERE slot_name = '{0}')"
)


def named(node: str) -> str:
    """Return the name of a node's slot: lower-case letters, digits and underscores are allowed."""
    return node.lower().replace("-", "_").replace(".", "_")


def renew(server: Postgres, others: Sequence[str]) -> None:
    """Create a new slot for each of these nodes, unless its slot is in use.

    A new slot retains nothing until it is used: a standby can have one for each node that may follow it.
    """
    server.sql.execute(_UNUSED, *(_NEW.format(named(other)) for other in others))
