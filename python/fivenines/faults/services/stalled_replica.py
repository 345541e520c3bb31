"""Fault `stalled-replica`: stop a replica from applying changes. It continues to receive them."""

from typing import Any, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration
from fivenines.faults import targets
from fivenines.faults.base import Fault, Injection, Recovery, now
from fivenines.faults.context import FaultContext
from fivenines.faults.settings import NodeFaultSettings
from fivenines.servers.cluster.switchover import Stalling
from fivenines.servers.cluster.topology import Topology


class StalledReplicaSettings(NodeFaultSettings):
    """Stop a replica from applying changes for a while: its reads become stale and its backlog grows."""

    hits = "nodes"

    fault: Literal["stalled-replica"] = Field(
        description="stop a replica from applying the changes it receives"
    )
    target: targets.NodeTarget = "replica"
    duration: Duration | None = Field(5.0, description="time until the replica applies again; null: never")

    def problems_with(self, topology: Topology) -> list[str]:
        if topology.nodes == 1:
            return ["the solution has one node and no replica"]
        return super().problems_with(topology)


class StalledReplica(Fault[StalledReplicaSettings]):
    """Injected with commands of the server, see `Stalling`; verified by the status it reports."""

    settings_type = StalledReplicaSettings

    def inject(self, context: FaultContext) -> Injection:
        target = targets.resolve(self.settings.target, context)
        moment = now()
        messages = [_stalling(context).stall(server) for server in target.servers]
        return Injection(target.hosts, target.role, moment, True, "; ".join(messages), target.servers)

    def recover(self, context: FaultContext, injection: Injection) -> Recovery:
        moment = now()
        reasons = [_stalling(context).unstall(server) for server in injection.servers]
        problems = "; ".join(filter(None, reasons))
        return Recovery(not problems, problems or "the replica applies again", moment)


def _stalling(context: FaultContext) -> Stalling[Any]:
    solution = context.solution
    if solution.stalling is None:
        raise FiveninesError(f"{solution.name}: it has no replica that could stall")
    return solution.stalling
