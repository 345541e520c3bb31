"""MySQL NDB Cluster: rows in the memory of data nodes, in node groups; any SQL node takes writes.

Source: MySQL NDB Cluster 9 reference manual.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from fivenines.base.errors import FiveninesError
from fivenines.base.units import format_size
from fivenines.base.waiting import wait_until
from fivenines.lab.lab import Lab
from fivenines.load import dataset
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.servers.base import Value
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.in_effect import Finding
from fivenines.servers.member import Member
from fivenines.servers.ndb import in_effect
from fivenines.servers.ndb.data_node import DataNode
from fivenines.servers.ndb.layout import FIRST_SQL, Layout, Place
from fivenines.servers.ndb.management_node import ManagementNode
from fivenines.servers.ndb.sql_node import SqlNode
from fivenines.software.base import Engine, Report
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.draining import Draining
from fivenines.solutions.ndb.hosts import NdbHosts
from fivenines.solutions.ndb.membership import LONGEST_START, NdbMembership, NdbRoles
from fivenines.solutions.ndb.settings import FILES_DEPEND_ON, NdbSettings
from fivenines.solutions.preparation import Preparation

# Seconds between global checkpoints while data are loaded.
_CHECKPOINT = 0.2


class NdbPreparation(Preparation[NdbSettings]):
    """Its data are the files of a cluster that was loaded and shut down."""

    def data(self, workload: WorkloadSettings, report: Report, begun: bool = False) -> Path:
        return self.data_after((), workload, report)

    def data_after(self, statements: Sequence[str], workload: WorkloadSettings, report: Report) -> Path:
        """Return the files of one SQL node and of every data node, after a clean shutdown of the cluster.

        Args:
            statements: run before there are any tables.
            workload: the workload of the data.
            report: callback for progress messages.
        """
        software = engine(self.settings.engine)
        described = {
            **dataset.described_by(software, workload, report),
            **{name: getattr(self.settings, name) for name in FILES_DEPEND_ON},
            "cluster": "; ".join(f"{name}={value}" for name, value in self.settings.cluster.items()),
            **dataset.described_settings(self.settings.data_settings),
            **({"after": "; ".join(statements)} if statements else {}),
        }
        alone = self.settings.model_copy(
            update={
                "sql_nodes": 1,
                "management_nodes": 1,
                # Even a clean shutdown loses changes that are in no checkpoint (seen with 20 s).
                "global_checkpoint": _CHECKPOINT,
                "cluster": {
                    name: value
                    for name, value in self.settings.cluster.items()
                    if name.lower() != "timebetweenglobalcheckpoints"
                },
            }
        )

        def fill(lab: Lab) -> Mapping[str, Path]:
            made = Ndb(alone, lab, software, dataset.NOWHERE)
            return made.load(statements, workload, report)

        return dataset.kept(software, described, report, fill)


class NdbConfiguration(Configuration[NdbSettings, SqlNode]):
    """Settings of the SQL nodes; the management nodes have those of the data nodes."""

    solution: "Ndb"

    def own(self, node: SqlNode) -> dict[str, Value]:
        return {
            "ndb_read_backup": self.settings.read_backup,
            "ndb_fully_replicated": self.settings.fully_replicated,
        }

    def parts_in_effect(self) -> list[Finding]:
        names = {data_node.place.number: data_node.name for data_node in self.solution.data}
        requested = self.settings.data_node_settings()
        return in_effect.findings(
            names, requested, self.solution.nodes[0].sql.query(in_effect.QUESTION, 10.0)
        )


class Ndb(Solution[NdbSettings, SqlNode]):
    """SQL nodes are equal; the first one that reaches the data nodes gets the writes."""

    settings_type = NdbSettings
    roles_type = NdbRoles
    membership_type = NdbMembership
    switchover_type = Draining
    configuration_type = NdbConfiguration
    hosts_type = NdbHosts
    preparation = NdbPreparation

    roles: NdbRoles
    membership: NdbMembership
    switchover: Draining[SqlNode]

    def __init__(self, settings: NdbSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self.data: list[DataNode] = []
        self.management: list[ManagementNode] = []

    @property
    def compared(self) -> bool:
        # All SQL nodes read the same rows, from the same data nodes.
        return False

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

    def prepare(self) -> None:
        for manager in self.management:
            manager.start()

    def hand_out(self) -> None:
        super().hand_out()
        for data_node in self.data:
            dataset.copy_part(self.data_set, _files(data_node), data_node)

    def start(self) -> None:
        for data_node in self.data:
            data_node.start()
        # An SQL node retries until data nodes are available.
        for node in self.nodes:
            node.start()
        self._await_data_nodes()
        self.each(lambda node: node.wait_ready(LONGEST_START))
        wait_until(
            lambda: next(filter(None, map(self.membership.not_joined_reason, self.members)), ""),
            30.0,
            f"{self.settings.name}: not all nodes are up",
        )
        self.nodes[0].share_accounts()

    def start_alone(self, node: SqlNode) -> None:
        node.start("--skip-ndbcluster", "--default-storage-engine=InnoDB")

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

    def maintenance_order(self) -> list[Member]:
        # Management nodes, data nodes, SQL nodes (manual, "Performing a Rolling Restart of an NDB Cluster").
        return self.membership.restart_order(super().maintenance_order())

    def load(
        self, statements: Sequence[str], workload: WorkloadSettings, report: Report
    ) -> Mapping[str, Path]:
        """Load a data set in an empty lab; return its directories."""
        self.hosts.add()
        (node,) = self.nodes
        report("initialising a server", None)
        node.setup.initialise()
        # Accounts and databases are stored in the SQL node: no data nodes are needed.
        node.start_without_cluster()
        report("starting the data nodes", None)
        self.management[0].start()
        for data_node in self.data:
            data_node.start("--initial")
        self._await_data_nodes()
        self.configuration.write(node)
        node.start()
        node.wait_ready(LONGEST_START)
        node.sql.execute(*statements)
        try:
            dataset.fill_tables(node, workload, report)
        except FiveninesError as error:
            raise FiveninesError(f"{error}{_remedy_if_full(str(error), self.settings)}") from error
        report("shutting the cluster down", None)
        node.stop()
        time.sleep(5 * _CHECKPOINT)
        self.management[0].shut_down_cluster()
        wait_until(self._running, LONGEST_START, "not all data nodes ended", interval=0.1)
        return {dataset.ONE: node.data, **{_files(data_node): data_node.data for data_node in self.data}}

    def _arbitrators(self) -> Sequence[Member]:
        for node in self.nodes:
            if self.roles.able(node):
                number = node.arbitrator()
                places = [(candidate.place.number, candidate) for candidate in self.management]
                places += [(other.node_id, other) for other in self.nodes]  # type: ignore[misc]
                return [candidate for own, candidate in places if own == number]
        return []

    def _running(self) -> str:
        running = [data_node.name for data_node in self.data if data_node.alive]
        return f"{', '.join(running)} still runs" if running else ""

    def _await_data_nodes(self) -> None:
        def missing() -> str:
            if not any(manager.alive for manager in self.management):
                # Data nodes would look for it for a minute, and report only that.
                manager = self.management[0]
                raise FiveninesError(f"{manager.name} ended instead of starting:\n{manager.last_words()}")
            for data_node in self.data:
                if not data_node.alive:
                    raise FiveninesError(
                        f"{data_node.name} ended instead of starting:\n{data_node.last_words()}"
                    )
            return next(filter(None, map(self.membership.not_joined_reason, self.data)), "")

        wait_until(missing, LONGEST_START, "not all data nodes started", interval=0.2)


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
