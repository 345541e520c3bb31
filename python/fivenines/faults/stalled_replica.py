"""Fault `stalled-replica`: a replica goes on receiving, and applies nothing."""

from typing import Literal

from pydantic import Field

from fivenines.cluster.topology import Topology
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.units import Duration


class StalledReplicaSettings(NodeFaultSettings):
    """A replica applies nothing for a while: its reads grow old, what it has to catch up grows."""

    hits = "nodes"

    fault: Literal["stalled-replica"] = Field(description="a replica stops applying")
    target: targets.NodeTarget = "replica"
    duration: Duration | None = Field(5.0, description="time until it applies again; null: it never does")

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.nodes == 1:
            return ["the solution has one node, and no replica"]
        return super().problems_with(topology)


class StalledReplica(Fault[StalledReplicaSettings]):
    """By the server's own means, see `Solution.stall`; verified by what the server says of itself."""

    settings_type = StalledReplicaSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        said = [context.solution.stall(server) for server in target.servers]
        return Injection(target.hosts, target.role, moment, True, "; ".join(said), target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        reasons = [context.solution.unstall(server) for server in injection.servers]
        wrong = "; ".join(filter(None, reasons))
        return Recovery(not wrong, wrong or "it applies again", moment)
