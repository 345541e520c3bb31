"""Settings of two clusters that replicate to each other."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from fivenines.plugins import spelled_out
from fivenines.results.records import SolutionFacts
from fivenines.solutions.cluster_pair_facts import cluster_pair_facts
from fivenines.solutions.galera import GaleraSettings
from fivenines.solutions.galera_options import option_problems
from fivenines.solutions.ndb_settings import FILES_DEPEND_ON, NdbSettings
from fivenines.solutions.reserved import BINARY_LOG, PROVIDER
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration

Member = Annotated[
    NdbSettings | GaleraSettings,
    Field(discriminator="solution"),
    BeforeValidator(lambda value: spelled_out(value, "solution")),
]

_OF_THE_PAIR = ("access", "limits", "reads", "server", "sweep")
"""What both clusters get of the pair."""

_HOST = re.compile(r"([a-z]+)([0-9]+)")


class ClusterPairSettings(SolutionSettings):
    """Two clusters of one kind, each at its site, joined by asynchronous replication."""

    setup_seconds: ClassVar[float] = 25.0

    can_be_vms = False

    solution: Literal["cluster-pair"] = Field(description="two clusters that replicate to each other")
    a: Member = Field(
        description="the cluster at the first site: ndb or galera, or with settings as {solution: ndb, "
        "sql_nodes: 3}; other kinds are refused until they are tested"
    )
    b: Member = Field(description="the cluster at the second site, of the same kind; without it one as a")
    engine: str = Field("", description="that of the two clusters; not to be written")
    direction: Literal["both", "one-way"] = Field(
        "both",
        description="changes go both ways, or from the cluster that takes the writes to the other alone",
    )
    writes: Literal["a", "both"] = Field(
        "both",
        description="both: each cluster takes the writes of its site; a: only the first, and the servers of "
        "the second are read_only until it is promoted",
    )
    conflicts: Literal["none", "epoch", "max"] = Field(
        "none",
        description="what becomes of a row that both have changed: none: whatever came last, each its own; "
        "epoch: a wins (NDB$EPOCH); max: the larger value in conflict_column (NDB$MAX). NDB only",
    )
    conflict_column: str = Field(
        "", description="the column that conflicts: max compares, an unsigned whole number"
    )
    channel_failover_after: Duration | None = Field(
        5.0,
        description="time without a working channel after which a person lets it go on between other "
        "servers; null: nobody does",
    )
    site_failover_after: Duration | None = Field(
        10.0,
        description="with writes: a, time without any server of the cluster that takes the writes after "
        "which a person promotes the other; null: nobody does",
    )

    @model_validator(mode="before")
    @classmethod
    def _alike(cls, value: Any) -> Any:
        if isinstance(value, dict) and "a" in value:
            return {"b": value["a"], **value}
        return value

    @model_validator(mode="after")
    def _of_the_clusters(self) -> "ClusterPairSettings":
        # frozen: what follows from the clusters is not for anybody to write
        self.__dict__["engine"] = self.a.engine
        self.__dict__["durability"] = self.a.durability
        return self

    def default_name(self) -> str:
        ways = "" if self.direction == "both" else " one way"
        return f"pair of {self.a.default_name()}{ways}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = [f"{name}: {text}" for name, one in self._clusters() for text in one.problems()]
        if self.a.engine != self.b.engine:
            found.append(
                f"b: its engine is {self.b.engine}, and that of a is {self.a.engine}: a pair is of one kind"
            )
        found += [
            f"{name}.{key}: write it beside a and b, it is for both clusters"
            for name, one in self._clusters()
            for key in _OF_THE_PAIR
            if key in one.model_fields_set
        ]
        if self.access.kind != "direct":
            found.append(
                f"access: clients of a pair know its servers; {self.access.kind} is not there for it yet: "
                "leave it out"
            )
        if self.direction == "one-way" and self.writes == "both":
            found.append(
                "writes: both: what b takes would never reach a (direction: one-way); write `writes: a`"
            )
        return found + self._conflict_problems() + self._kind_problems()

    def _conflict_problems(self) -> list[str]:
        if self.conflicts != "none" and self.a.solution != "ndb":
            return [f"conflicts: {self.a.solution} does not detect any: leave it out"]
        if self.conflicts != "none" and self.direction != "both":
            return ["conflicts: with `direction: one-way` there are none: leave it out"]
        if self.conflicts == "max" and not self.conflict_column:
            return ["conflicts: max: conflict_column is missing: which column decides?"]
        if self.conflict_column and self.conflicts != "max":
            return ["conflict_column: it is for `conflicts: max` only"]
        return []

    def _kind_problems(self) -> list[str]:
        a, b = self.a, self.b
        if isinstance(a, NdbSettings) and isinstance(b, NdbSettings):
            return [
                f"b.{key}: {getattr(b, key)} for {getattr(a, key)} of a: both start from the same files, "
                "so they have to be alike"
                for key in (*FILES_DEPEND_ON, "cluster")
                if getattr(a, key) != getattr(b, key)
            ]
        return [
            f"{name}.arbiter: garbd is not there for pairs yet: leave it out"
            for name, one in self._clusters()
            if isinstance(one, GaleraSettings) and one.arbiter
        ]

    def _clusters(self) -> tuple[tuple[str, NdbSettings | GaleraSettings], ...]:
        return (("a", self.a), ("b", self.b))

    @property
    def nodes(self) -> int:
        return self.a.nodes + self.b.nodes

    @property
    def votes(self) -> int:
        # each cluster decides by itself
        return 1

    @property
    def own_watch_period(self) -> float:
        return max(self.a.own_watch_period, self.b.own_watch_period)

    @property
    def more_engines(self) -> tuple[str, ...]:
        return (*self.a.more_engines, *self.b.more_engines)

    @property
    def hosts(self) -> tuple[str, ...]:
        before = self.hosts_before
        later = (_HOST.fullmatch(name) for name in self.b.hosts)
        return (*self.a.hosts, *(f"{one[1]}{int(one[2]) + before.get(one[1], 0)}" for one in later if one))

    @property
    def hosts_before(self) -> Mapping[str, int]:
        """How many hosts of each kind the first cluster has: those of the second are numbered after them."""
        kinds = (_HOST.fullmatch(name) for name in self.a.hosts)
        return {"node": self.a.nodes, **Counter(one[1] for one in kinds if one)}

    @property
    def target_words(self) -> Mapping[str, str]:
        of_kinds = {
            word: f"{what}, in the cluster that gets the writes, or in a"
            for word, what in self.a.target_words.items()
            if word not in self.a.hosts
        }
        return {
            **of_kinds,
            "a": "all servers of the first cluster",
            "b": "all servers of the second cluster",
            "source": "the server whose log the other cluster follows; of the cluster that gets the writes, "
            "or of a",
            "applier": "the server that follows it",
            **dict.fromkeys(self.hosts, "the server on this host"),
        }

    def facts(self) -> SolutionFacts:
        return cluster_pair_facts(self)

    def problems_with_switchover(self) -> list[str]:
        return [
            "a pair of clusters has no planned switchover yet; `host-kill` with target `a` makes a failover"
        ]

    @property
    def reserved(self) -> Mapping[str, str]:
        return {
            **self.a.reserved,
            "log_bin": BINARY_LOG,
            **dict.fromkeys(
                (
                    "gtid_mode",
                    "gtid_domain_id",
                    "wsrep_gtid_domain_id",
                    "wsrep_gtid_mode",
                    "auto_increment_increment",
                    "auto_increment_offset",
                    "log_slave_updates",
                    "log_replica_updates",
                    "ndb_log_bin",
                    "ndb_log_apply_status",
                    "ndb_clear_apply_status",
                ),
                "each cluster of a pair has its own, so that neither takes back its own changes",
            ),
        }

    def refused(self) -> dict[tuple[str, ...], str]:
        inside = {
            (name, *keys): text
            for name, one in self._clusters()
            for keys, text in one.refused().items()
            if keys[0] != "server"
        }
        options = self.server.get(PROVIDER)
        told = (
            option_problems(options, segments=self.a.segments)
            if (isinstance(self.a, GaleraSettings) and isinstance(options, str))
            else ""
        )
        return super().refused() | inside | ({("server", PROVIDER): told} if told else {})
