"""Group Replication of a MySQL server: state and statements.

Sources: MySQL 9 reference manual, "Group Replication": "The replication_group_members Table", "Restarting a
Group", "Network Partitioning".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fivenines.servers.base import REPLICATION
from fivenines.servers.sql import Rows

# Port of the group communication.
GROUP_PORT = 33061

MEMBERS = (
    "SELECT MEMBER_HOST, MEMBER_STATE, MEMBER_ROLE, MEMBER_ID = @@server_uuid "
    "FROM performance_schema.replication_group_members"
)

# What a member has executed or certified: a certified transaction is never discarded.
POSITION = (
    "SELECT GTID_SUBTRACT(CONCAT_WS(',', NULLIF(@@global.gtid_executed, ''), "
    "(SELECT NULLIF(RECEIVED_TRANSACTION_SET, '') FROM performance_schema.replication_connection_status "
    "WHERE CHANNEL_NAME = 'group_replication_applier')), '')"
)

WAITING = (
    "SELECT COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE "
    "FROM performance_schema.replication_group_member_stats WHERE MEMBER_ID = @@server_uuid"
)

LEAVE = "STOP GROUP_REPLICATION"
# At run time only: in a configuration file it would make the member clone itself at every restart.
CLONE_ONCE = "SET GLOBAL group_replication_clone_threshold = 1"


def join(password: str) -> str:
    """Return the statement that makes a server a member; its recovery account is not stored on disk."""
    return f"START GROUP_REPLICATION USER='{REPLICATION}', PASSWORD='{password}'"


def bootstrap(password: str) -> list[str]:
    """Return statements that make a server a group of one."""
    switch = "SET GLOBAL group_replication_bootstrap_group"
    return [f"{switch} = ON", join(password), f"{switch} = OFF"]


def force(addresses: Iterable[str]) -> list[str]:
    """Return statements with which a blocked member makes these members the whole group."""
    members = ",".join(f"{address}:{GROUP_PORT}" for address in addresses)
    switch = "SET GLOBAL group_replication_force_members"
    return [f"{switch} = '{members}'", f"{switch} = ''"]


@dataclass(frozen=True)
class Group:
    """The group as one member sees it: own state and role, and the state of each member by host."""

    state: str
    role: str
    members: dict[str, str]
    primary: str

    @property
    def majority(self) -> bool:
        """Return whether this member reaches a majority of all members."""
        reached = [state for state in self.members.values() if state != "UNREACHABLE"]
        return self.state in ("ONLINE", "RECOVERING") and 2 * len(reached) > len(self.members)

    @property
    def working(self) -> bool:
        """Return whether this member takes part, with all data, in a group that can commit."""
        return self.state == "ONLINE" and self.majority


def group_of(rows: Rows) -> Group:
    """Return the group from the rows of `MEMBERS`."""
    own = next((row for row in rows if row[3]), ("", "OFFLINE", "", 1))
    members = {str(row[0]): str(row[1]) for row in rows if row[0]}
    primary = next((str(row[0]) for row in rows if row[2] == "PRIMARY"), "")
    return Group(str(own[1]), str(own[2]), members, primary)


def transactions(gtids: str) -> int:
    """Return the number of transactions in a set of GTIDs: uuid:1-5:7, comma, the next uuid."""
    return sum(
        _length(interval)
        for part in gtids.replace("\n", "").split(",")
        for interval in part.split(":")[1:]
        # A tag is between UUID and intervals (MySQL 8.3 and newer).
        if interval.strip()[:1].isdigit()
    )


def _length(interval: str) -> int:
    first, _, last = interval.strip().partition("-")
    return int(last or first) - int(first) + 1


def advice(words: Sequence[str]) -> str:
    """Return what to do if the log names a known reason why a member does not join; else empty."""
    text = "\n".join(words)
    return next((way for message, way in _WAYS if message in text), "")


_WAYS = (
    (
        "version is incompatible with the group",
        "its version is lower than the group's: give all members one version, or set "
        "group_replication_allow_local_lower_version_join",
    ),
    (
        "more executed transactions",
        "it has transactions that the group does not have: restore it from the group's data",
    ),
    ("group_replication_group_name", "its group_replication_group_name is not the group's"),
)
