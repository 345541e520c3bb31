"""Settings of PostgreSQL hot standby: what a commit waits for, and the topology of the standbys.

Source: PostgreSQL 18 manual, 19.5 `synchronous_commit`, 19.6 (replication), 26.2.5 to 26.2.8 (log-shipping
standby servers: streaming, replication slots, cascading, synchronous replication).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.failover.managers.any import AnyManager
from fivenines.failover.managers.operator.manager import OperatorSettings
from fivenines.results.records import SolutionFacts
from fivenines.solutions.durability import postgres_problems
from fivenines.solutions.engines import engine_type
from fivenines.solutions.hot_standby.checks import HotStandbyChecks
from fivenines.solutions.replication.facts import hot_standby_facts
from fivenines.solutions.reserved import by_key
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(("postgres-18", "host-postgres"), "postgresql")


class HotStandbySettings(SolutionSettings):
    """Streaming replication; `synchronous_commit` decides what a commit waits for."""

    checks_type = HotStandbyChecks

    setup_seconds: ClassVar[float] = 3.0

    solution: Literal["hot-standby"] = Field(description="PostgreSQL primary with hot standbys")
    engine: AnyEngine = Field("postgres-18", description="the database server")
    standbys: Annotated[int, Field(ge=1, le=8)] = Field(1, description="number of standbys")
    synchronous_commit: Literal["off", "local", "remote_write", "on", "remote_apply"] = Field(
        "on",
        description="what a commit waits for. off: nothing; local: its own disk (1-safe); remote_write: a "
        "standby has received it (2-safe received); on: a standby has it on disk (2-safe durable); "
        "remote_apply: a standby shows it (2-safe visible)",
    )
    wait_for: Annotated[int, Field(ge=1, le=8)] = Field(
        1, description="number of standbys that a synchronous commit waits for"
    )
    choice: Literal["any", "first"] = Field(
        "any",
        description="which standbys. any: any of them (quorum: ANY n); first: the first connected ones in "
        "the order of the nodes (priority: FIRST n)",
    )
    cascade: bool = Field(
        False, description="each standby after the first follows the previous one, not the primary"
    )
    slots: bool = Field(
        False,
        description="replication slots: a primary retains its log for unavailable standbys without limit",
    )
    delay: Duration = Field(
        0.0,
        description="replay delay of the last standby (recovery_min_apply_delay); no commit waits for it, "
        "clients do not read from it, and it is never promoted",
    )
    subscriber: bool = Field(
        False,
        description="a further node that gets all rows by logical replication from the current primary, with "
        "a failover slot (PostgreSQL 17 and newer); it takes no writes, and is never promoted",
    )
    manager: AnyManager = Field(default_factory=OperatorSettings, description="failover manager")
    durability_by_role = True

    def default_name(self) -> str:
        return f"hot-standby {self.synchronous_commit}"

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        return [
            *postgres_problems(self.durability, "synchronous_commit", self.synchronous_commit),
            *self._problems_with_waiting(),
            *self._problems_with_standbys(),
        ]

    def _problems_with_waiting(self) -> list[str]:
        able = self.standbys - bool(self.delay)
        if self.synchronous and self.wait_for > able:
            besides = " without the delayed one" if self.delay else ""
            return [
                f"wait_for: {self.wait_for} standbys cannot acknowledge, as there are {able}{besides}: "
                "lower wait_for, or raise standbys"
            ]
        if not self.synchronous and (self.wait_for > 1 or self.choice != "any"):
            key = "wait_for" if self.wait_for > 1 else "choice"
            return [
                f"{key}: with synchronous_commit {self.synchronous_commit} a commit waits for no "
                "standby: leave it out"
            ]
        if self.synchronous and self.cascade and self.wait_for > 1:
            return ["wait_for: in a cascade only one standby follows the primary: set it to 1"]
        return []

    def _problems_with_standbys(self) -> list[str]:
        problems = [
            f"{key}: it needs at least 2 standbys: set standbys to 2 or more"
            for key, value in (("cascade", self.cascade), ("delay", self.delay))
            if value and self.standbys < 2
        ]
        if self.subscriber and not self.slots:
            problems.append(
                "subscriber: a standby needs a replication slot to keep a copy of the subscriber's slot: "
                "set slots: true"
            )
        if self.subscriber and (self.delay or self.cascade):
            other = "delay" if self.delay else "cascade"
            problems.append(f"{other}: it cannot be combined with subscriber: leave one of them out")
        if self.subscriber and self.durability.by_role:
            problems.append(
                f"durability: {self.durability}: the subscriber would count as a standby of the primary, but "
                "is never promoted: leave subscriber out"
            )
        if self.delay and self.durability.by_role:
            problems.append(
                f"durability: {self.durability}: the delayed standby would count as a standby of the "
                "primary, but is never promoted: leave delay out"
            )
        return problems

    @property
    def synchronous(self) -> bool:
        """Return whether a commit waits for standbys."""
        return self.synchronous_commit in ("remote_write", "on", "remote_apply")

    @property
    def reserved(self) -> Mapping[str, str]:
        of_subscriber = ("wal_level", "sync_replication_slots", "hot_standby_feedback")
        return {
            "synchronous_commit": by_key("synchronous_commit"),
            "synchronous_standby_names": by_key("synchronous_commit, wait_for and choice"),
            "recovery_min_apply_delay": by_key("delay"),
            "primary_slot_name": by_key("slots"),
            "hot_standby": "standbys must answer reads and checks",
            **(dict.fromkeys(of_subscriber, "the subscriber requires it") if self.subscriber else {}),
        }

    @property
    def traits(self) -> Traits:
        # The last commit is replayed after the delay.
        return Traits(nodes=1 + self.standbys + self.subscriber, single_writer=True, least_settle=self.delay)

    def facts(self) -> SolutionFacts:
        return hot_standby_facts(self)
