"""Settings of MySQL NDB Cluster, with what each is called in config.ini or by SQL nodes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Value
from fivenines.solutions.durability import RELAXED, DurabilitySettings
from fivenines.solutions.ndb_facts import ndb_facts
from fivenines.solutions.reserved import by_key
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration, Size
from fivenines.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    from fivenines.faults.settings import FaultSettings

_REDO_PARTS = 4
"""Redo log files come in sets of four, one for each log part by default (manual, "NoOfFragmentLogParts")."""

_REDO_FILE = 16 * 2**20

FILES_DEPEND_ON = ("data_nodes", "replicas", "redo", "read_backup", "fully_replicated")
"""Settings without which files of data nodes do not fit."""


class NdbSettings(SolutionSettings):
    """Data nodes hold the rows, each in as many copies as there are replicas; any SQL node takes writes."""

    setup_seconds: ClassVar[float] = 20.0
    restart_seconds: ClassVar[float] = 20.0

    can_be_vms = False

    solution: Literal["ndb"] = Field(description="MySQL NDB Cluster")
    engine: Literal["mysql-ndb-9.7"] = Field("mysql-ndb-9.7", description="the database server")
    durability: DurabilitySettings = Field(
        RELAXED,
        description="relaxed, and nothing else: a commit is in the memory of all replicas; disks get it "
        "with the next global checkpoint",
    )
    data_nodes: Annotated[int, Field(ge=1, le=48)] = Field(
        2, description="number of data nodes, a multiple of replicas"
    )
    replicas: Annotated[int, Field(ge=1, le=4)] = Field(
        2, description="copies of each row, and so data nodes in a node group (NoOfReplicas)"
    )
    sql_nodes: Annotated[int, Field(ge=1, le=16)] = Field(
        2, description="number of SQL nodes, which clients speak to"
    )
    management_nodes: Annotated[int, Field(ge=1, le=2)] = Field(
        1, description="number of management nodes; the first one arbitrates"
    )
    writes: Literal["one", "all"] = Field(
        "one", description="clients write to one SQL node, or spread over all"
    )
    placement: Literal["spread", "grouped"] = Field(
        "spread",
        description="with several sites: spread: a node group has members at several sites, so each site "
        "has all rows; grouped: at one, so commits stay there, and a lost site ends the cluster",
    )
    data_memory: Size = Field(
        96 * 2**20, description="memory of each data node for rows and indexes (DataMemory)"
    )
    redo: Annotated[Size, Field(ge=3 * _REDO_PARTS * _REDO_FILE)] = Field(
        8 * _REDO_PARTS * _REDO_FILE,
        description="redo log of each data node (NoOfFragmentLogFiles files of 16 MiB in each of 4 parts)",
    )
    heartbeat: Annotated[Duration, Field(ge=0.01)] = Field(
        5.0,
        description="time between two heartbeats of data nodes; one is dead after four without an answer "
        "(HeartbeatIntervalDbDb)",
    )
    api_heartbeat: Annotated[Duration, Field(ge=0.1)] = Field(
        1.5, description="the same between SQL nodes and data nodes (HeartbeatIntervalDbApi)"
    )
    local_checkpoint: Annotated[int, Field(ge=0, le=31)] = Field(
        20,
        description="words written between two local checkpoints, as a power of two "
        "(TimeBetweenLocalCheckpoints)",
    )
    global_checkpoint: Annotated[Duration, Field(ge=0.02)] = Field(
        2.0, description="time between two flushes of the redo log (TimeBetweenGlobalCheckpoints)"
    )
    arbitration: Literal["default", "disabled"] = Field(
        "default", description="whether an arbitrator decides between halves (Arbitration)"
    )
    arbitrator: Literal["management", "sql", "none"] = Field(
        "management", description="which kind of node may become the arbitrator (ArbitrationRank)"
    )
    arbitration_timeout: Annotated[Duration, Field(ge=0.01)] = Field(
        7.5, description="longest wait for the arbitrator's answer (ArbitrationTimeout)"
    )
    deadlock_timeout: Annotated[Duration, Field(ge=0.05)] = Field(
        1.2,
        description="longest wait of an operation for a lock or a data node "
        "(TransactionDeadlockDetectionTimeout)",
    )
    read_backup: bool = Field(
        True, description="whether reads take the nearest copy, not the primary one (ndb_read_backup)"
    )
    fully_replicated: bool = Field(
        False, description="whether every node group has all rows (ndb_fully_replicated)"
    )
    restart_after_shutdown: Duration | None = Field(
        5.0,
        description="time after which a person starts data nodes again that ended by themselves, as the "
        "losing half of a partition does; null: nobody does",
    )
    cluster: dict[str, str | int | float | bool] = Field(
        default_factory=dict,
        description="further settings of data nodes, as in config.ini's section [ndbd default]",
    )

    def default_name(self) -> str:
        access = "" if self.access.kind == "direct" else f" + {self.access.kind}"
        return f"ndb {self.data_nodes}+{self.sql_nodes}{access}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = []
        if self.data_nodes % self.replicas:
            found.append(
                f"data_nodes: {self.data_nodes} cannot be divided into node groups of {self.replicas}: "
                "write a multiple of replicas"
            )
        if self.durability != RELAXED:
            found.append(
                "durability: NDB answers a commit when all replicas have it in memory, and never waits for a "
                "disk (its redo log is flushed by global checkpoints): leave it out"
            )
        return found

    @property
    def nodes(self) -> int:
        return self.sql_nodes

    @property
    def votes(self) -> int:
        # who decides are data nodes and the arbitrator: of SQL nodes any number can be missed but one
        return 1

    @property
    def own_watch_period(self) -> float:
        return max(self.heartbeat, self.api_heartbeat)

    @property
    def isolations(self) -> tuple[str, ...]:
        return ("read_committed",)

    def problems_with_workload(self, workload: WorkloadSettings) -> list[str]:
        # the manual, "Unsupported or Missing Features in NDB Cluster": AUTO_INCREMENT takes the primary key
        if getattr(workload, "secondary", False) and getattr(workload, "auto_inc", False):
            return [
                "secondary: NDB numbers rows by the primary key alone, and this table has none: "
                "set auto_inc: false, too"
            ]
        return []

    def refused(self) -> dict[tuple[str, ...], str]:
        found = super().refused()
        first: dict[str, str] = {}
        for name in self.cluster:
            same = name.strip().lower()
            if key := _KEYS.get(same):
                found[("cluster", name)] = by_key(key)
            elif same in _OWN:
                found[("cluster", name)] = "fivenines places the nodes, and gives each its own: leave it out"
            elif same in first:
                found[("cluster", name)] = f"it is the same setting as {first[same]}: leave one of them out"
            first.setdefault(same, name)
        return found

    @property
    def reserved(self) -> Mapping[str, str]:
        return {
            **dict.fromkeys(
                ("ndb_connectstring", "ndb_nodeid", "ndb_mgmd_host", "ndb_cluster_connection_pool_nodeids"),
                "fivenines joins the SQL nodes",
            ),
            "ndbcluster": "the tables lie in the data nodes",
            "default_storage_engine": "the tables lie in the data nodes",
            "ndb_read_backup": by_key("read_backup"),
            "ndb_fully_replicated": by_key("fully_replicated"),
            "innodb_flush_log_at_trx_commit": "no row of the load is in InnoDB",
            "log_bin": "one cluster needs no binary log; two of them are solution cluster-pair",
        }

    @property
    def data_names(self) -> tuple[str, ...]:
        """The names of the data nodes' hosts."""
        return tuple(f"data{number}" for number in range(1, self.data_nodes + 1))

    @property
    def management_names(self) -> tuple[str, ...]:
        """The names of the management nodes' hosts."""
        return tuple(f"management{number}" for number in range(1, self.management_nodes + 1))

    @property
    def hosts(self) -> tuple[str, ...]:
        return (*self.data_names, *self.management_names)

    @property
    def target_words(self) -> Mapping[str, str]:
        groups = self.data_nodes // self.replicas
        return {
            "data": "one data node that runs",
            "all-data": "all data nodes",
            **{f"group{number}": "all data nodes of a node group" for number in range(groups)},
            "management": "one management node that runs",
            "all-management": "all management nodes",
            "arbitrator": "the node that arbitrates now",
            **dict.fromkeys(self.hosts, "the server on this host"),
        }

    def told_to_data_nodes(self) -> dict[str, Value]:
        """Settings of data nodes by their names in config.ini, times in ms."""
        # names there have no case
        given = {name.lower() for name in self.cluster}
        return {
            "NoOfReplicas": self.replicas,
            "DataMemory": self.data_memory,
            "FragmentLogFileSize": _REDO_FILE,
            "NoOfFragmentLogFiles": self.redo // (_REDO_PARTS * _REDO_FILE),
            "HeartbeatIntervalDbDb": _ms(self.heartbeat),
            "HeartbeatIntervalDbApi": _ms(self.api_heartbeat),
            "TimeBetweenLocalCheckpoints": self.local_checkpoint,
            "TimeBetweenGlobalCheckpoints": _ms(self.global_checkpoint),
            "Arbitration": self.arbitration.capitalize(),
            "ArbitrationTimeout": _ms(self.arbitration_timeout),
            "TransactionDeadlockDetectionTimeout": _ms(self.deadlock_timeout),
            # each global checkpoint is told in the data node's own log, for `checkpoint_lag_max`
            "LogLevelCheckpoint": 15,
            **{name: value for name, value in _SMALL.items() if name.lower() not in given},
            **self.cluster,
        }

    @property
    def ranks(self) -> tuple[int, int]:
        """ArbitrationRank of management nodes and of SQL nodes."""
        return {"management": (1, 0), "sql": (0, 1), "none": (0, 0)}[self.arbitrator]

    def problems_with_fault(self, fault: "FaultSettings") -> list[str]:
        if fault.fault != "maintenance" or self.replicas > 1:
            return []
        target = str(getattr(fault, "target", ""))
        if not target.startswith(("all", "data", "group")) or target == "all-management":
            return []
        return ["with replicas: 1 a data node that is shut down ends the cluster; write target: nodes"]

    def facts(self) -> SolutionFacts:
        return ndb_facts(self)


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
"""Settings of config.ini that a key of the solution sets."""

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

_SMALL: dict[str, Value] = {
    "SharedGlobalMemory": "32M",
    "LongMessageBuffer": "16M",
    "RedoBuffer": "16M",
    "BackupLogBufferSize": "2M",
    "MaxNoOfTables": 512,
    "MaxNoOfAttributes": 4000,
    "MaxNoOfOrderedIndexes": 512,
    "MaxNoOfUniqueHashIndexes": 128,
}
"""Several data nodes share one machine: with NDB's defaults each would hold twice the memory."""


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
