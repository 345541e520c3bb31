"""MariaDB's and MySQL's replication by GTID: asynchronous or semi-synchronous, one primary and N replicas.

Sources: MariaDB documentation, "Global Transaction ID" and "Semisynchronous Replication"; MySQL 9 reference
manual, "Replication with Global Transaction Identifiers" and "Semisynchronous Replication".
"""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration, format_duration
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.any import AnyManager
from fivenines.failover.managers.operator.manager import OperatorSettings
from fivenines.lab.lab import Lab
from fivenines.load import dataset
from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Value, inside
from fivenines.servers.mariadb.replication import MariadbReplicating
from fivenines.servers.mysql.replication import MysqlReplicating
from fivenines.servers.mysql_family.replication import Replicating
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.roles import Company
from fivenines.software.base import Engine
from fivenines.software.store import family_of
from fivenines.solutions.base import Solution
from fivenines.solutions.engines import engine_type
from fivenines.solutions.replication.facts import replication_facts
from fivenines.solutions.reserved import BINARY_LOG, by_key
from fivenines.solutions.settings import SolutionSettings

# Shortest wait of a primary for replicas, in seconds, so that it can be made strict meanwhile.
#
# With one session it notices the loss of its replica by a heartbeat, half of slave_net_timeout after the last
# event: seen after 2.5 s on MariaDB and 3.1 s on MySQL.
_LEAST_ADAPTIVE = 5.0

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(("mariadb-10.11", "mysql-9.7", "host-mariadb"), "mariadb", "mysql")


class ReplicationSettings(SolutionSettings):
    """One primary, N replicas; in semi-synchronous modes a commit waits until a replica has it."""

    setup_seconds: ClassVar[float] = 5.0

    solution: Literal["replication"] = Field(description="MariaDB or MySQL primary with replicas, by GTID")
    engine: AnyEngine = Field("mariadb-10.11", description="the database server")
    replicas: Annotated[int, Field(ge=0, le=8)] = Field(2, description="number of replicas")
    mode: Literal["async", "after_sync", "after_commit"] = Field(
        "async",
        description="async, or semi-synchronous: the primary waits for a replica after_sync (before its own "
        "commit) or after_commit (before it answers)",
    )
    semi_sync_timeout: Duration = Field(
        10.0, description="longest wait for a replica until the primary continues asynchronously"
    )
    wait_for: Annotated[int, Field(ge=1, le=8)] = Field(
        1,
        description="replicas that a semi-synchronous primary waits for "
        "(rpl_semi_sync_source_wait_for_replica_count); more than 1 on MySQL only",
    )
    appliers: Annotated[int, Field(ge=0, le=64)] | None = Field(
        None,
        description="applier threads of a replica (slave_parallel_threads, replica_parallel_workers); "
        "default: the server's, which is one thread on MariaDB and 4 on MySQL",
    )
    parallel_mode: Literal["minimal", "conservative", "optimistic", "aggressive"] | None = Field(
        None,
        description="what they may apply in parallel (slave_parallel_mode, MariaDB only); default: "
        "optimistic",
    )
    manager: AnyManager = Field(default_factory=OperatorSettings, description="failover manager")
    durability_by_role = True

    def default_name(self) -> str:
        return "replication async" if self.mode == "async" else f"replication {self.mode}"

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        if self.replicas == 0:
            kind = "replication" if self.mode == "async" else "semi-synchronous replication"
            return [f"{kind} needs at least one replica: set replicas to 1 or more"]
        if self.wait_for > self.replicas:
            return [
                f"wait_for: {self.wait_for} replicas cannot acknowledge, as there are {self.replicas}: "
                "lower wait_for, or raise replicas"
            ]
        if self.wait_for > 1 and family_of(self.engine) != "mysql":
            return ["wait_for: MariaDB waits for one replica only; set it to 1, or engine to mysql-9.7"]
        adaptive = self.durability.primary == "adaptive" and self.mode != "async"
        if adaptive and self.semi_sync_timeout < _LEAST_ADAPTIVE:
            return [
                f"semi_sync_timeout: {format_duration(self.semi_sync_timeout)} is too short for an adaptive "
                "durability: a primary may notice the loss of its replica only after 3s, and would continue "
                f"alone before it is strict. Set it to {format_duration(_LEAST_ADAPTIVE)} or more"
            ]
        return self._problems_with_appliers()

    def _problems_with_appliers(self) -> list[str]:
        if self.parallel_mode and family_of(self.engine) == "mysql":
            return [
                "parallel_mode: MySQL has no such setting, as its replicas apply in parallel what the "
                "primary marked as independent: leave it out"
            ]
        if self.parallel_mode and (self.appliers or 0) < 2:
            return ["parallel_mode: a single thread applies nothing in parallel: set appliers to 2 or more"]
        return []

    @property
    def reserved(self) -> Mapping[str, str]:
        waiting = {
            "wait_point": "mode",
            "timeout": "semi_sync_timeout",
            "wait_for_slave_count": "wait_for",
            "wait_for_replica_count": "wait_for",
        }
        sides = ("master", "slave", "source", "replica")
        threads = (
            "slave_parallel_threads",
            "slave_parallel_workers",
            "replica_parallel_workers",
            "replica_parallel_threads",
        )
        return {
            "log_bin": BINARY_LOG,
            "gtid_mode": "replicas follow by GTID",
            "enforce_gtid_consistency": "replicas follow by GTID",
            **dict.fromkeys(
                ("log_slave_updates", "log_replica_updates"),
                "a promoted replica passes on what it has received, from its binary log",
            ),
            **{f"rpl_semi_sync_{side}_enabled": by_key("mode") for side in sides},
            **(
                {
                    f"rpl_semi_sync_{side}_{name}": by_key(key)
                    for side in ("master", "source")
                    for name, key in waiting.items()
                }
                if self.mode != "async"
                else {}
            ),
            **(dict.fromkeys(threads, by_key("appliers")) if self.appliers is not None else {}),
            **({"slave_parallel_mode": by_key("parallel_mode")} if self.parallel_mode else {}),
        }

    def facts(self) -> SolutionFacts:
        return replication_facts(self)

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def nodes(self) -> int:
        return 1 + self.replicas


class Replication(Solution[ReplicationSettings, MysqlFamily]):
    """One primary writes a binary log; replicas fetch and apply it."""

    settings_type = ReplicationSettings

    def __init__(self, settings: ReplicationSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._sql: Replicating = MysqlReplicating() if engine.family == "mysql" else MariadbReplicating()
        # Nodes whose history has diverged from the primary's.
        self._diverged: set[str] = set()
        self._restored: Counter[str] = Counter()

    def configuration(self, node: MysqlFamily) -> dict[str, Value]:
        settings: dict[str, Value] = {
            "server_id": self._server_id(node),
            "report_host": node.host.address,
            "log_bin": inside("data", "binlog"),
            "relay_log": inside("data", "relay"),
            "relay_log_recovery": True,
            **self._sql.settings(),
            **self._sql.applying(self.settings.appliers, self.settings.parallel_mode),
        }
        settings |= node.durability(self.settings.durability.at_start)
        return settings | self._semi_sync()

    @property
    def company(self) -> Company:
        return Company(self.settings.wait_for, True) if self._semi_synchronous else Company()

    def manager_facts(self) -> dict[str, object]:
        return {"synchronous": self._semi_synchronous}

    def start(self) -> None:
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        primary, replicas = self.nodes[0], self.nodes[1:]
        self.each(lambda node: node.sql.execute(*self._follow(primary)), replicas)
        wait_until(
            lambda: next(filter(None, map(self.not_joined_reason, replicas)), ""),
            30.0,
            f"{self.settings.name}: not all replicas follow the primary",
        )
        if self._semi_synchronous:
            primary.sql.execute(*self._sql.wait_for_replicas)
            self._await_semi_sync(primary)
        primary.sql.execute(*self._sql.writable)

    def rejoin(self, node: MysqlFamily) -> None:
        primary = self.primary()
        if primary is not None and node.name in self._diverged:
            self.restore_data(node)
        # A replica that died must not continue by itself from its old position.
        node.start(*(self._sql.rejoin_arguments(self._semi_synchronous) if primary else []))
        node.wait_ready()
        if primary is None and node is self.primary_of_record:
            waiting = self._sql.wait_for_replicas if self._semi_synchronous else ()
            node.sql.execute(*waiting, *self._sql.writable)
        elif primary is not None:
            node.sql.execute(*self._sql.before_following(), *self._follow(primary))

    def _follow(self, primary: MysqlFamily) -> list[str]:
        return self._sql.follow(primary.host.address, self.passwords.replication)

    def restore_data(self, node: MysqlFamily) -> None:
        """Start from the data set again, as from the last backup; replication supplies the rest.

        The primary's log reaches back to the data set. Transactions that only the node had are discarded, as
        the promotion of the new primary implied.
        """
        dataset.copy(self._data, node)
        self._diverged.discard(node.name)
        self._restored[node.name] += 1
        self.configure(node)

    def _server_id(self, node: MysqlFamily) -> int:
        # A replica skips transactions with its own number, and those of the restored node must not be
        # skipped.
        number = next(i for i, other in enumerate(self.nodes, start=1) if other is node)
        return number + 100 * self._restored[node.name]

    def not_joined_reason(self, node: MysqlFamily) -> str:
        if not node.answers():
            return f"{node.name} does not answer"
        if node.writable():
            return self.second_primary_reason(node)
        state = node.sql.replica_status()
        if not state:
            return f"{node.name} follows no primary"
        error = state["Last_IO_Error"] or state["Last_SQL_Error"]
        if error:
            return f"{node.name}: {error}"
        if not all(state[thread] == "Yes" for thread in self._sql.threads):
            return f"{node.name} is still connecting"
        return self._misled(state, node) or self._divergence(state, node)

    def unexpected_primary_reason(self, node: MysqlFamily) -> str:
        if not node.answers():
            return ""
        if node.writable():
            return "" if self._supervised else self.second_primary_reason(node)
        state = node.sql.replica_status()
        if diverged := self._divergence(state, node):
            self._diverged.add(node.name)
            return diverged
        # A manager that starts servers also repoints them, in its own time.
        return "" if self._supervised else self._misled(state, node)

    def _divergence(self, state: dict[str, Any], node: MysqlFamily) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        if not self._sql.diverged(node, primary, state):
            return ""
        return f"{node.name} has transactions that the primary does not have: it must be restored"

    def stall(self, node: MysqlFamily) -> str:
        node.sql.execute(self._sql.stall)
        if node.sql.replica_status()[self._sql.threads[1]] != "No":
            raise FiveninesError(f"{node.name}: its SQL thread did not stop")
        return self._sql.stall

    def unstall(self, node: MysqlFamily) -> str:
        node.sql.execute(self._sql.unstall)
        running = node.sql.replica_status()[self._sql.threads[1]]
        return "" if running == "Yes" else "its SQL thread does not run"

    def _misled(self, state: dict[str, Any], node: MysqlFamily) -> str:
        primary = self.primary()
        if primary is None or primary is node or not state:
            return ""
        followed = state[self._sql.source]
        if followed == primary.host.address:
            return ""
        return f"{node.name} still follows {followed}, not {primary.name}"

    def lag_reason(self, node: MysqlFamily) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        return self._sql.behind(node, primary)

    def written(self) -> Callable[[MysqlFamily], str]:
        primary = self.primary()
        if primary is None:
            return self.lag_reason
        unapplied = self._sql.written(primary)
        return lambda node: "" if node is primary else unapplied(node)

    @property
    def _supervised(self) -> bool:
        return self.settings.manager.supervises

    @property
    def _semi_synchronous(self) -> bool:
        return self.settings.mode != "async"

    def _semi_sync(self) -> dict[str, Value]:
        if not self._semi_synchronous:
            return {}
        # The primary's half is switched on at promotion: a replica with it would wait for acknowledgements
        # that never come.
        timeout = round(self.settings.semi_sync_timeout * 1000)
        return self._sql.semi_sync(self.settings.mode, timeout, self.settings.wait_for)

    def _await_semi_sync(self, primary: MysqlFamily) -> None:
        expected = str(self.settings.replicas)
        wait_until(
            lambda: (
                ""
                if primary.sql.status(self._sql.acknowledging).popitem()[1] == expected
                else "too few replicas acknowledge"
            ),
            15.0,
            f"{self.settings.name}: semi-synchronous replication did not start",
        )
