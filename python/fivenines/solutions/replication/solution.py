"""MariaDB's and MySQL's replication by GTID: asynchronous or semi-synchronous, one primary and N replicas.

Sources: MariaDB documentation, "Global Transaction ID" and "Semisynchronous Replication"; MySQL 9 reference
manual, "Replication with Global Transaction Identifiers" and "Semisynchronous Replication".
"""

from pathlib import Path

from fivenines.base.waiting import wait_until
from fivenines.lab.lab import Lab
from fivenines.servers.base import Value, inside
from fivenines.servers.mariadb.replication import MariadbReplicating
from fivenines.servers.mysql.replication import MysqlReplicating
from fivenines.servers.mysql_family.replication import Replicating
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.roles import Company
from fivenines.software.base import Engine
from fivenines.solutions.base import Solution
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.replication.membership import ApplierStalling, ReplicationMembership
from fivenines.solutions.replication.settings import ReplicationSettings


class ReplicationConfiguration(Configuration[ReplicationSettings, MysqlFamily]):
    """Every node can be primary or replica."""

    solution: "Replication"

    def own(self, node: MysqlFamily) -> dict[str, Value]:
        settings: dict[str, Value] = {
            "server_id": self._server_id(node),
            "report_host": node.host.address,
            "log_bin": inside("data", "binlog"),
            "relay_log": inside("data", "relay"),
            "relay_log_recovery": True,
            **self.solution.sql.settings(),
            **self.solution.sql.applying(self.settings.appliers, self.settings.parallel_mode),
        }
        settings |= node.durability(self.settings.durability.at_start)
        return settings | self._semi_sync()

    def _server_id(self, node: MysqlFamily) -> int:
        # A replica skips transactions with its own number, and those of the restored node must not be
        # skipped.
        number = next(i for i, other in enumerate(self.solution.nodes, start=1) if other is node)
        return number + 100 * self.solution.membership.restored[node.name]

    def _semi_sync(self) -> dict[str, Value]:
        if self.settings.mode == "async":
            return {}
        # The primary's half is switched on at promotion: a replica with it would wait for acknowledgements
        # that never come.
        timeout = round(self.settings.semi_sync_timeout * 1000)
        return self.solution.sql.semi_sync(self.settings.mode, timeout, self.settings.wait_for)


class Replication(Solution[ReplicationSettings, MysqlFamily]):
    """One primary writes a binary log; replicas fetch and apply it."""

    settings_type = ReplicationSettings
    membership_type = ReplicationMembership
    stalling_type = ApplierStalling
    configuration_type = ReplicationConfiguration

    membership: ReplicationMembership

    def __init__(self, settings: ReplicationSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self.sql: Replicating = MysqlReplicating() if engine.family == "mysql" else MariadbReplicating()

    @property
    def semi_synchronous(self) -> bool:
        """Return whether a commit waits until a replica has it."""
        return self.settings.mode != "async"

    @property
    def company(self) -> Company:
        return Company(self.settings.wait_for, True) if self.semi_synchronous else Company()

    def manager_facts(self) -> dict[str, object]:
        return {"synchronous": self.semi_synchronous}

    def start(self) -> None:
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        primary, replicas = self.nodes[0], self.nodes[1:]
        self.each(lambda node: node.sql.execute(*self.statements(node)), replicas)
        wait_until(
            lambda: next(filter(None, map(self.membership.not_joined_reason, replicas)), ""),
            30.0,
            f"{self.settings.name}: not all replicas follow the primary",
        )
        primary.sql.execute(*self.statements(primary))
        if self.semi_synchronous:
            self._await_semi_sync(primary)
        primary.sql.execute(*self.sql.writable)

    def statements(self, node: MysqlFamily) -> list[str]:
        if node is not self.nodes[0]:
            return self.follow(self.nodes[0])
        return list(self.sql.wait_for_replicas) if self.semi_synchronous else []

    def follow(self, primary: MysqlFamily) -> list[str]:
        """Return the statements with which a replica follows this primary."""
        return self.sql.follow(primary.host.address, self.passwords.replication)

    def _await_semi_sync(self, primary: MysqlFamily) -> None:
        expected = str(self.settings.replicas)
        wait_until(
            lambda: (
                ""
                if primary.sql.status(self.sql.acknowledging).popitem()[1] == expected
                else "too few replicas acknowledge"
            ),
            15.0,
            f"{self.settings.name}: semi-synchronous replication did not start",
        )
