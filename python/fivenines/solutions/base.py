"""A solution at work: deployed in a world, asked for roles, broken and recovered.

A subclass says how its servers are configured and joined, who has which role, and how a node that died
comes back. Adding a solution is one file with a `SolutionSettings` and a `Solution`.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from fivenines.access.base import Access, Purpose
from fivenines.access.endpoints import Endpoints
from fivenines.errors import FiveninesError
from fivenines.faults.settings import FaultSettings
from fivenines.lab.disk import Calls, Disk
from fivenines.lab.host import Root
from fivenines.lab.world import World
from fivenines.load import dataset
from fivenines.managers.base import Manager
from fivenines.managers.events import ManagerEvent
from fivenines.managers.settings import ManagerSettings
from fivenines.servers.base import Server, Value
from fivenines.servers.families import server
from fivenines.servers.secrets import Passwords
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.arbiter import Arbiter
from fivenines.solutions.settings import SolutionSettings
from fivenines.workloads.settings import WorkloadSettings

if TYPE_CHECKING:
    from fivenines.faults.base import Fault

S = TypeVar("S", bound=SolutionSettings)

Role = Literal["primary", "replica", "stray", "down"]
"""A stray takes writes although another node is the primary of record."""


class Solution(ABC, Generic[S]):
    """One deployed HA architecture.

    Args:
        settings: what the experiment file says.
        world: where its hosts are made.
        engine: its database server.
        data: folder of the data set that every node starts from.
    """

    settings_type: ClassVar[type[SolutionSettings]]

    health: ClassVar[Literal["synced", "writable"]] = "writable"
    """What makes a node eligible for writes, in the words of `fivenines-core health`."""

    bootstrap: ClassVar[tuple[str, dataset.Bootstrap] | None] = None
    """What its data needs beyond what one server has loaded; see `dataset.ensure`."""

    def __init__(self, settings: S, world: World, engine: Engine, data: Path) -> None:
        self.settings = settings
        self.world = world
        self.engine = engine
        self.nodes: list[Server] = []
        self.passwords = Passwords()
        """Of the accounts of its servers, for this lab alone."""
        self.phases: dict[str, float] = {}
        self.disk_calls: frozenset[Calls] = frozenset()
        """Calls to the disk that faults will interfere with, set before `deploy`."""
        self.appointed = ""
        """The node that was promoted last; empty: the first one."""
        self.arbiter: Arbiter | None = None
        """Who votes beside the nodes, where the solution has one; known once it is deployed."""
        self.access: Access[Any] | None = None
        """The access layer, once it is known; set before `deploy`."""
        self.manager: Manager[Any] | None = None
        """The failover manager, once it is known; set before `deploy`."""
        self._data = data

    # what a subclass says

    @abstractmethod
    def configuration(self, node: Server) -> dict[str, Value]:
        """Server settings of a node, beside our defaults and the user's own."""

    @abstractmethod
    def start(self) -> None:
        """Start all servers and join them; returns when the solution is writable and complete."""

    @abstractmethod
    def observed_role(self, node: Server) -> Literal["primary", "replica", "down"]:
        """The role that a node takes itself to have now."""

    @abstractmethod
    def rejoin(self, node: Server) -> None:
        """Start a dead node's server again as a member, under whoever is primary now.

        Raises:
            FiveninesError: it could not be started or attached; says why.
        """

    @property
    def compared(self) -> bool:
        """Whether all tables are compared between its nodes after a trial."""
        return True

    def prepare(self) -> None:
        """Start what needs no data, while they are copied; the hosts of the nodes are there."""
        return

    def stray_reason(self, node: Server) -> str:
        """Why a live node does not become a member again by itself; empty if it may."""
        return ""

    def restore_data(self, node: Server) -> None:
        """Give a stopped node the data set again, as from a backup: its own history is no use any more.

        Raises:
            FiveninesError: it has no means for that.
        """
        raise FiveninesError(f"{self.settings.name}: nobody restores {node.name}")

    def on_call_step(self) -> list[str]:
        """What a person on call does while something is broken, twice a second; in words, if anything."""
        return []

    def stall(self, node: Server) -> str:
        """Let a replica apply nothing; in words how. `unstall` ends it.

        Raises:
            FiveninesError: it could not be stalled.
        """
        raise FiveninesError(f"{self.settings.name}: no replica that could stall")

    def unstall(self, node: Server) -> str:
        """Let a stalled replica apply again; why it does not, empty if it does."""
        return ""

    def replaces(self) -> bool:
        """Whether a failover that is built in will now give a dead primary's role to another node."""
        return False

    def hand_over(self, access: Access[Any]) -> str:
        """Let another node get the writes, where no failover manager does that; in words how.

        Raises:
            FiveninesError: it has no means for that.
        """
        raise FiveninesError(f"{self.settings.name}: it cannot make a switchover")

    def undrain(self, access: Access[Any], node: Server) -> None:
        """Let a node that has handed over get writes again."""
        return

    def restart_order(self, nodes: Sequence[Server]) -> list[Server]:
        """The order in which dead nodes are started again: the primary of record first."""
        return sorted(nodes, key=lambda node: node is not self.primary_of_record)

    @abstractmethod
    def not_joined_reason(self, node: Server) -> str:
        """Why a node is not a working member now; empty when it is one."""

    @abstractmethod
    def lag_reason(self, node: Server) -> str:
        """What a replica still has to apply; empty when it has applied all that the primary has."""

    @property
    def manager_settings(self) -> ManagerSettings | None:
        """The failover manager's settings; None where failover is built in."""
        return None

    def events(self) -> list[ManagerEvent]:
        """What a failover that is built in has told so far (in its logs), as a manager does."""
        return []

    def manager_facts(self) -> dict[str, object]:
        """What the failover manager must know of this solution, beside addresses."""
        return {}

    # what all solutions do alike

    @classmethod
    def data_for(
        cls, settings: S, workload: WorkloadSettings, report: Report, begun: bool = False
    ) -> Path:
        """The folder of its data set with this workload, made now where it is not kept.

        Args:
            settings: what the experiment file says.
            workload: whose data.
            report: told about progress.
            begun: whether a run that has begun before goes on.

        Raises:
            FiveninesError: it could not be made.
        """
        return dataset.ensure(engine(settings.engine), workload, report, cls.bootstrap)

    def fault(self, settings: FaultSettings) -> "Fault[Any] | None":
        """A fault by the solution's own means, where the lab has none to break it; None: as usual."""
        return None

    def leave(self) -> None:
        """Take away what must not stay when the trial is over; in the lab nothing stays anyway."""
        return

    def deploy(self) -> None:
        """Bring it up from nothing; `phases` then holds the seconds of each step."""
        with self.timed("hosts"):
            self.add_hosts()
            self.prepare()
        with self.timed("data"):
            dataset.hand_out(self._data, self.nodes, self.each)
        with self.timed("start"):
            for node in self.nodes:
                self.configure(node)
            self.start()

    def add_hosts(self) -> None:
        """Make the hosts of its nodes; nothing runs on them yet."""
        limits = self.settings.limits
        for number in range(1, self.settings.nodes + 1):
            host = self.world.add_host(
                f"node{number}", self.root(), memory=limits.memory, cpus=limits.cpus
            )
            self.nodes.append(server(host, self.engine, self.passwords))
            if self.disk_calls:
                self.nodes[-1].disk = Disk(host, self.disk_calls)

    def start_alone(self, node: Server) -> None:
        """Start a node's server on its copy of the data without any other node, as a preflight does."""
        node.start()

    def root(self) -> Root:
        """What its nodes see as their root."""
        software = self.manager.software if self.manager is not None else None
        return self.engine.root() if software is None else engine(software).root()

    def configure(self, node: Server) -> None:
        """Write the configuration of a node's server."""
        node.configure(self.whole_configuration(node))

    def whole_configuration(self, node: Server) -> dict[str, Value]:
        """Its settings, each over the one before: access layer, solution, manager, user."""
        reached = self.access.configuration(node) if self.access is not None else {}
        managed = self.manager.configuration(node) if self.manager is not None else {}
        return {**reached, **self.configuration(node), **managed, **self.settings.server}

    def start_node(self, node: Server) -> None:
        """As `rejoin`, by the failover manager where that starts servers itself.

        Raises:
            FiveninesError: it could not be started or attached; says why.
        """
        if self.manager is not None:
            self.manager.start_on(node)
        if self.manager is None or not self.manager.supervises:
            self.rejoin(node)

    @property
    def primary_of_record(self) -> Server:
        """The node that is primary by the last decision, dead or alive."""
        return self.node(self.appointed) if self.appointed else self.nodes[0]

    def appoint(self, name: str) -> None:
        """Note that this node has been promoted."""
        self.appointed = name

    def primary(self) -> Server | None:
        """The primary of record now: of several that take writes, the one that was promoted last."""
        return self._of_record({node.name: self.observed_role(node) for node in self.nodes})

    def role(self, node: Server) -> Role:
        """The role that a node has now."""
        observed = self.observed_role(node)
        if observed == "primary" and self.primary() is not node:
            return "stray"
        return observed

    def target(self, role: str) -> Server:
        """The first node that has this role now.

        Raises:
            FiveninesError: no node has it.
        """
        for node in self.nodes:
            if self.role(node) == role:
                return node
        raise FiveninesError(f"{self.settings.name}: no node is {role} now")

    def roles(self) -> dict[str, str]:
        """The role of each node now."""
        observed = {node.name: self.observed_role(node) for node in self.nodes}
        primary = self._of_record(observed)
        return {
            name: "stray"
            if role == "primary" and (primary is None or primary.name != name)
            else role
            for name, role in observed.items()
        }

    def health_check(self, purpose: Purpose) -> tuple[int, str] | None:
        """Port and path on a node that answer HTTP checks by themselves; None: nothing does."""
        return None

    def endpoints(self) -> Endpoints:
        """Where clients without an access layer find it."""
        every = tuple(node.endpoint for node in self.nodes)
        replicas = every[1:] if self.settings.reads == "replicas" else ()
        return Endpoints(write=every, read=replicas, find="writable", spread="first")

    def node(self, name: str) -> Server:
        """The node of this name.

        Raises:
            FiveninesError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise FiveninesError(f"there is no node {name!r}: the nodes are {known}")

    def each(self, action: Callable[[Server], None], nodes: Sequence[Server] | None = None) -> None:
        """Do something with all nodes at once; the first error is raised."""
        chosen = self.nodes if nodes is None else nodes
        with ThreadPoolExecutor(max_workers=max(1, len(chosen))) as pool:
            list(pool.map(action, chosen))

    def _of_record(self, observed: Mapping[str, str]) -> Server | None:
        writing = [node for node in self.nodes if observed[node.name] == "primary"]
        return (
            self.primary_of_record
            if self.primary_of_record in writing
            else next(iter(writing), None)
        )

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Note how long a step of the deployment takes."""
        begun = time.monotonic()
        yield
        self.phases[phase] = round(time.monotonic() - begun, 3)
