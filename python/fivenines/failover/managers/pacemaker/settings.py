"""Pacemaker's settings, and the requirements on its solution."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.servers.cluster.timeouts import table
from fivenines.servers.cluster.topology import Topology

_MARIADB = "mariadb-10.11"

Period = Annotated[Duration, Field(ge=0.1)]


class PacemakerSettings(ManagerSettings):
    """A cluster on the nodes themselves: it promotes the node with the highest GTID. Requires root."""

    failover_fact = "Pacemaker promotes the replica with the highest GTID, and moves the address"
    on_nodes = True
    moves_address = True
    software = "pacemaker-2.1"
    all_ids = True
    # The agent sets this at every start.
    for_vms = False
    # The agent switches it when replicas come and go (ocf:heartbeat:mariadb, set_waitfor_slaves).
    changes: ClassVar[frozenset[str]] = frozenset(("rpl_semi_sync_master_wait_no_slave",))
    server_settings: ClassVar[Mapping[str, str | int | float | bool]] = {
        "rpl_semi_sync_slave_enabled": True,
        "rpl_semi_sync_master_enabled": True,
        "rpl_semi_sync_master_wait_no_slave": False,
        "rpl_semi_sync_master_wait_point": "AFTER_SYNC",
        "sync_master_info": 1,
    }

    # Corosync waits 1.2 times the token for a consensus; its token is 3 s by default (corosync.conf(5)). Two
    # monitor operations of a resource must have different intervals (Pacemaker Explained, "Resource
    # Operations").
    timeouts = table(
        "token monitor_promoted monitor_unpromoted monitor_timeout",
        ("1s", "500ms", "1s", "5s"),
        ("1500ms", "1s", "1500ms", "5s"),
        ("3s", "2s", "3s", "10s"),
        ("5s", "3s", "4s", "15s"),
        ("8s", "5s", "6s", "20s"),
        ("15s", "10s", "11s", "30s"),
    )

    # Options of pcs, crm and corosync.conf.
    elsewhere: ClassVar[Mapping[str, str]] = {
        "stonith_enabled": "write `fence: true`",
        "stonith": "write `fence: true`",
        "op": "write `monitor_promoted`, `monitor_unpromoted`, `monitor_timeout` and `operation_timeout`",
        "clone_max": "each node runs one server: leave it out",
        "resource_stickiness": "the agent decides by GTID which server is promoted: leave it out",
    }

    kind: Literal["pacemaker"] = Field(description="Pacemaker with Corosync, on the nodes")
    token: Period = Field(
        3.0,
        description="Corosync: silence until a token is lost (0.65 s more for each node beyond two); the "
        "node is considered dead after 2.2 times that",
    )
    transport: Literal["knet", "udpu"] = Field("knet", description="Corosync's transport, unicast")
    monitor_promoted: Period = Field(3.0, description="interval of monitor operations of the primary")
    monitor_unpromoted: Period = Field(4.0, description="interval of monitor operations of a replica")
    monitor_timeout: Period = Field(10.0, description="timeout of a monitor operation")
    operation_timeout: Period = Field(
        60.0, description="timeout of a start, stop, promotion, demotion or notification"
    )
    migration_threshold: Annotated[int, Field(ge=1)] | None = Field(
        2,
        description="failures until a server is not started on its node again (a dead primary has two: the "
        "monitor operation and its demotion); null: no limit",
    )
    failure_timeout: Duration = Field(
        60.0, description="time until a failure is cleared; 0: it is not cleared automatically"
    )
    fence: bool = Field(
        False, description="fence nodes that were lost or do not stop with a power switch, before promoting"
    )
    no_quorum_policy: Literal["stop", "freeze", "ignore", "demote"] = Field(
        "stop", description="what nodes without a majority do"
    )

    @property
    def supervises(self) -> bool:
        return True

    @property
    def watch_period(self) -> float:
        return max(self.monitor_promoted, self.monitor_unpromoted)

    @property
    def switches_over(self) -> bool:
        return True

    def problems(self) -> list[str]:
        if self.monitor_promoted == self.monitor_unpromoted:
            return [
                "monitor_promoted and monitor_unpromoted are equal, which Pacemaker treats as one "
                "operation: make one of them a little longer"
            ]
        return []

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.engine != _MARIADB:
            return [f"pacemaker: it includes the MariaDB of the engine {_MARIADB}: choose that engine"]
        wrong = []
        if topology.mode != "after_sync":
            wrong.append("mode: after_sync")
        if topology.durability != "strict":
            wrong.append("durability: strict")
        problem = (
            "pacemaker: its agent for MariaDB sets semi-synchronous replication and strict flushing at "
            f"every start of a server: write {' and '.join(wrong)}"
        )
        return [problem] if wrong else []
