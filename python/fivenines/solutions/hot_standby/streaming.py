"""What solutions with PostgreSQL's streaming replication share: durability, lag, stalled standbys."""

from collections.abc import Callable

from fivenines.base.waiting import wait_until
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.switchover import Stalling
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.durability import DurabilitySettings


def commit_level(durability: DurabilitySettings, level: str) -> str:
    """Return the synchronous_commit of a starting node: the strict one until its role is known."""
    if not durability.by_role:
        return level
    return str(Postgres.durability(durability.at_start)["synchronous_commit"])


class ReplayStalling(Stalling[Postgres]):
    """Pauses the replay of the log."""

    def stall(self, node: Postgres) -> str:
        node.sql.execute("SELECT pg_wal_replay_pause()")
        wait_until(
            lambda: "" if _replay(node) == "paused" else _replay(node),
            5.0,
            f"{node.name}: replay was not paused",
        )
        return "pg_wal_replay_pause()"

    def unstall(self, node: Postgres) -> str:
        node.sql.execute("SELECT pg_wal_replay_resume()")
        state = _replay(node)
        return "" if state == "not paused" else f"replay is {state}"


class StreamingMembership(Membership[Postgres]):
    """A member receives the primary's log; a commit may wait for it."""

    def lag_reason(self, node: Postgres) -> str:
        return self.written()(node)

    def written(self) -> Callable[[Postgres], str]:
        primary = self.cluster.roles.certain_primary()
        if primary is None:
            return lambda _node: ""
        ((position,),) = primary.sql.query("SELECT pg_current_wal_lsn()::text")

        def lacking(node: Postgres) -> str:
            if node is primary:
                return ""
            ((behind,),) = node.sql.query(
                f"SELECT pg_wal_lsn_diff('{position}', pg_last_wal_replay_lsn())::bigint"
            )
            return f"{node.name} has {behind} bytes of log to replay" if behind > 0 else ""

        return lacking

    def not_joined_reason(self, node: Postgres) -> str:
        if not node.answers():
            return f"{node.name} does not answer"
        primary = self.cluster.roles.certain_primary()
        if primary is None:
            return "there is no primary"
        if node.writable():
            return self.cluster.roles.second_primary_reason(node)
        upstream = self.upstream(node, primary)
        if upstream is None or not (upstream is primary or upstream.answers()):
            return f"{node.name} follows a server that does not answer"
        return self.not_streaming_reason(node, upstream)

    def not_streaming_reason(self, node: Postgres, upstream: Postgres) -> str:
        """Return why a node does not receive the log of another one; empty if it does."""
        rows = upstream.sql.query(
            f"SELECT state, sync_state FROM pg_stat_replication WHERE application_name = '{node.name}'"
        )
        if not rows:
            return f"{node.name} is not connected to {upstream.name}"
        state, sync = rows[0]
        if state != "streaming":
            return f"{node.name} is in state {state}"
        awaited = self._is_awaited(node) and sync == "async"
        return f"{node.name} is not synchronous yet" if awaited else ""

    def upstream(self, node: Postgres, primary: Postgres) -> Postgres | None:
        """Return the node that a standby should stream from; None: none of these nodes."""
        return primary

    def _is_awaited(self, node: Postgres) -> bool:
        """Return whether commits may wait for this node."""
        return False


def _replay(node: Postgres) -> str:
    return str(node.sql.query("SELECT pg_get_wal_replay_pause_state()")[0][0])
