"""Read a server's state as a replica.

It takes a privilege: REPLICA MONITOR in MariaDB, REPLICATION CLIENT in MySQL.
"""

from collections.abc import Mapping
from typing import Any

from fivenines.servers.counters import Omitted
from fivenines.servers.session import RefusedError, Session

# Its name since MariaDB 10.5 and MySQL 8.0.22, and its former name.
_STATEMENTS = ("SHOW REPLICA STATUS", "SHOW SLAVE STATUS")

LAG = "lag as a replica (SHOW REPLICA STATUS)"


def replica_status(session: Session, omitted: Omitted) -> Mapping[str, Any]:
    """Return the state by column; empty if it follows no primary, or does not show whether it does.

    `omitted` gets the reason of a server that does not show it.
    """
    if LAG in omitted:
        return {}
    refusals = []
    for statement in _STATEMENTS:
        try:
            rows = session.ask(statement).mappings()
        except RefusedError as refusal:
            refusals.append(str(refusal))
        else:
            return rows[0] if rows else {}
    omitted[LAG] = refusals[0]
    return {}
