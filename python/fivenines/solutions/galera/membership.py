"""Members of a Galera cluster: how they rejoin, and how survivors without a majority continue."""

from typing import TYPE_CHECKING

from fivenines.servers.mariadb.server import Mariadb, sequence_number
from fivenines.solutions.quorum import QuorumMembership

if TYPE_CHECKING:
    from fivenines.solutions.galera.solution import Galera

# The state of the group as a node knows it, in its data directory.
_STATE = "grastate.dat"


class GaleraMembership(QuorumMembership[Mariadb]):
    """A member is Synced; a node that rejoins fetches what it lacks from a donor."""

    cluster: "Galera"

    def not_joined_reason(self, node: Mariadb) -> str:
        return "" if self.cluster.roles.able(node) else f"{node.name} is not Synced"

    def unexpected_primary_reason(self, node: Mariadb) -> str:
        # After a failed state transfer the server runs outside the group, and must be restarted.
        if not node.answers() or node.sql.status("wsrep_connected").get("wsrep_connected") != "OFF":
            return ""
        return f"{node.name} has left the group"

    def lag_reason(self, node: Mariadb) -> str:
        queue = node.sql.status("wsrep_local_recv_queue").get("wsrep_local_recv_queue", "0")
        return "" if queue == "0" else f"{node.name} has {queue} write sets to apply"

    def rejoin(self, node: Mariadb) -> None:
        if not any(other.alive for other in self.cluster.nodes):
            self._begin_again()
            if node.alive:
                return
        # Without this file the node takes all data from a donor.
        known = node.host.data.exists(_STATE)
        position = node.recover_position() if known else ""
        node.start(*([f"--wsrep-start-position={position}"] if position else []))
        # A state transfer may replace the whole data directory first.
        node.wait_ready(120.0)

    def remediate(self) -> list[str]:
        """Bootstrap the most advanced survivor when no node has had a majority for long."""
        if self.cluster.settings.bootstrap_after is None:
            return []
        nodes = self.cluster.nodes
        answers = {node.name: node.galera() for node in nodes if node.alive and not node.frozen}
        left = {name: state for name, state in answers.items() if state is not None}
        majority = any(state[1] == "Primary" for state in left.values())
        if not self.blocked_for_long(majority or not left):
            return []
        chosen = max((self.cluster.node(name) for name in left), key=_committed)
        chosen.sql.execute("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")
        return [f"{chosen.name}: pc.bootstrap=YES, as no node had a majority"]

    def _begin_again(self) -> None:
        """Start a new cluster from the most advanced node, as all nodes are dead (galera_new_cluster)."""
        nodes = self.cluster.nodes
        positions = {node.name: node.recover_position() for node in nodes}
        first = max(nodes, key=lambda node: sequence_number(positions[node.name]))
        allow_bootstrap(first)
        position = positions[first.name]
        first.start("--wsrep-new-cluster", *([f"--wsrep-start-position={position}"] if position else []))
        first.wait_ready()
        if self.cluster.arbiter is not None:
            # Its knowledge of the former group does not apply to the new one.
            self.cluster.arbiter.restart()


def allow_bootstrap(node: Mariadb) -> None:
    """Let a stopped node begin a new cluster, even if it was not the last one of the former cluster."""
    data = node.host.data
    state = data.read_text(_STATE)
    data.write_text(_STATE, state.replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))


def _committed(node: Mariadb) -> int:
    return int(node.sql.status("wsrep_last_committed").get("wsrep_last_committed", "-1"))
