"""The settings that all solutions share. What a solution adds stands in its own file."""

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from fivenines import plugins
from fivenines.access.direct import DirectSettings
from fivenines.access.settings import AccessSettings
from fivenines.cluster.topology import Topology
from fivenines.managers.settings import ManagerSettings
from fivenines.results.records import SolutionFacts
from fivenines.servers.spelled import MADE_WITH, canonical, is_on
from fivenines.settings import Settings
from fivenines.software.base import Family
from fivenines.software.store import family_of
from fivenines.solutions.durability import DECIDING, STRICT, DurabilitySettings
from fivenines.solutions.reserved import refused
from fivenines.solutions.sweep import SweepSettings, VariantSettings
from fivenines.units import Size

if TYPE_CHECKING:
    from fivenines.aws.prices import Charge
    from fivenines.faults.settings import FaultSettings
    from fivenines.lab.settings import NetworkSettings
    from fivenines.load.settings import LoadSettings
    from fivenines.workloads.settings import WorkloadSettings

    AnyAccess = AccessSettings
else:
    AnyAccess = plugins.settings_union("fivenines.access", AccessSettings, "kind")


Machines = Literal["namespaces", "virtual-machines"]


_KEYS_NEEDED = ("sql_require_primary_key", "innodb_force_primary_key")
"""Settings of MySQL and MariaDB under which each table must have a primary key."""

_BY_ROLE = "durability sets it by role, and would change it"


class HostLimits(Settings):
    """What one host of the solution may use, where the machine's control groups allow a limit."""

    memory: Size | None = Field(None, description="memory limit of each host, as 2GiB; null: none")
    cpus: Annotated[float, Field(ge=0.01)] | None = Field(
        None, description="CPU share of each host in cores, as 0.5; null: none"
    )


class SolutionSettings(Settings):
    """Settings of any solution; `solution` names its kind and is narrowed by each subclass."""

    solution: str = Field(description="the kind of solution")
    name: str = Field("", description="how reports call it; by default kind and main settings")
    engine: str = Field(description="the database server, see `fivenines engines list`")
    durability: DurabilitySettings = Field(
        STRICT,
        description="strict: a commit waits for the disk of its node; relaxed: it does not; adaptive: it "
        "does not as long as a standby is there; or by role, as {primary: relaxed, standby: strict}",
    )
    access: AnyAccess = Field(default_factory=DirectSettings, description="how clients reach the nodes")
    machines: Machines = Field(
        "namespaces",
        description="what its nodes are. processes: hosts of the lab, which share the machine's kernel; "
        "virtual machines: virtual-machines with kernels and disks of their own, which can lose their power",
    )
    reads: Literal["primary", "replicas"] = Field(
        "primary", description="where single reads outside of transactions go"
    )
    limits: HostLimits = Field(default_factory=HostLimits, description="limits of each host")
    server: dict[str, str | int | float | bool] = Field(
        default_factory=dict, description="further settings of the servers, as in their configuration file"
    )
    sweep: SweepSettings | None = Field(
        None, description="settings to try several values of; the best case is compared"
    )
    variant: VariantSettings | None = Field(
        None, description="made by a sweep: which variant this is; not to be written by hand"
    )
    made: ClassVar[frozenset[str]] = frozenset({"variant"})

    def is_called(self, names: Container[str]) -> bool:
        """Whether its own name is among the names, or that of the sweep whose variant it is."""
        return self.name in names or (self.variant is not None and self.variant.of in names)

    durability_by_role: ClassVar[bool] = False
    """Whether it has a primary and standbys whose durability can be set apart, and follows promotions."""

    setup_seconds: ClassVar[float] = 10.0
    """Rough time until it can be loaded, on two cores with engine and data cached: plans are told by it."""

    restart_seconds: ClassVar[float] = 3.0
    """Rough time from a server's start until it is a member again, on two cores: plans are told by it."""

    @property
    def compare_seconds(self) -> float:
        """Rough time that the comparison of its copies takes beyond that of tables: plans are told by it."""
        return 0.0

    @property
    def least_settle(self) -> float:
        """Seconds after the load before which not all copies can have everything."""
        return 0.0

    external: ClassVar[bool] = False
    """Whether its servers are run by others: nothing is deployed, and only hooks can break anything."""

    chooses_successor: ClassVar[bool] = False
    """Whether a switchover can be told who shall be the primary then."""

    storage_can_fail: ClassVar[bool] = False
    """Whether its storage keeps copies by itself, parts of which can be made to fail."""

    def charge(self, seconds: float) -> "Charge | None":
        """What it costs to have it for so long, where somebody is paid for it; None: nothing is made."""
        return None

    @property
    def failover_manager(self) -> ManagerSettings | None:
        """Its failover manager; None where failover is built in."""
        return getattr(self, "manager", None)

    @property
    def own_watch_period(self) -> float:
        """Seconds between two looks of the nodes at each other, the longest; 0: they do not look."""
        return 0.0

    @property
    def watch_period(self) -> float:
        """Seconds between two looks of whatever may notice a failure: the longest of all its parts.

        A failure in step with those looks would always be noticed as early, or as late, as that step is.
        """
        manager = self.failover_manager
        parts = (self.access.watch_period, manager.watch_period if manager is not None else 0.0)
        return max(self.own_watch_period, *parts)

    def topology(self) -> Topology:
        """Its facts, as managers, access layers and faults are told them."""
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
        """A short name for reports, made of the kind and what tells it from its siblings."""
        return self.solution

    def problems_with_parts(self) -> list[str]:
        """What does not fit together of access layer, failover manager and solution."""
        manager = self.failover_manager
        topology = self.topology()
        managed = manager.problems_with(topology) if manager is not None else []
        own = self._problems_with_roles() if self.durability.by_role else []
        own += self._problems_with_vms() if self.machines == "virtual-machines" else []
        own += self._problems_with_promoters()
        return [*own, *self.access.problems_with(topology), *managed]

    def _problems_with_promoters(self) -> list[str]:
        """Two that promote would fight, and a failover that is built in is another one."""
        manager = self.failover_manager
        if not self.access.promotes or (manager is not None and manager.kind == "none"):
            return []
        if manager is None:
            return [f"access.marks: {self.solution} fails over by itself: no mark means promoted"]
        return ["manager: the access layer promotes (access.marks): write manager: {kind: none}"]

    can_be_vms: ClassVar[bool] = True
    """Whether its nodes can be virtual machines."""

    def _problems_with_vms(self) -> list[str]:
        if not self.can_be_vms:
            return [f"machines: virtual-machines: {self.solution} runs as processes only"]
        manager = self.failover_manager
        if manager is not None and not manager.for_vms:
            return [
                f"machines: virtual-machines: {manager.kind} starts the servers by itself, and cannot in virtual machines yet"
            ]
        return []

    def _problems_with_roles(self) -> list[str]:
        if not self.durability_by_role:
            return [
                f"durability: {self.durability}: {self.solution} cannot have it by role; replication, "
                "hot-standby and patroni can. Write strict or relaxed"
            ]
        return []

    @property
    def nodes(self) -> int:
        """The number of database servers."""
        raise NotImplementedError

    @property
    def votes(self) -> int:
        """The number of votes of which a majority decides: of the servers, and of an arbiter beside them."""
        return self.nodes

    @property
    def more_engines(self) -> tuple[str, ...]:
        """Engines that it needs beside its servers', as for an arbiter or for etcd."""
        return ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of hosts that it has beside its nodes, the client, the proxy and the manager."""
        return ()

    @property
    def target_words(self) -> Mapping[str, str]:
        """Words of its own for servers that faults may hit, with what each means."""
        return {}

    @property
    def single_writer(self) -> bool:
        """Whether at most one server takes writes at a time by design: two are a split brain then."""
        return False

    def facts(self) -> SolutionFacts | None:
        """What is known of it with these settings, from manuals and papers; None: nothing is told."""
        return None

    @property
    def family(self) -> Family | None:
        """The kind of its servers."""
        return family_of(self.engine)

    @property
    def reserved(self) -> Mapping[str, str]:
        """Settings of the servers that it does not leave to the user: why, by their canonical names."""
        return {}

    def refused(self) -> dict[tuple[str, ...], str]:
        """Settings that are handed over and are not the user's to set, by their keys, with the reason."""
        if self.external:
            return {}
        by_role = dict.fromkeys(DECIDING, _BY_ROLE) if self.durability.by_role else {}
        found = refused(self.server, self.family, {**by_role, **self.reserved})
        return {("server", name): text for name, text in found.items()}

    @property
    def data_settings(self) -> dict[str, str | int | float | bool]:
        """Settings that a data directory is made with, or its tables: the data set is made for them."""
        if self.external or self.family is None:
            return {}
        made = MADE_WITH.get(self.family, ())
        return {name: value for name, value in self.server.items() if canonical(name, self.family) in made}

    def handed_over(self) -> dict[tuple[str, ...], object]:
        """What goes to the servers as a person wrote it, by its keys: they may refuse it."""
        return {("server", name): value for name, value in self.server.items()}

    @property
    def isolations(self) -> Sequence[str] | None:
        """The levels of isolation that it gives; None: all of SQL's."""
        return None

    def problems_with_workload(self, workload: "WorkloadSettings") -> list[str]:
        """Why its servers cannot run a workload."""
        if not getattr(workload, "secondary", False):
            return []
        return [
            f"secondary: server.{name} lets no table be made without a primary key: leave one of them out"
            for name, value in self.server.items()
            if canonical(name, self.family) in _KEYS_NEEDED and is_on(value)
        ]

    def problems_with_load(self, load: "LoadSettings") -> dict[str, str]:
        """What has no effect on its load, by the keys of the section `load:`."""
        return {}

    def problem_alongside(self) -> str:
        """Why it takes no workloads beside the load (`ledger: {bank: …}`); empty: it takes them."""
        return ""

    def problems_with_fault(self, fault: "FaultSettings") -> list[str]:
        """Why a fault cannot be injected into it, whatever its target."""
        return []

    def problems_with_network(self, network: "NetworkSettings") -> list[str]:
        """Why it cannot run in a network."""
        if self.machines == "virtual-machines" and network.bandwidth is not None:
            return ["`bandwidth` cannot be set for virtual machines; a `link` between sites can have one"]
        return []

    def problems_with_switchover(self) -> list[str]:
        """Why the primary's role cannot be handed over as planned maintenance does."""
        if self.nodes == 1:
            return ["the solution has one node, and nobody to hand over to"]
        manager = self.failover_manager
        able = self.access.switches_over or (manager is not None and manager.switches_over)
        if manager is not None and not able:
            return ["the solution has no failover manager that could do it"]
        return []
