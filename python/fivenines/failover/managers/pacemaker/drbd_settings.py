"""Settings of Pacemaker for a replicated disk."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.servers.cluster.topology import Topology

Period = Annotated[Duration, Field(ge=0.1)]


class PacemakerDrbdSettings(ManagerSettings):
    """Promotes the disk on one node, mounts it, starts the server and takes the address there."""

    failover_fact = "Pacemaker moves disk, server and address to the other node"
    on_nodes = True
    moves_address = True
    software = "drbd"

    kind: Literal["pacemaker-drbd"] = Field(
        description="Pacemaker with Corosync, on the nodes of a replicated disk"
    )
    token: Period = Field(
        1.5,
        description="Corosync: silence until a token is lost; the node is considered dead after 2.2 times "
        "that",
    )
    transport: Literal["knet", "udpu"] = Field("knet", description="Corosync's transport, unicast")
    monitor: Period = Field(
        10.0, description="interval of monitor operations of the server, the file system and the address"
    )
    monitor_disk: Period = Field(
        9.0,
        description="interval of monitor operations of the primary disk; for the other disk it is 2 s longer",
    )
    operation_timeout: Period = Field(120.0, description="timeout of a start, stop or promotion")
    server_agent: Literal["mysql", "anything"] = Field(
        "mysql",
        description="resource agent that starts MariaDB or MySQL. mysql: waits until the server answers, and "
        "checks every 2 s; anything: starts the program, and takes the address while the server recovers. "
        "PostgreSQL is started by pgsql",
    )
    migration_threshold: Annotated[int, Field(ge=1)] = Field(
        3, description="failures of the server until it is started on the other node"
    )
    failure_timeout: Duration = Field(60.0, description="time until a failure is cleared")
    fence: bool = Field(
        False,
        description="fence a lost node with a power switch before the other disk is promoted, and before a "
        "primary that has lost its peer continues alone",
    )
    no_quorum_policy: Literal["stop", "freeze", "ignore"] | None = Field(
        None,
        description="what a node without a majority does; null: stop with a witness, else ignore, as two "
        "nodes have no majority without each other",
    )

    @property
    def supervises(self) -> bool:
        return True

    @property
    def watch_period(self) -> float:
        return max(self.monitor, self.monitor_disk + _LATER)

    @property
    def monitor_other_disk(self) -> float:
        """Return the seconds between two monitor operations of the disk that is not primary."""
        # Pacemaker treats two monitors with the same interval as one operation.
        return self.monitor_disk + _LATER

    @property
    def switches_over(self) -> bool:
        return True

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.solution != "drbd":
            return ["pacemaker-drbd: it moves a replicated disk: choose solution drbd, or another manager"]
        return []


_LATER = 2.0
