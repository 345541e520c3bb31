"""What does not fit an NDB Cluster."""

from typing import TYPE_CHECKING

from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.solutions.checks import Checks
from fivenines.solutions.reserved import by_key

if TYPE_CHECKING:
    from fivenines.faults.settings import FaultSettings
    from fivenines.solutions.ndb.settings import NdbSettings

# Settings of config.ini that a key of the solution sets.
_KEYS = {
    "noofreplicas": "replicas",
    "datamemory": "data_memory",
    "fragmentlogfilesize": "redo",
    "nooffragmentlogfiles": "redo",
    "heartbeatintervaldbdb": "heartbeat",
    "heartbeatintervaldbapi": "api_heartbeat",
    "timebetweenlocalcheckpoints": "local_checkpoint",
    "timebetweenglobalcheckpoints": "global_checkpoint",
    "arbitration": "arbitration",
    "arbitrationtimeout": "arbitration_timeout",
    "transactiondeadlockdetectiontimeout": "deadlock_timeout",
    "arbitrationrank": "arbitrator",
}

_OWN = (
    "nodeid",
    "id",
    "hostname",
    "datadir",
    "nodegroup",
    "serverport",
    "portnumber",
    "filesystempath",
    "filesystempathdd",
    "filesystempathdatafiles",
    "filesystempathundofiles",
    "backupdatadir",
    "executeoncomputer",
    "locationdomainid",
    "loglevelcheckpoint",
)


class NdbChecks(Checks):
    """Limits of tables, maintenance without replicas, and settings of data nodes."""

    settings: "NdbSettings"

    def problems_with_workload(self, workload: WorkloadSettings) -> list[str]:
        # The manual, "Unsupported or Missing Features in NDB Cluster": AUTO_INCREMENT requires the primary
        # key.
        if getattr(workload, "secondary", False) and getattr(workload, "auto_inc", False):
            return [
                "secondary: NDB numbers rows only in the primary key, and this table has none: set "
                "auto_inc: false, too"
            ]
        return []

    def refused(self) -> dict[tuple[str, ...], str]:
        refused = super().refused()
        first: dict[str, str] = {}
        for name in self.settings.cluster:
            same = name.strip().lower()
            if key := _KEYS.get(same):
                refused[("cluster", name)] = by_key(key)
            elif same in _OWN:
                refused[("cluster", name)] = "fivenines places the nodes, and sets it for each: leave it out"
            elif same in first:
                refused[("cluster", name)] = f"it is the same setting as {first[same]}: leave one of them out"
            first.setdefault(same, name)
        return refused

    def problems_with_fault(self, fault: "FaultSettings") -> list[str]:
        if fault.fault != "maintenance" or self.settings.replicas > 1:
            return []
        target = str(getattr(fault, "target", ""))
        if not target.startswith(("all", "data", "group")) or target == "all-management":
            return []
        return ["with replicas: 1 the cluster ends when a data node shuts down; write target: nodes"]
