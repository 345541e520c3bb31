"""Settings of MariaDB or MySQL replication by GTID: replicas, what a commit waits for, appliers.

Sources: MariaDB documentation, "Semisynchronous Replication"; MySQL 9 reference manual, "Semisynchronous
Replication".
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration, format_duration
from fivenines.failover.managers.any import AnyManager
from fivenines.failover.managers.operator.manager import OperatorSettings
from fivenines.results.records import SolutionFacts
from fivenines.software.store import family_of
from fivenines.solutions.engines import engine_type
from fivenines.solutions.replication.facts import replication_facts
from fivenines.solutions.reserved import BINARY_LOG, by_key
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

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
    def traits(self) -> Traits:
        return Traits(nodes=1 + self.replicas, single_writer=True)
