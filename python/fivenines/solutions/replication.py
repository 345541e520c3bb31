"""MariaDB replication by GTID: asynchronous or semi-synchronous, one primary and N replicas.

Source: MariaDB documentation, "Global Transaction ID" and "Semisynchronous Replication".
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.engines.base import Engine
from fivenines.errors import FiveninesError
from fivenines.lab.world import World
from fivenines.load import dataset
from fivenines.managers.any import AnyManager
from fivenines.managers.operator import OperatorSettings
from fivenines.managers.settings import ManagerSettings
from fivenines.servers.base import Server, Value, inside
from fivenines.servers.mariadb import SEMI_SYNC_PRIMARY, WRITABLE, Mariadb, follow
from fivenines.solutions.base import Solution
from fivenines.solutions.durability import durability
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration
from fivenines.waiting import wait_until

_NOT_IN_THE_LOG = 1236
"""ER_MASTER_FATAL_ERROR_READING_BINLOG: the primary does not know the position that a replica is at."""


class ReplicationSettings(SolutionSettings):
    """One primary, N replicas; semi-synchronous modes wait until one replica has the transaction."""

    solution: Literal["replication"] = Field(description="MariaDB primary with replicas, by GTID")
    engine: Literal["mariadb-10.11", "host-mariadb"] = Field(
        "mariadb-10.11", description="the database server"
    )
    replicas: Annotated[int, Field(ge=0, le=8)] = Field(2, description="number of replicas")
    mode: Literal["async", "after_sync", "after_commit"] = Field(
        "async",
        description="async, or semi-synchronous: the primary waits for a replica after_sync (before "
        "its own commit) or after_commit (before it answers)",
    )
    semi_sync_timeout: Duration = Field(
        10.0, description="wait for a replica before the primary goes on asynchronously"
    )
    manager: AnyManager = Field(
        default_factory=OperatorSettings, description="the failover manager"
    )

    def default_name(self) -> str:
        return "replication async" if self.mode == "async" else f"replication {self.mode}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        if self.replicas == 0:
            kind = "replication" if self.mode == "async" else "semi-synchronous replication"
            return [f"{kind} needs at least one replica: set replicas to 1 or more"]
        return []

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def nodes(self) -> int:
        return 1 + self.replicas


class Replication(Solution[ReplicationSettings]):
    """One primary writes a binary log; replicas fetch and apply it."""

    settings_type = ReplicationSettings
    nodes: list[Mariadb]  # type: ignore[assignment]

    def __init__(
        self, settings: ReplicationSettings, world: World, engine: Engine, data: Path
    ) -> None:
        super().__init__(settings, world, engine, data)
        self._diverged: set[str] = set()
        """Nodes whose history is not the primary's."""
        self._restored: Counter[str] = Counter()

    def configuration(self, node: Server) -> dict[str, Value]:
        settings: dict[str, Value] = {
            "server_id": self._server_id(node),
            "report_host": node.host.address,
            "log_bin": inside("data", "binlog"),
            "log_slave_updates": True,
            "gtid_strict_mode": True,
            "relay_log": inside("data", "relay"),
            "relay_log_recovery": True,
            # a replica notices a silent primary after this time
            "slave_net_timeout": 5,
            # nobody writes until somebody is made primary
            "read_only": True,
        }
        settings |= durability(self.engine.family, self.settings.durability)
        return settings | self._semi_sync()

    @property
    def manager(self) -> ManagerSettings:
        return self.settings.manager

    def manager_facts(self) -> dict[str, object]:
        return {"synchronous": self._semi_synchronous}

    def start(self) -> None:
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        primary, replicas = self.nodes[0], self.nodes[1:]
        self.each(lambda node: node.execute(*follow(primary.host.address)), replicas)
        wait_until(
            lambda: next(filter(None, map(self.joined, replicas)), ""), 30.0,
            f"{self.settings.name}: not all replicas follow the primary",
        )  # fmt: skip
        if self._semi_synchronous:
            primary.execute(SEMI_SYNC_PRIMARY)
            self._await_semi_sync(primary)
        primary.execute(WRITABLE)

    def observed_role(self, node: Server) -> Literal["primary", "replica", "down"]:
        if not node.alive or not node.answers():
            return "down"
        return "primary" if node.writable() else "replica"

    def rejoin(self, node: Server) -> None:
        primary = self.primary()
        if primary is not None and node.name in self._diverged:
            self.restore(node)
        # a replica that died must not go on by itself from where it was
        arguments = ["--skip-slave-start"] if primary else []
        if primary and self._semi_synchronous:
            # a primary that crashed drops what no replica has acknowledged; without semi-synchrony its
            # own log is the truth (MariaDB documentation, init_rpl_role)
            arguments.append("--init-rpl-role=SLAVE")
        node.start(*arguments)
        node.wait_ready()
        if primary is None and node is self.record:
            node.execute(*([SEMI_SYNC_PRIMARY] if self._semi_synchronous else []), WRITABLE)
        elif primary is not None:
            node.execute(
                "SET GLOBAL gtid_slave_pos = @@global.gtid_current_pos",
                *follow(primary.host.address),
            )

    def restore(self, node: Server) -> None:
        """Begin again from the data set, as from the last backup; replication brings the rest.

        The primary's log reaches back to the data set. What the node alone had is gone, as the decision
        for the new primary meant.
        """
        dataset.replace(self._data, node)
        self._diverged.discard(node.name)
        self._restored[node.name] += 1
        self.configure(node)

    def _server_id(self, node: Server) -> int:
        # a replica skips what carries its own number: what a restored node once wrote must not be skipped
        number = next(i for i, other in enumerate(self.nodes, start=1) if other is node)
        return number + 100 * self._restored[node.name]

    def joined(self, node: Server) -> str:
        if not node.answers():
            return f"{node.name} does not answer"
        if node.writable():
            return self._not_alone(node)
        state = self._following(node)
        if not state:
            return f"{node.name} follows nobody"
        error = state["Last_IO_Error"] or state["Last_SQL_Error"]
        if error:
            return f"{node.name}: {error}"
        running = state["Slave_IO_Running"] == "Yes" and state["Slave_SQL_Running"] == "Yes"
        return self._misled(state, node) if running else f"{node.name} is still connecting"

    def astray(self, node: Server) -> str:
        if not node.answers():
            return ""
        if node.writable():
            return "" if self._supervised else self._not_alone(node)
        state = self._following(node)
        if state and int(state["Last_IO_Errno"]) == _NOT_IN_THE_LOG:
            self._diverged.add(node.name)
            return f"{node.name} has transactions that the primary does not have: it is restored"
        # who starts servers by itself also tells them whom to follow, in its own time
        return "" if self._supervised else self._misled(state, node)

    def stall(self, node: Server) -> str:
        node.execute("STOP SLAVE SQL_THREAD")
        if self._following(node)["Slave_SQL_Running"] != "No":
            raise FiveninesError(f"{node.name}: its SQL thread goes on")
        return "STOP SLAVE SQL_THREAD"

    def unstall(self, node: Server) -> str:
        node.execute("START SLAVE SQL_THREAD")
        running = self._following(node)["Slave_SQL_Running"]
        return "" if running == "Yes" else "its SQL thread does not run"

    def _following(self, node: Server) -> dict[str, Any]:
        assert isinstance(node, Mariadb)
        return node.replica_status()

    def _not_alone(self, node: Server) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        return f"{node.name} takes writes although {primary.name} is the primary"

    def _misled(self, state: dict[str, Any], node: Server) -> str:
        primary = self.primary()
        if primary is None or primary is node or not state:
            return ""
        if state["Master_Host"] == primary.host.address:
            return ""
        return f"{node.name} still follows {state['Master_Host']}, not {primary.name}"

    def lag(self, node: Server) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        ((written,),) = primary.query("SELECT @@global.gtid_binlog_pos")
        ((applied,),) = node.query("SELECT @@global.gtid_slave_pos")
        return (
            "" if applied == written else f"{node.name} is at {applied}, the primary at {written}"
        )

    @property
    def _supervised(self) -> bool:
        return self.watcher is not None and self.watcher.supervises

    @property
    def _semi_synchronous(self) -> bool:
        return self.settings.mode != "async"

    def _semi_sync(self) -> dict[str, Value]:
        if not self._semi_synchronous:
            return {}
        return {
            # the primary's half is switched on at promotion: a replica that had it would wait for
            # acknowledgements of its own, which nobody sends
            "rpl_semi_sync_slave_enabled": True,
            "rpl_semi_sync_master_wait_point": self.settings.mode.upper(),
            "rpl_semi_sync_master_timeout": round(self.settings.semi_sync_timeout * 1000),
        }

    def _await_semi_sync(self, primary: Mariadb) -> None:
        wanted = str(self.settings.replicas)
        wait_until(
            lambda: (
                ""
                if primary.status("Rpl_semi_sync_master_clients").popitem()[1] == wanted
                else "too few replicas acknowledge"
            ),
            15.0,
            f"{self.settings.name}: semi-synchronous replication did not start",
        )
