"""Settings of MySQL NDB Cluster, with their names in config.ini or at SQL nodes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration, Size
from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Value
from fivenines.solutions.durability import RELAXED, DurabilitySettings
from fivenines.solutions.ndb.checks import NdbChecks
from fivenines.solutions.ndb.facts import ndb_facts
from fivenines.solutions.reserved import by_key
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

if TYPE_CHECKING:
    pass

# Redo log files come in sets of four, one for each log part by default (manual, "NoOfFragmentLogParts").
_REDO_PARTS = 4

_REDO_FILE = 16 * 2**20

# Settings that the files of data nodes depend on.
FILES_DEPEND_ON = ("data_nodes", "replicas", "redo", "read_backup", "fully_replicated")


class NdbSettings(SolutionSettings):
    """Data nodes store the rows in as many copies as `replicas`; any SQL node takes writes."""

    checks_type = NdbChecks

    setup_seconds: ClassVar[float] = 20.0
    restart_seconds: ClassVar[float] = 20.0

    can_be_vms = False

    solution: Literal["ndb"] = Field(description="MySQL NDB Cluster")
    engine: Literal["mysql-ndb-9.7"] = Field("mysql-ndb-9.7", description="the database server")
    durability: DurabilitySettings = Field(
        RELAXED,
        description="relaxed is the only choice: a commit is in the memory of all replicas, and reaches "
        "disks with the next global checkpoint",
    )
    data_nodes: Annotated[int, Field(ge=1, le=48)] = Field(
        2, description="number of data nodes, a multiple of replicas"
    )
    replicas: Annotated[int, Field(ge=1, le=4)] = Field(
        2, description="copies of each row, and so data nodes in a node group (NoOfReplicas)"
    )
    sql_nodes: Annotated[int, Field(ge=1, le=16)] = Field(
        2, description="number of SQL nodes, which clients connect to"
    )
    management_nodes: Annotated[int, Field(ge=1, le=2)] = Field(
        1, description="number of management nodes; the first one is the arbitrator"
    )
    writes: Literal["one", "all"] = Field(
        "one", description="clients write to one SQL node, or are spread over all"
    )
    placement: Literal["spread", "grouped"] = Field(
        "spread",
        description="placement of node groups with several sites. spread: members at several sites, so each "
        "site has all rows; grouped: members at one site, so commits stay there, but a lost site ends the "
        "cluster",
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
        description="interval of heartbeats between data nodes; a node is considered dead after four missing "
        "ones (HeartbeatIntervalDbDb)",
    )
    api_heartbeat: Annotated[Duration, Field(ge=0.1)] = Field(
        1.5, description="interval of heartbeats between SQL nodes and data nodes (HeartbeatIntervalDbApi)"
    )
    local_checkpoint: Annotated[int, Field(ge=0, le=31)] = Field(
        20,
        description="words written between two local checkpoints, as a power of two "
        "(TimeBetweenLocalCheckpoints)",
    )
    global_checkpoint: Annotated[Duration, Field(ge=0.02)] = Field(
        2.0, description="interval of redo log flushes (TimeBetweenGlobalCheckpoints)"
    )
    arbitration: Literal["default", "disabled"] = Field(
        "default",
        description="whether an arbitrator decides which half of a partition continues (Arbitration)",
    )
    arbitrator: Literal["management", "sql", "none"] = Field(
        "management", description="kind of node that may become the arbitrator (ArbitrationRank)"
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
        True, description="whether reads use the nearest copy instead of the primary one (ndb_read_backup)"
    )
    fully_replicated: bool = Field(
        False, description="whether every node group has all rows (ndb_fully_replicated)"
    )
    restart_after_shutdown: Duration | None = Field(
        5.0,
        description="automatic remediation: fivenines restarts data nodes this long after they shut "
        "themselves down, as the losing half of a partition does; null: never",
    )
    cluster: dict[str, str | int | float | bool] = Field(
        default_factory=dict,
        description="further settings of data nodes, as in config.ini's section [ndbd default]",
    )

    def default_name(self) -> str:
        access = "" if self.access.kind == "direct" else f" + {self.access.kind}"
        return f"ndb {self.data_nodes}+{self.sql_nodes}{access}"

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        problems = []
        if self.data_nodes % self.replicas:
            problems.append(
                f"data_nodes: {self.data_nodes} cannot be divided into node groups of {self.replicas}: "
                "write a multiple of replicas"
            )
        if self.durability != RELAXED:
            problems.append(
                "durability: NDB acknowledges a commit when all replicas have it in memory, and never waits "
                "for a disk (global checkpoints flush its redo log): leave it out"
            )
        return problems

    @property
    def traits(self) -> Traits:
        hosts = (*self.data_names, *self.management_names)
        groups = self.data_nodes // self.replicas
        return Traits(
            nodes=self.sql_nodes,
            # Data nodes and the arbitrator decide, so all SQL nodes but one may be missing.
            votes=1,
            hosts=hosts,
            target_words={
                "data": "one running data node",
                "all-data": "all data nodes",
                **{f"group{number}": "all data nodes of a node group" for number in range(groups)},
                "management": "one running management node",
                "all-management": "all management nodes",
                "arbitrator": "the current arbitrator",
                **dict.fromkeys(hosts, "the server on this host"),
            },
            watch_period=max(self.heartbeat, self.api_heartbeat),
            isolations=("read_committed",),
        )

    @property
    def reserved(self) -> Mapping[str, str]:
        return {
            **dict.fromkeys(
                ("ndb_connectstring", "ndb_nodeid", "ndb_mgmd_host", "ndb_cluster_connection_pool_nodeids"),
                "fivenines joins the SQL nodes",
            ),
            "ndbcluster": "the tables are in the data nodes",
            "default_storage_engine": "the tables are in the data nodes",
            "ndb_read_backup": by_key("read_backup"),
            "ndb_fully_replicated": by_key("fully_replicated"),
            "innodb_flush_log_at_trx_commit": "no row of the load is in InnoDB",
            "log_bin": "one cluster needs no binary log; for two clusters choose solution cluster-pair",
        }

    @property
    def data_names(self) -> tuple[str, ...]:
        """Return the names of the data nodes' hosts."""
        return tuple(f"data{number}" for number in range(1, self.data_nodes + 1))

    @property
    def management_names(self) -> tuple[str, ...]:
        """Return the names of the management nodes' hosts."""
        return tuple(f"management{number}" for number in range(1, self.management_nodes + 1))

    def data_node_settings(self) -> dict[str, Value]:
        """Return settings of data nodes by their names in config.ini, times in ms."""
        # Names are case-insensitive there.
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
            # Each global checkpoint appears in the data node's log, for `checkpoint_lag_max`.
            "LogLevelCheckpoint": 15,
            **{name: value for name, value in _SMALL.items() if name.lower() not in given},
            **self.cluster,
        }

    @property
    def ranks(self) -> tuple[int, int]:
        """Return ArbitrationRank of management nodes and of SQL nodes."""
        return {"management": (1, 0), "sql": (0, 1), "none": (0, 0)}[self.arbitrator]

    def facts(self) -> SolutionFacts:
        return ndb_facts(self)


# Several data nodes share one machine; with NDB's defaults each would use twice the memory.
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


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
