"""Physical replication slots: what a server keeps its log for (PostgreSQL 18 manual, 26.2.6)."""

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
    """The name of a node's slot: lower-case letters, digits and underscores are allowed."""
    return node.lower().replace("-", "_").replace(".", "_")


def renew(server: Postgres, others: Sequence[str]) -> None:
    """One slot for each of these, new ones but where one is in use.

    A new slot keeps nothing until somebody has used it: a standby can have one for each that may follow it.
    """
    server.execute(_UNUSED, *(_NEW.format(named(other)) for other in others))
