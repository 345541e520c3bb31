"""Members of a replicating MariaDB or MySQL cluster: who follows whom, and whose history has diverged."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fivenines.base.errors import FiveninesError
from fivenines.load import dataset
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.switchover import Stalling
from fivenines.servers.mysql_family.server import MysqlFamily

if TYPE_CHECKING:
    from fivenines.solutions.replication.solution import Replication


class ApplierStalling(Stalling[MysqlFamily]):
    """Stops the thread that applies what a replica receives."""

    cluster: "Replication"

    def stall(self, node: MysqlFamily) -> str:
        node.sql.execute(self.cluster.sql.stall)
        if node.sql.replica_status()[self.cluster.sql.threads[1]] != "No":
            raise FiveninesError(f"{node.name}: its SQL thread did not stop")
        return self.cluster.sql.stall

    def unstall(self, node: MysqlFamily) -> str:
        node.sql.execute(self.cluster.sql.unstall)
        running = node.sql.replica_status()[self.cluster.sql.threads[1]]
        return "" if running == "Yes" else "its SQL thread does not run"


class ReplicationMembership(Membership[MysqlFamily]):
    """Replicas follow the current primary."""

    cluster: "Replication"

    def __init__(self, cluster: Cluster[MysqlFamily]) -> None:
        super().__init__(cluster)
        # How often each node was restored from the data set.
        self.restored: Counter[str] = Counter()
        # Nodes whose history has diverged from the primary's.
        self._diverged: set[str] = set()

    def rejoin(self, node: MysqlFamily) -> None:
        primary = self.cluster.roles.certain_primary()
        if primary is not None and node.name in self._diverged:
            self.restore_data(node)
        # A replica that died must not continue by itself from its old position.
        node.start(*(self.cluster.sql.rejoin_arguments(self.cluster.semi_synchronous) if primary else []))
        node.wait_ready()
        if primary is None and node is self.cluster.roles.primary_of_record:
            waiting = self.cluster.sql.wait_for_replicas if self.cluster.semi_synchronous else ()
            node.sql.execute(*waiting, *self.cluster.sql.writable)
        elif primary is not None:
            node.sql.execute(*self.cluster.sql.before_following(), *self.cluster.follow(primary))

    def restore_data(self, node: MysqlFamily) -> None:
        """Start from the data set again, as from the last backup; replication supplies the rest.

        The primary's log reaches back to the data set. Transactions that only the node had are discarded, as
        the promotion of the new primary implied.
        """
        dataset.copy(self.cluster.data_set, node)
        self._diverged.discard(node.name)
        self.restored[node.name] += 1
        self.cluster.configuration.write(node)

    def not_joined_reason(self, node: MysqlFamily) -> str:
        if not node.answers():
            return f"{node.name} does not answer"
        if node.writable():
            return self.cluster.roles.second_primary_reason(node)
        state = node.sql.replica_status()
        if not state:
            return f"{node.name} follows no primary"
        error = state["Last_IO_Error"] or state["Last_SQL_Error"]
        if error:
            return f"{node.name}: {error}"
        if not all(state[thread] == "Yes" for thread in self.cluster.sql.threads):
            return f"{node.name} is still connecting"
        return self._misled(state, node) or self._divergence(state, node)

    def unexpected_primary_reason(self, node: MysqlFamily) -> str:
        if not node.answers():
            return ""
        if node.writable():
            return "" if self._supervised else self.cluster.roles.second_primary_reason(node)
        state = node.sql.replica_status()
        if diverged := self._divergence(state, node):
            self._diverged.add(node.name)
            return diverged
        # A manager that starts servers also repoints them, in its own time.
        return "" if self._supervised else self._misled(state, node)

    def _divergence(self, state: dict[str, Any], node: MysqlFamily) -> str:
        primary = self.cluster.roles.certain_primary()
        if primary is None or primary is node:
            return ""
        if not self.cluster.sql.diverged(node, primary, state):
            return ""
        return f"{node.name} has transactions that the primary does not have: it must be restored"

    def _misled(self, state: dict[str, Any], node: MysqlFamily) -> str:
        primary = self.cluster.roles.certain_primary()
        if primary is None or primary is node or not state:
            return ""
        followed = state[self.cluster.sql.source]
        if followed == primary.host.address:
            return ""
        return f"{node.name} still follows {followed}, not {primary.name}"

    def lag_reason(self, node: MysqlFamily) -> str:
        primary = self.cluster.roles.certain_primary()
        if primary is None or primary is node:
            return ""
        return self.cluster.sql.behind(node, primary)

    def written(self) -> Callable[[MysqlFamily], str]:
        primary = self.cluster.roles.certain_primary()
        if primary is None:
            return self.lag_reason
        unapplied = self.cluster.sql.written(primary)
        return lambda node: "" if node is primary else unapplied(node)

    @property
    def _supervised(self) -> bool:
        return self.cluster.settings.manager.supervises
