"""Roles and members of an NDB Cluster; members are SQL nodes, data nodes and management nodes."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.daemon import daemon
from fivenines.servers.member import Member
from fivenines.servers.ndb import states
from fivenines.servers.ndb.data_node import DataNode
from fivenines.servers.ndb.management_node import PORT, ManagementNode
from fivenines.servers.ndb.sql_node import SqlNode
from fivenines.solutions.draining import DrainingRoles

if TYPE_CHECKING:
    from fivenines.solutions.ndb.solution import Ndb

# Longest start of data nodes in seconds: they wait for each other, and read checkpoint and redo log.
LONGEST_START = 90.0


class NdbRoles(DrainingRoles[SqlNode]):
    """The first SQL node that reaches data nodes gets the writes."""

    def able(self, node: SqlNode) -> bool | None:
        """Return whether an SQL node reaches data nodes; None if it runs and does not answer."""
        if not node.alive or node.frozen:
            return False
        ready = node.ready_data_nodes()
        return None if ready is None else ready > 0


class NdbMembership(Membership[SqlNode]):
    """Data nodes are started together if none of them runs."""

    cluster: "Ndb"

    def __init__(self, cluster: Cluster[SqlNode]) -> None:
        super().__init__(cluster)
        # When data nodes were first seen to have shut themselves down, by name.
        self._ended: dict[str, float] = {}

    def not_joined_reason(self, node: Member) -> str:
        if isinstance(node, SqlNode):
            return "" if self.cluster.roles.able(node) else f"{node.name} reaches no data nodes"
        if not node.alive:
            return f"{node.name} does not run"
        if isinstance(node, ManagementNode):
            return "" if self._states(node) else f"{node.name} does not answer"
        assert isinstance(node, DataNode)
        state = self._known().get(node.place.number)
        if state is not None and state.status == states.STARTED:
            return ""
        return f"{node.name} is {state.status if state else 'unknown to the management nodes'}"

    def lag_reason(self, node: SqlNode) -> str:
        # Nothing is applied later. But data nodes may have disconnected it, and it reconnects within seconds.
        if reason := self._not_reading(node):
            return reason
        # Without snapshots, checks of the data would see half a transaction.
        left = node.statements_of_clients()
        return f"{node.name} still executes {left} of the clients' statements" if left else ""

    def written(self) -> Callable[[SqlNode], str]:
        # No single SQL node knows what clients execute meanwhile.
        return self._not_reading

    def _not_reading(self, node: SqlNode) -> str:
        if reason := self.not_joined_reason(node):
            return reason
        return "" if node.reads_rows() else f"{node.name} does not read from data nodes yet"

    def restart_order(self, servers: Sequence[Member]) -> list[Member]:
        return sorted(servers, key=lambda member: (isinstance(member, SqlNode), isinstance(member, DataNode)))

    def rejoin(self, node: Member) -> None:
        if not isinstance(node, DataNode):
            daemon(node).start()
            if isinstance(node, SqlNode):
                node.wait_ready(LONGEST_START)
            return
        # Without a cluster no data node starts alone, as others of its group may have newer data.
        whole = not any(data_node.alive for data_node in self.cluster.data)
        for data_node in self.cluster.data if whole else [node]:
            data_node.start()

    def remediate(self) -> list[str]:
        """Restart data nodes that have shut themselves down, as the losing half of a partition does."""
        if self.cluster.settings.restart_after_shutdown is None:
            return []
        now = time.monotonic()
        for data_node in self.cluster.data:
            if data_node.alive or not data_node.ended_itself:
                self._ended.pop(data_node.name, None)
            else:
                self._ended.setdefault(data_node.name, now)
        late = [
            data_node
            for data_node in self.cluster.data
            if now - self._ended.get(data_node.name, now) > self.cluster.settings.restart_after_shutdown
        ]
        for data_node in late:
            self._ended.pop(data_node.name)
            data_node.start()
        return [f"{data_node.name}: restarted after it had shut itself down" for data_node in late]

    def _states(self, node: ManagementNode) -> dict[int, states.State]:
        return states.ask(node.host, node.host.address, PORT)

    def _known(self) -> dict[int, states.State]:
        """Return the states from the first management node that answers."""
        running = (manager for manager in self.cluster.management if manager.alive and not manager.frozen)
        return next(filter(None, map(self._states, running)), {})
