"""MySQL NDB Cluster: rows in the memory of data nodes, in node groups; any SQL node takes writes.

Source: MySQL NDB Cluster 9 reference manual.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from fivenines.base.errors import FiveninesError
from fivenines.base.units import format_size
from fivenines.base.waiting import wait_until
from fivenines.lab.disks.disk import Disk
from fivenines.lab.lab import Lab
from fivenines.load import dataset
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import Value
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.daemon import daemon
from fivenines.servers.in_effect import Finding
from fivenines.servers.member import Member
from fivenines.servers.ndb import in_effect, states
from fivenines.servers.ndb.data_node import DataNode
from fivenines.servers.ndb.layout import FIRST_MANAGEMENT, FIRST_SQL, Layout, Place, node_groups
from fivenines.servers.ndb.management_node import PORT, ManagementNode
from fivenines.servers.ndb.sql_node import SqlNode
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.draining import Draining
from fivenines.solutions.ndb.settings import FILES_DEPEND_ON, NdbSettings

# Seconds between global checkpoints while data are loaded.
_CHECKPOINT = 0.2

# Longest start of data nodes in seconds: they wait for each other, and read checkpoint and redo log.
_UP = 90.0


class Ndb(Draining[NdbSettings, SqlNode]):
    """SQL nodes are equal; the first one that reaches the data nodes gets the writes."""

    settings_type = NdbSettings
    refusal = (("SET GLOBAL super_read_only = ON",), "is read-only")
    acceptance = ("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")

    def __init__(self, settings: NdbSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self.data: list[DataNode] = []
        self.management: list[ManagementNode] = []
        self._ended: dict[str, float] = {}

    @property
    def compared(self) -> bool:
        # All SQL nodes read the same rows, from the same data nodes.
        return False

    # deployment

    @classmethod
    def data_for(
        cls, settings: NdbSettings, workload: WorkloadSettings, report: Report, begun: bool = False
    ) -> Path:
        return cls.data_after((), settings, workload, report)

    @classmethod
    def data_after(
        cls, statements: Sequence[str], settings: NdbSettings, workload: WorkloadSettings, report: Report
    ) -> Path:
        """Return the files of one SQL node and of every data node, after a clean shutdown of the cluster.

        Args:
            statements: run before there are any tables.
            settings: from the experiment file.
            workload: the workload of the data.
            report: callback for progress messages.
        """
        software = engine(settings.engine)
        described = {
            **dataset.described_by(software, workload, report),
            **{name: getattr(settings, name) for name in FILES_DEPEND_ON},
            "cluster": "; ".join(f"{name}={value}" for name, value in settings.cluster.items()),
            **dataset.described_settings(settings.data_settings),
            **({"after": "; ".join(statements)} if statements else {}),
        }
        alone = settings.model_copy(
            update={
                "sql_nodes": 1,
                "management_nodes": 1,
                # Even a clean shutdown loses changes that are in no checkpoint (seen with 20 s).
                "global_checkpoint": _CHECKPOINT,
                "cluster": {
                    name: value
                    for name, value in settings.cluster.items()
                    if name.lower() != "timebetweenglobalcheckpoints"
                },
            }
        )

        def fill(lab: Lab) -> Mapping[str, Path]:
            made = cls(alone, lab, software, dataset.NOWHERE)
            return made.load(statements, workload, report)

        return dataset.kept(software, described, report, fill)

    def load(
        self, statements: Sequence[str], workload: WorkloadSettings, report: Report
    ) -> Mapping[str, Path]:
        """Load a data set in an empty lab; return its directories."""
        self.add_hosts()
        (node,) = self.nodes
        report("initialising a server", None)
        node.setup.initialise()
        # Accounts and databases are stored in the SQL node: no data nodes are needed.
        node.start_without_cluster()
        report("starting the data nodes", None)
        self._configure_parts()
        self.management[0].start()
        for data_node in self.data:
            data_node.start("--initial")
        self._await_data_nodes()
        self.configure(node)
        node.start()
        node.wait_ready(_UP)
        node.sql.execute(*statements)
        try:
            dataset.fill_tables(node, workload, report)
        except FiveninesError as error:
            raise FiveninesError(f"{error}{_remedy_if_full(str(error), self.settings)}") from error
        report("shutting the cluster down", None)
        node.stop()
        time.sleep(5 * _CHECKPOINT)
        self.management[0].shut_down_cluster()
        wait_until(self._running, _UP, "not all data nodes ended", interval=0.1)
        return {dataset.ONE: node.data, **{_files(data_node): data_node.data for data_node in self.data}}

    def add_hosts(self) -> None:
        settings, limits = self.settings, self.settings.limits
        managing = self.host_names("management", settings.management_nodes)
        for index, name in enumerate(managing):
            host = self.lab.add_host(
                name, self.root(), memory=limits.memory, cpus=limits.cpus, turn=self._turn(index)
            )
            place = Place(FIRST_MANAGEMENT + index, host.address)
            self.management.append(ManagementNode(host, self.engine, place))
        hosts = [
            self.lab.add_host(
                name, self.root(), memory=limits.memory, cpus=limits.cpus, turn=self._turn(index)
            )
            for index, name in enumerate(self.host_names("data", settings.data_nodes))
        ]
        sites = [self.lab.site_of(host.name) for host in hosts]
        groups = node_groups(sites, settings.replicas, settings.placement == "spread")
        for host, group in zip(hosts, groups, strict=True):
            # Adjacent numbers form a group anywhere, so that one data set fits all placements.
            taken = sum(part.place.group == group for part in self.data)
            place = Place(group * settings.replicas + taken + 1, host.address, group)
            self.data.append(DataNode(host, self.engine, place))
        super().add_hosts()
        self.parts = [*self.data, *self.management]
        if self.disk_calls:
            for part in self.parts:
                part.disk = Disk(part.host, self.disk_calls)
        names = {part.place.number: part.name for part in self.data}
        names |= {part.place.number: part.name for part in self.management}
        for manager in self.management:
            manager.names = names
        for index, node in enumerate(self.nodes):
            node.join(self.layout, FIRST_SQL + index)
            node.monitoring.data_nodes = {part.place.number: part.name for part in self.data}

    def _turn(self, index: int) -> int:
        return index if self.turn is None else self.turn

    @property
    def layout(self) -> Layout:
        """Return the layout of the cluster."""
        return Layout(
            data=[member.place for member in self.data],
            management=[member.place for member in self.management],
            sql=[Place(FIRST_SQL + index, member.host.address) for index, member in enumerate(self.nodes)],
            settings=self.settings.data_node_settings(),
            ranks=self.settings.ranks,
        )

    def configuration(self, node: SqlNode) -> dict[str, Value]:
        return {
            "ndb_read_backup": self.settings.read_backup,
            "ndb_fully_replicated": self.settings.fully_replicated,
        }

    def parts_in_effect(self) -> list[Finding]:
        names = {data_node.place.number: data_node.name for data_node in self.data}
        requested = self.settings.data_node_settings()
        return in_effect.findings(names, requested, self.nodes[0].sql.query(in_effect.QUESTION, 10.0))

    def prepare(self) -> None:
        self._configure_parts()
        for manager in self.management:
            manager.start()

    def hand_out(self) -> None:
        super().hand_out()
        for data_node in self.data:
            dataset.copy_part(self._data, _files(data_node), data_node)

    def start(self) -> None:
        for data_node in self.data:
            data_node.start()
        # An SQL node retries until data nodes are available.
        for node in self.nodes:
            node.start()
        self._await_data_nodes()
        self.each(lambda node: node.wait_ready(_UP))
        wait_until(
            lambda: next(filter(None, map(self.not_joined_reason, self.members)), ""),
            30.0,
            f"{self.settings.name}: not all nodes are up",
        )
        self.nodes[0].share_accounts()

    def start_alone(self, node: SqlNode) -> None:
        node.start("--skip-ndbcluster", "--default-storage-engine=InnoDB")

    # roles

    def observed_role(self, node: SqlNode) -> Literal["primary", "replica", "down"]:
        if not self._able(node):
            return "down"
        able = [other for other in self.nodes if self._able(other)]
        return "primary" if self.writer(able) is node else "replica"

    def endpoints(self) -> Endpoints:
        spread: Literal["first", "all"] = "all" if self.settings.writes == "all" else "first"
        return replace(super().endpoints(), spread=spread)

    def members_called(self, word: str) -> Sequence[Member]:
        if word in ("data", "management"):
            kind: Sequence[Member] = self.data if word == "data" else self.management
            return [member for member in kind if member.alive][:1]
        if word == "all-data":
            return self.data
        if word == "all-management":
            return self.management
        if word == "arbitrator":
            return self._arbitrators()
        if word.startswith("group"):
            return [member for member in self.data if word == f"group{member.place.group}"]
        return [member for member in self.parts if member.name == word]

    def not_joined_reason(self, node: Member) -> str:
        if isinstance(node, SqlNode):
            return "" if self._able(node) else f"{node.name} reaches no data nodes"
        if not node.alive:
            return f"{node.name} does not run"
        if isinstance(node, ManagementNode):
            return "" if self._states(node) else f"{node.name} does not answer"
        assert isinstance(node, DataNode)
        state = self._known().get(node.place.number)
        if state is not None and state.status == states.STARTED:
            return ""
        return f"{node.name} is {state.status if state else 'unknown to the management nodes'}"

    def lag_reason(self, node: SqlNode) -> str:
        # Nothing is applied later. But data nodes may have disconnected it, and it reconnects within seconds.
        if reason := self._not_reading(node):
            return reason
        # Without snapshots, checks of the data would see half a transaction.
        left = node.statements_of_clients()
        return f"{node.name} still executes {left} of the clients' statements" if left else ""

    def written(self) -> Callable[[SqlNode], str]:
        # No single SQL node knows what clients execute meanwhile.
        return self._not_reading

    def _not_reading(self, node: SqlNode) -> str:
        if reason := self.not_joined_reason(node):
            return reason
        return "" if node.reads_rows() else f"{node.name} does not read from data nodes yet"

    # after a fault

    def restart_order(self, nodes: Sequence[Member]) -> list[Member]:  # type: ignore[override]
        return sorted(nodes, key=lambda member: (isinstance(member, SqlNode), isinstance(member, DataNode)))

    def maintenance_order(self) -> list[Member]:
        # Management nodes, data nodes, SQL nodes (manual, "Performing a Rolling Restart of an NDB Cluster").
        return self.restart_order(super().maintenance_order())

    def rejoin(self, node: Member) -> None:
        if not isinstance(node, DataNode):
            daemon(node).start()
            if isinstance(node, SqlNode):
                node.wait_ready(_UP)
            return
        # Without a cluster no data node starts alone, as others of its group may have newer data.
        whole = not any(data_node.alive for data_node in self.data)
        for data_node in self.data if whole else [node]:
            data_node.start()

    def remediate(self) -> list[str]:
        """Restart data nodes that have shut themselves down, as the losing half of a partition does."""
        if self.settings.restart_after_shutdown is None:
            return []
        now = time.monotonic()
        for data_node in self.data:
            if data_node.alive or not data_node.ended_itself:
                self._ended.pop(data_node.name, None)
            else:
                self._ended.setdefault(data_node.name, now)
        late = [
            data_node
            for data_node in self.data
            if now - self._ended.get(data_node.name, now) > self.settings.restart_after_shutdown
        ]
        for data_node in late:
            self._ended.pop(data_node.name)
            data_node.start()
        return [f"{data_node.name}: restarted after it had shut itself down" for data_node in late]

    # queries

    def _configure_parts(self) -> None:
        layout = self.layout
        for manager in self.management:
            manager.configure(layout)
        for part in self.data:
            part.configure(layout)

    def _able(self, node: SqlNode) -> bool:
        return node.alive and not node.frozen and node.ready_data_nodes() > 0

    def _arbitrators(self) -> Sequence[Member]:
        for node in self.nodes:
            if self._able(node):
                number = node.arbitrator()
                places = [(candidate.place.number, candidate) for candidate in self.management]
                places += [(other.node_id, other) for other in self.nodes]  # type: ignore[misc]
                return [candidate for own, candidate in places if own == number]
        return []

    def _states(self, node: ManagementNode) -> dict[int, states.State]:
        return states.ask(node.host, node.host.address, PORT)

    def _known(self) -> dict[int, states.State]:
        """Return the states from the first management node that answers."""
        running = (manager for manager in self.management if manager.alive and not manager.frozen)
        return next(filter(None, map(self._states, running)), {})

    def _running(self) -> str:
        running = [data_node.name for data_node in self.data if data_node.alive]
        return f"{', '.join(running)} still runs" if running else ""

    def _await_data_nodes(self) -> None:
        def missing() -> str:
            for data_node in self.data:
                if not data_node.alive:
                    raise FiveninesError(
                        f"{data_node.name} ended instead of starting:\n{data_node.last_words()}"
                    )
            return next(filter(None, map(self.not_joined_reason, self.data)), "")

        wait_until(missing, _UP, "not all data nodes started", interval=0.2)


def _remedy_if_full(error: str, settings: NdbSettings) -> str:
    """Return what to do if data nodes are full; the errors for rows, tables and indexes are the same."""
    if "is full" not in error:
        return ""
    memory = format_size(settings.data_memory)
    return (
        f". Data nodes have data_memory: {memory} for all rows and indexes, and limits for tables and "
        "indexes (MaxNoOfTables and MaxNoOfOrderedIndexes in `cluster:`): raise them"
    )


def _files(node: DataNode) -> str:
    """Return the name of a data node's files in a data set."""
    return f"ndb{node.place.number}"
