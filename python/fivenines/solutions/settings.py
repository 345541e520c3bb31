"""Settings that all solutions share."""

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeVar

from pydantic import Field

from fivenines.base import plugins
from fivenines.base.settings import Settings
from fivenines.base.units import Size
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.failover.proxies.direct import DirectSettings
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.results.records import SolutionFacts
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.spelled import MADE_WITH, canonical, is_on
from fivenines.software.base import Family
from fivenines.software.store import family_of
from fivenines.solutions.durability import DECIDING, STRICT, DurabilitySettings
from fivenines.solutions.reserved import refused
from fivenines.solutions.sweep import SweepSettings, VariantSettings

if TYPE_CHECKING:
    from fivenines.faults.settings import FaultSettings
    from fivenines.lab.settings import NetworkSettings
    from fivenines.load.settings import LoadSettings
    from fivenines.load.workloads.settings import WorkloadSettings
    from fivenines.solutions.aurora.aws.prices import Charge

    AnyAccess = AccessSettings
else:
    AnyAccess = plugins.settings_union("fivenines.failover.proxies", AccessSettings, "kind")


Machines = Literal["namespaces", "virtual-machines"]


# Settings of MySQL and MariaDB under which each table must have a primary key.
_KEYS_NEEDED = ("sql_require_primary_key", "innodb_force_primary_key")

_BY_ROLE = "durability sets it by role, and would change it"


class HostLimits(Settings):
    """Resource limits of one host, where the machine's control groups support them."""

    memory: Size | None = Field(None, description="memory limit of each host, as 2GiB; null: none")
    cpus: Annotated[float, Field(ge=0.01)] | None = Field(
        None, description="CPU limit of each host in cores, as 0.5; null: none"
    )


class SolutionSettings(Settings):
    """Settings of any solution; `solution` names its kind and is narrowed by each subclass."""

    solution: str = Field(description="kind of solution")
    name: str = Field("", description="name in reports; default: kind and main settings")
    engine: str = Field(description="database server, see `fivenines engines list`")
    durability: DurabilitySettings = Field(
        STRICT,
        description="strict: a commit waits for the disk of its node; relaxed: it does not; adaptive: it "
        "does not while a standby is connected; or by role, as {primary: relaxed, standby: strict}",
    )
    access: AnyAccess = Field(default_factory=DirectSettings, description="how clients reach the nodes")
    machines: Machines = Field(
        "namespaces",
        description="type of the nodes. namespaces: hosts of the lab that share the machine's kernel; "
        "virtual-machines: separate kernels and disks, which can lose power",
    )
    reads: Literal["primary", "replicas"] = Field(
        "primary", description="which nodes answer single reads outside of transactions"
    )
    limits: HostLimits = Field(default_factory=HostLimits, description="limits of each host")
    server: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="further settings of the servers, as in their configuration file"
    )
    sweep: SweepSettings | None = Field(
        None, description="settings to try with several values; reports compare the best case"
    )
    variant: VariantSettings | None = Field(
        None, description="set by a sweep: the combination of values; do not write it"
    )
    made: ClassVar[frozenset[str]] = frozenset({"variant"})

    def is_called(self, names: Container[str]) -> bool:
        """Return whether `names` contain its name or that of its sweep."""
        return self.name in names or (self.variant is not None and self.variant.of in names)

    # Whether durability can be set by role, and follows promotions.
    durability_by_role: ClassVar[bool] = False

    # Approximate time until it can be loaded, on two cores with engine and data cached; for plans.
    setup_seconds: ClassVar[float] = 10.0

    # Approximate time from a server's start until it is a member again, on two cores; for plans.
    restart_seconds: ClassVar[float] = 3.0

    @property
    def compare_seconds(self) -> float:
        """Return the approximate time for comparing copies beyond tables, in seconds; for plans."""
        return 0.0

    @property
    def least_settle(self) -> float:
        """Return the shortest time after the load, in seconds, until all copies can be complete."""
        return 0.0

    # Whether it is an existing cluster: nothing is deployed, and only hooks can inject faults.
    external: ClassVar[bool] = False

    # Whether a switchover can name the new primary.
    chooses_successor: ClassVar[bool] = False

    # Whether its storage replicates by itself, with parts that can be made to fail.
    storage_can_fail: ClassVar[bool] = False

    def charge(self, seconds: float) -> "Charge | None":
        """Return its cost for this many seconds; None: nothing is created that costs money."""
        return None

    @property
    def failover_manager(self) -> ManagerSettings | None:
        """Return its failover manager; None: failover is built in."""
        return getattr(self, "manager", None)

    @property
    def own_watch_period(self) -> float:
        """Return the longest interval of the nodes' checks of each other, in seconds; 0: no checks."""
        return 0.0

    @property
    def watch_period(self) -> float:
        """Return the longest interval of all failure detectors, in seconds.

        Faults in step with these checks would always be detected at the same phase, early or late.
        """
        manager = self.failover_manager
        parts = (self.access.watch_period, manager.watch_period if manager is not None else 0.0)
        return max(self.own_watch_period, *parts)

    def topology(self) -> Topology:
        """Return its facts for managers, access layers and faults."""
        manager = self.failover_manager
        return Topology(
            solution=self.solution,
            engine=self.engine,
            durability=str(self.durability),
            mode=getattr(self, "mode", ""),
            nodes=self.nodes,
            votes=self.votes,
            hosts=self.hosts,
            access=self.access.kind,
            access_host=self.access.host,
            manager=manager.kind if manager is not None else "",
            manager_host=manager.host if manager is not None else "",
            moves_address=manager is not None and manager.moves_address,
            without_switchover=tuple(self.problems_with_switchover()),
            words=self.target_words,
            restart_seconds=self.restart_seconds,
            machines=self.machines,
            chooses_successor=self.chooses_successor,
            storage_can_fail=self.storage_can_fail,
        )

    def default_name(self) -> str:
        """Return a short name for reports, made of the kind and distinguishing settings."""
        return self.solution

    def problems_with_parts(self) -> list[str]:
        """Return what does not fit together among access layer, failover manager and solution."""
        manager = self.failover_manager
        topology = self.topology()
        managed = manager.problems_with(topology) if manager is not None else []
        own = self._problems_with_roles() if self.durability.by_role else []
        own += self._problems_with_vms() if self.machines == "virtual-machines" else []
        own += self._problems_with_promoters()
        return [*own, *self.access.problems_with(topology), *managed]

    def _problems_with_promoters(self) -> list[str]:
        """Return an error if two components could promote a node."""
        manager = self.failover_manager
        if not self.access.promotes or (manager is not None and manager.kind == "none"):
            return []
        if manager is None:
            return [
                f"access.marks: {self.solution} has built-in failover: leave out marks that mean promoted"
            ]
        return ["manager: the access layer promotes (access.marks): write manager: {kind: none}"]

    # Whether its nodes can be virtual machines.
    can_be_vms: ClassVar[bool] = True

    def _problems_with_vms(self) -> list[str]:
        if not self.can_be_vms:
            return [f"machines: virtual-machines: {self.solution} does not support it: write namespaces"]
        manager = self.failover_manager
        if manager is not None and not manager.for_vms:
            return [
                f"machines: virtual-machines: {manager.kind} starts the servers by itself, and does not "
                "support virtual machines: write namespaces"
            ]
        return []

    def _problems_with_roles(self) -> list[str]:
        if not self.durability_by_role:
            return [
                f"durability: {self.durability}: {self.solution} does not support durability by role; "
                "replication, hot-standby and patroni do. Write strict or relaxed"
            ]
        return []

    @property
    def nodes(self) -> int:
        """Return the number of database servers."""
        raise NotImplementedError

    @property
    def votes(self) -> int:
        """Return the number of votes of which a majority decides, including an arbiter's."""
        return self.nodes

    @property
    def more_engines(self) -> tuple[str, ...]:
        """Return further engines that it needs, as for an arbiter or for etcd."""
        return ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the names of its further hosts, other than nodes, client, proxy and manager."""
        return ()

    @property
    def target_words(self) -> Mapping[str, str]:
        """Return solution-specific target words for faults, with the meaning of each."""
        return {}

    @property
    def single_writer(self) -> bool:
        """Return whether at most one server is writable by design: two are a split brain then."""
        return False

    def facts(self) -> SolutionFacts | None:
        """Return facts about it with these settings, from manuals and papers; None: unknown."""
        return None

    @property
    def family(self) -> Family | None:
        """Return the kind of its servers."""
        return family_of(self.engine)

    @property
    def reserved(self) -> Mapping[str, str]:
        """Return server settings that users cannot set: reasons by canonical names."""
        return {}

    def refused(self) -> dict[tuple[str, ...], str]:
        """Return user settings that cannot be set by users, by their keys, with the reason."""
        if self.external:
            return {}
        by_role = dict.fromkeys(DECIDING, _BY_ROLE) if self.durability.by_role else {}
        reasons = refused(self.server, self.family, {**by_role, **self.reserved})
        return {("server", name): text for name, text in reasons.items()}

    @property
    def data_settings(self) -> dict[str, str | int | float | bool]:
        """Return settings that its data directory or tables are created with, and so the data set."""
        if self.external or self.family is None:
            return {}
        made = MADE_WITH.get(self.family, ())
        return {name: value for name, value in self.server.items() if canonical(name, self.family) in made}

    def handed_over(self) -> dict[tuple[str, ...], object]:
        """Return the user's server settings by key, which servers may refuse."""
        return {("server", name): value for name, value in self.server.items()}

    @property
    def isolations(self) -> Sequence[str] | None:
        """Return the supported isolation levels; None: all of SQL's."""
        return None

    def problems_with_workload(self, workload: "WorkloadSettings") -> list[str]:
        """Return why its servers cannot run a workload."""
        if not getattr(workload, "secondary", False):
            return []
        return [
            f"secondary: with server.{name} each table must have a primary key: leave one of them out"
            for name, value in self.server.items()
            if canonical(name, self.family) in _KEYS_NEEDED and is_on(value)
        ]

    def problems_with_load(self, load: "LoadSettings") -> dict[str, str]:
        """Return settings of the load without effect, by the keys of the section `load:`, with the reason."""
        return {}

    def problem_alongside(self) -> str:
        """Return why it supports no workloads alongside the load (`ledger: {bank: …}`); empty: it does."""
        return ""

    def problems_with_fault(self, fault: "FaultSettings") -> list[str]:
        """Return why a fault cannot be injected into it, whatever its target."""
        return []

    def problems_with_network(self, network: "NetworkSettings") -> list[str]:
        """Return why it cannot run in a network."""
        if self.machines == "virtual-machines" and network.bandwidth is not None:
            return ["`bandwidth` cannot be set for virtual machines: set it for a `link` between sites"]
        return []

    def problems_with_switchover(self) -> list[str]:
        """Return why a planned switchover is not possible."""
        if self.nodes == 1:
            return ["the solution has only one node"]
        manager = self.failover_manager
        able = self.access.switches_over or (manager is not None and manager.switches_over)
        if manager is not None and not able:
            return ["the solution has no failover manager for switchovers"]
        return []


# Type of the settings of a kind of solution.
S = TypeVar("S", bound=SolutionSettings)
