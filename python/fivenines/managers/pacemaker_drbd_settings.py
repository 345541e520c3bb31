"""Settings of Pacemaker where it moves a replicated disk, and what is on it."""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.managers.settings import ManagerSettings
from fivenines.units import Duration

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
        1.5, description="Corosync: silence until a token is lost; a node is given up after 2.2 times that"
    )
    transport: Literal["knet", "udpu"] = Field("knet", description="Corosync's transport, unicast")
    monitor: Period = Field(
        10.0, description="time between two looks at the server, the file system and the address"
    )
    monitor_disk: Period = Field(
        9.0, description="time between two looks at the primary disk; the other is looked at 2 s less often"
    )
    operation_timeout: Period = Field(120.0, description="bound of a start, stop or promotion")
    server_agent: Literal["mysql", "anything"] = Field(
        "mysql",
        description="the resource agent that starts MariaDB or MySQL: mysql waits until it answers, and "
        "looks every 2 s; anything starts the program, and takes the address while the server recovers. "
        "PostgreSQL is started by pgsql",
    )
    migration_threshold: Annotated[int, Field(ge=1)] = Field(
        3, description="failures of the server until it is started on the other node"
    )
    failure_timeout: Duration = Field(60.0, description="time until a failure is forgiven")
    fence: bool = Field(
        False,
        description="end a node that was lost by a power switch, before promoting the other disk, and before "
        "a primary that has lost the other goes on alone",
    )
    no_quorum_policy: Literal["stop", "freeze", "ignore"] | None = Field(
        None,
        description="what a node does that sees no majority; null: stop where there is a witness, else "
        "ignore, as two nodes have none",
    )

    @property
    def supervises(self) -> bool:
        return True

    @property
    def watch_period(self) -> float:
        return max(self.monitor, self.monitor_disk + _LATER)

    @property
    def monitor_other_disk(self) -> float:
        """Seconds between two looks at the disk that is not the primary."""
        # Pacemaker takes two monitors of one interval for one operation
        return self.monitor_disk + _LATER

    @property
    def switches_over(self) -> bool:
        return True

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.solution != "drbd":
            return ["pacemaker-drbd: it moves a replicated disk: only the solution drbd has one"]
        return []


_LATER = 2.0
