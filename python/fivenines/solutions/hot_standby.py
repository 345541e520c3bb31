"""PostgreSQL hot standby: one primary, N standbys that replay its log by streaming replication.

Source: PostgreSQL 18 manual, chapter 26 (High Availability) and `synchronous_commit` in 19.5.
"""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.managers.any import AnyManager
from fivenines.managers.operator import OperatorSettings
from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Value
from fivenines.servers.postgres.server import (
    STANDBY_SIGNAL,
    Postgres,
    conninfo,
    synchronous_names,
)
from fivenines.solutions.durability import postgres_problems
from fivenines.solutions.engines import engine_type
from fivenines.solutions.replication_facts import hot_standby_facts
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.streaming import Streaming
from fivenines.waiting import wait_until

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(("postgres-18", "host-postgres"), "postgresql")


class HotStandbySettings(SolutionSettings):
    """Streaming replication; `safeness` says what a commit waits for (synchronous_commit)."""

    setup_seconds: ClassVar[float] = 3.0

    solution: Literal["hot-standby"] = Field(description="PostgreSQL primary with hot standbys")
    engine: AnyEngine = Field("postgres-18", description="the database server")
    standbys: Annotated[int, Field(ge=1, le=8)] = Field(1, description="number of standbys")
    safeness: Literal["off", "local", "remote_write", "on", "remote_apply"] = Field(
        "on",
        description="what a commit waits for: off (nothing), local (own disk: 1-safe), remote_write "
        "(a standby has it: 2-safe received), on (a standby has it on disk: 2-safe durable), "
        "remote_apply (a standby shows it: 2-safe visible)",
    )
    manager: AnyManager = Field(
        default_factory=OperatorSettings, description="the failover manager"
    )
    durability_by_role = True

    def default_name(self) -> str:
        return f"hot-standby {self.safeness}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        return postgres_problems(self.durability, "safeness", self.safeness)

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def nodes(self) -> int:
        return 1 + self.standbys

    def facts(self) -> SolutionFacts:
        return hot_standby_facts(self)


class HotStandby(Streaming[HotStandbySettings]):
    """One primary; every standby follows it and answers reads."""

    settings_type = HotStandbySettings

    def configuration(self, node: Postgres) -> dict[str, Value]:
        return {
            "synchronous_commit": self.commit_level(self.settings.safeness),
            # enough for pg_rewind and for a standby that was away, without slots to clean up
            "wal_keep_size": "512MB",
            "recovery_target_timeline": "latest",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
        }

    def manager_facts(self) -> dict[str, object]:
        return {"synchronous": self._synchronous}

    def start(self) -> None:
        primary, standbys = self.nodes[0], self.nodes[1:]
        primary.write_auto_conf({"synchronous_standby_names": self._sync_names(primary)})
        for standby in standbys:
            self._follow(standby, primary)
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        wait_until(
            lambda: next(filter(None, map(self.not_joined_reason, standbys)), ""), 30.0,
            f"{self.settings.name}: not all standbys follow the primary",
        )  # fmt: skip

    def rejoin(self, node: Postgres) -> None:
        postgres = self.node(node.name)
        primary = self.primary()
        if primary is None:
            # as it was: a primary as primary, a standby waits for one
            postgres.start()
            postgres.wait_ready()
            return
        if not postgres.is_standby():
            postgres.rewind(primary)
        self._follow(postgres, primary)
        postgres.start()
        postgres.wait_ready()
        primary.set_system("synchronous_standby_names", self._sync_names(primary))

    def stray_reason(self, node: Postgres) -> str:
        primary = self.primary()
        if primary is None or primary is node or not node.answers():
            return ""
        if node.writable():
            return self.second_primary_reason(node)
        ((followed,),) = node.query("SHOW primary_conninfo")
        own = f"host={primary.host.address} "
        return "" if own in f"{followed} " else f"{node.name} does not follow {primary.name}"

    @property
    def _all_synchronous(self) -> bool:
        return self._synchronous

    @property
    def _synchronous(self) -> bool:
        return self.settings.safeness in ("remote_write", "on", "remote_apply")

    def _sync_names(self, primary: Postgres) -> str:
        others = [node.name for node in self.nodes if node is not primary]
        return synchronous_names(others) if self._synchronous else ""

    def _follow(self, standby: Postgres, primary: Postgres) -> None:
        standby.write_auto_conf(
            {
                "primary_conninfo": conninfo(primary.host.address, standby.name),
                # as if it were the primary, for the moment from its promotion to the next command
                "synchronous_standby_names": self._sync_names(standby),
            }
        )
        standby.host.data.write_text(STANDBY_SIGNAL, "")
