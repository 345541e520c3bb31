"""Settings that all solutions share."""

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeVar

from pydantic import Field

from fivenines.base import plugins
from fivenines.base.settings import Settings
from fivenines.base.units import Size
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.failover.proxies.direct import DirectSettings
from fivenines.failover.proxies.settings import AccessSettings
from fivenines.results.records import SolutionFacts
from fivenines.servers.cluster.timeouts import Values
from fivenines.servers.cluster.topology import Topology
from fivenines.servers.spelled import MADE_WITH, canonical
from fivenines.software.base import Family
from fivenines.software.store import family_of
from fivenines.solutions.checks import Checks
from fivenines.solutions.durability import STRICT, DurabilitySettings
from fivenines.solutions.sweep import SweepSettings, VariantSettings
from fivenines.solutions.traits import Traits

if TYPE_CHECKING:
    from fivenines.solutions.aurora.aws.prices import Charge

    AnyAccess = AccessSettings
else:
    AnyAccess = plugins.settings_union("fivenines.failover.proxies", AccessSettings, "kind")


Machines = Literal["namespaces", "virtual-machines"]


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

    # What does not fit it in an experiment.
    checks_type: ClassVar[type[Checks]] = Checks

    # Whether its nodes can be virtual machines.
    can_be_vms: ClassVar[bool] = True

    # Whether durability can be set by role, and follows promotions.
    durability_by_role: ClassVar[bool] = False

    # What users write for relaxed durability.
    write_relaxed: ClassVar[str] = "durability: relaxed"

    # Approximate time until it can be loaded, on two cores with engine and data cached; for plans.
    setup_seconds: ClassVar[float] = 10.0

    # Approximate time from a server's start until it is a member again, on two cores; for plans.
    restart_seconds: ClassVar[float] = 3.0

    # Whether it is an existing cluster: nothing is deployed, and only hooks can inject faults.
    external: ClassVar[bool] = False

    # Whether a switchover can name the new primary.
    chooses_successor: ClassVar[bool] = False

    # Whether its storage replicates by itself, with parts that can be made to fail.
    storage_can_fail: ClassVar[bool] = False

    # Sets of timeouts of built-in failover, among which `fivenines tune` chooses; empty: it knows none.
    own_timeouts: ClassVar[tuple[Values, ...]] = ()

    @property
    def traits(self) -> Traits:
        """Return the facts that follow from these settings."""
        raise NotImplementedError

    @property
    def checks(self) -> Checks:
        """Return the checks of these settings against other parts of an experiment."""
        return self.checks_type(self)

    def machine_problem(self) -> str:
        """Return what this solution lacks on this machine, as "key: problem"; empty: nothing is known."""
        return ""

    def charge(self, seconds: float) -> "Charge | None":
        """Return its cost for this many seconds; None: nothing is created that costs money."""
        return None

    @property
    def failover_manager(self) -> ManagerSettings | None:
        """Return its failover manager; None: failover is built in."""
        return getattr(self, "manager", None)

    @property
    def timeouts(self) -> tuple[Values, ...]:
        """Return the sets of timeouts that decide when it fails over; empty: `fivenines tune` knows none."""
        manager = self.failover_manager
        if self.own_timeouts or manager is None:
            return self.own_timeouts
        return tuple(
            {f"manager.{name}": value for name, value in values.items()} for values in manager.timeouts
        )

    @property
    def watch_period(self) -> float:
        """Return the longest interval of all failure detectors, in seconds.

        Faults in step with these checks would always be detected at the same phase, early or late.
        """
        manager = self.failover_manager
        parts = (self.access.watch_period, manager.watch_period if manager is not None else 0.0)
        return max(self.traits.watch_period, *parts)

    def topology(self) -> Topology:
        """Return its facts for managers, access layers and faults."""
        manager, traits = self.failover_manager, self.traits
        return Topology(
            solution=self.solution,
            engine=self.engine,
            durability=str(self.durability),
            mode=getattr(self, "mode", ""),
            nodes=traits.nodes,
            votes=traits.votes,
            hosts=traits.hosts,
            access=self.access.kind,
            access_host=self.access.host,
            manager=manager.kind if manager is not None else "",
            manager_host=manager.host if manager is not None else "",
            decides_on_nodes=traits.decides_on_nodes or (manager is not None and manager.on_nodes),
            moves_address=manager is not None and manager.moves_address,
            without_switchover=tuple(self.checks.problems_with_switchover()),
            words=traits.target_words,
            restart_seconds=self.restart_seconds,
            machines=self.machines,
            chooses_successor=self.chooses_successor,
            storage_can_fail=self.storage_can_fail,
            cpus=self.limits.cpus,
        )

    def default_name(self) -> str:
        """Return a short name for reports, made of the kind and distinguishing settings."""
        return self.solution

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


# Type of the settings of a kind of solution.
S = TypeVar("S", bound=SolutionSettings)
