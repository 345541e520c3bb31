"""Server settings of the members of a replication group."""

from fivenines.servers.base import Value, inside
from fivenines.servers.mysql.group import GROUP_PORT
from fivenines.servers.mysql.server import Mysql
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.group_replication.settings import GroupReplicationSettings

# The UUID in the GTIDs of the group's transactions.
GROUP_NAME = "9f1e9999-0000-4000-8000-000000000001"


class GroupConfiguration(Configuration[GroupReplicationSettings, Mysql]):
    """Every member knows the addresses of all; none starts the group by itself."""

    def own(self, node: Mysql) -> dict[str, Value]:
        settings, nodes = self.settings, self.solution.nodes
        number = next(index for index, other in enumerate(nodes) if other is node)
        single = settings.mode == "single-primary"
        seeds = ",".join(f"{other.host.address}:{GROUP_PORT}" for other in nodes)
        plugins = ["group_replication.so", *(["mysql_clone.so"] if settings.rejoin == "clone" else [])]
        weight = settings.weights[number] if number < len(settings.weights) else 50
        group: dict[str, Value] = {
            "group_name": GROUP_NAME,
            "start_on_boot": False,
            "local_address": f"{node.host.address}:{GROUP_PORT}",
            "group_seeds": seeds,
            "single_primary_mode": single,
            "enforce_update_everywhere_checks": not single,
            "consistency": settings.consistency,
            "poll_spin_loops": settings.poll_spin_loops,
            "member_expel_timeout": round(settings.member_expel_timeout),
            "unreachable_majority_timeout": round(settings.unreachable_majority_timeout),
            "autorejoin_tries": settings.autorejoin_tries,
            "exit_state_action": settings.exit_state_action,
            "member_weight": weight,
            "flow_control_mode": settings.flow_control,
            "flow_control_applier_threshold": settings.applier_threshold,
            "flow_control_certifier_threshold": settings.certifier_threshold,
            "paxos_single_leader": settings.paxos_single_leader,
            "recovery_use_ssl": True,
            # Otherwise a donor that died is not tried again for a minute.
            "recovery_reconnect_interval": 5,
            "message_cache_size": 128 * 2**20,
        }
        return {
            "server_id": 1 + number,
            "report_host": node.host.address,
            "gtid_mode": "ON",
            "enforce_gtid_consistency": "ON",
            "log_bin": inside("data", "binlog"),
            "relay_log": inside("data", "relay"),
            "replica_parallel_workers": settings.appliers,
            # Writes are refused until the group has a primary.
            "super_read_only": True,
            "plugin_load_add": ";".join(plugins),
            **{f"group_replication_{name}": value for name, value in group.items()},
            **node.durability(settings.durability.at_start),
        }
