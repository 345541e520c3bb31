"""What does not fit a cluster of Amazon Aurora or RDS."""

from typing import TYPE_CHECKING

from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.solutions.checks import Checks

if TYPE_CHECKING:
    pass
    from fivenines.solutions.aurora.settings import AuroraSettings

_ANY = ("none", "command", "connection-storm", "long-transaction", "switchover", "partition")

# Faults of single instances, by Aurora's SQL and by RebootDBInstance; a Multi-AZ cluster has neither.
_AURORA = ("kill", "host-kill", "restart", "slow-disk", "stalled-replica", "storage-failure")

_SIMULATED = ("slow-disk", "stalled-replica", "storage-failure")


class AuroraChecks(Checks):
    """Faults that Amazon or Aurora can make, and no network that fivenines controls."""

    settings: "AuroraSettings"

    def problems_with_fault(self, fault: FaultSettings) -> list[str]:
        kind = fault.fault
        if kind not in (*_ANY, *_AURORA):
            return [f"{kind} needs a lab. Use `fault: command` with a custom command"]
        if kind in _AURORA and not self.settings.is_aurora:
            return [f"{kind} is possible with Aurora only: a Multi-AZ cluster does not support it"]
        reasons = {
            "to: a Multi-AZ cluster of MySQL does not support choosing the new writer: leave it out": (
                bool(getattr(fault, "to", "")) and self.settings.engine == "rds-mysql"
            ),
            "target: a security group applies to the whole cluster: write `target: all`. It refuses new "
            "connections, and open ones continue": (
                kind == "partition" and getattr(fault, "target", "") != "all"
            ),
            "duration: Aurora simulates the fault for a time fixed in advance: write one": (
                kind in _SIMULATED and fault.lasts is None
            ),
            "duration: Amazon decides how long a reboot takes: leave it out": (
                kind == "restart" and bool(fault.lasts)
            ),
        }
        return [reason for reason, applies in reasons.items() if applies]

    def problems_with_network(self, network: NetworkSettings) -> list[str]:
        if network == NetworkSettings(name=network.name):
            return []
        return ["fivenines does not control the network between its servers: leave it out"]

    def problems_with_switchover(self) -> list[str]:
        return ["it has no reader to fail over to"] if self.settings.traits.nodes == 1 else []
