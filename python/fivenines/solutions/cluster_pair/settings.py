"""Settings of two clusters that replicate to each other."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from fivenines.base.plugins import spelled_out
from fivenines.base.units import Duration
from fivenines.results.records import SolutionFacts
from fivenines.solutions.cluster_pair.checks import PairChecks
from fivenines.solutions.cluster_pair.facts import cluster_pair_facts
from fivenines.solutions.durability import RELAXED
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.ndb.settings import FILES_DEPEND_ON, NdbSettings
from fivenines.solutions.reserved import BINARY_LOG
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

Member = Annotated[
    NdbSettings | GaleraSettings,
    Field(discriminator="solution"),
    BeforeValidator(lambda value: spelled_out(value, "solution")),
]

# Settings of the pair that both clusters share.
_OF_THE_PAIR = ("access", "limits", "reads", "server", "sweep")

_HOST = re.compile(r"([a-z]+)([0-9]+)")


class ClusterPairSettings(SolutionSettings):
    """Two clusters of one kind, each at its site, joined by asynchronous replication."""

    checks_type = PairChecks

    setup_seconds: ClassVar[float] = 25.0

    can_be_vms = False

    write_relaxed = "durability: relaxed` in `a` and `b"

    solution: Literal["cluster-pair"] = Field(description="two clusters that replicate to each other")
    a: Member = Field(
        description="cluster at the first site: ndb or galera, or with settings as "
        "{solution: ndb, sql_nodes: 3}; other kinds are not supported"
    )
    b: Member = Field(description="cluster at the second site, of the same kind; default: the same as a")
    engine: str = Field("", description="engine of both clusters; set automatically")
    direction: Literal["both", "one-way"] = Field(
        "both",
        description="both: changes replicate in both directions; one-way: only from the cluster that takes "
        "the writes to the other",
    )
    writes: Literal["a", "both"] = Field(
        "both",
        description="both: each cluster takes the writes of its site; a: only the first cluster takes "
        "writes, and the servers of the second are read_only until its promotion",
    )
    conflicts: Literal["none", "epoch", "max"] = Field(
        "none",
        description="conflict resolution for a row that both clusters have changed. none: each cluster keeps "
        "the change that it applied last; epoch: a wins (NDB$EPOCH); max: the larger value in "
        "conflict_column wins (NDB$MAX). NDB only",
    )
    conflict_column: str = Field("", description="column that `conflicts: max` compares, an unsigned integer")
    channel_failover_after: Duration | None = Field(
        5.0,
        description="automatic remediation: fivenines moves a channel to other servers when it has not "
        "worked for this time; null: never",
    )
    site_failover_after: Duration | None = Field(
        10.0,
        description="automatic remediation with writes: a: fivenines promotes the other cluster when no "
        "server of the active cluster has worked for this time; null: never",
    )

    @model_validator(mode="before")
    @classmethod
    def _alike(cls, value: Any) -> Any:
        if isinstance(value, dict) and "a" in value:
            return {"b": value["a"], **value}
        return value

    @model_validator(mode="after")
    def _of_the_clusters(self) -> "ClusterPairSettings":
        # The model is frozen, and this value follows from the clusters.
        self.__dict__["engine"] = self.a.engine
        # Both clusters have the same server settings, so the stricter one decides which fit.
        stricter = self.b if self.a.durability == RELAXED else self.a
        self.__dict__["durability"] = stricter.durability
        return self

    def default_name(self) -> str:
        ways = "" if self.direction == "both" else " one way"
        return f"pair of {self.a.default_name()}{ways}"

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        problems = [f"{name}: {text}" for name, settings in self.clusters() for text in settings.problems()]
        if self.a.engine != self.b.engine:
            problems.append(
                f"b: its engine is {self.b.engine}, but that of a is {self.a.engine}: use one kind for both"
            )
        problems += [
            f"{name}.{key}: it applies to both clusters: write it next to a and b"
            for name, settings in self.clusters()
            for key in _OF_THE_PAIR
            if key in settings.model_fields_set
        ]
        if self.access.kind != "direct":
            problems.append(
                f"access: {self.access.kind} does not support pairs, whose clients connect to the servers: "
                "leave it out"
            )
        if self.direction == "one-way" and self.writes == "both":
            problems.append(
                "writes: both: with direction: one-way, changes at b would never reach a: write `writes: a`"
            )
        return problems + self._conflict_problems() + self._kind_problems()

    def _conflict_problems(self) -> list[str]:
        if self.conflicts != "none" and self.a.solution != "ndb":
            return [f"conflicts: {self.a.solution} does not detect conflicts: leave it out"]
        if self.conflicts != "none" and self.direction != "both":
            return ["conflicts: `direction: one-way` has none: leave it out"]
        if self.conflicts == "max" and not self.conflict_column:
            return ["conflicts: max needs a column to compare: set conflict_column"]
        if self.conflict_column and self.conflicts != "max":
            return ["conflict_column: it applies only to `conflicts: max`: leave it out"]
        return []

    def _kind_problems(self) -> list[str]:
        a, b = self.a, self.b
        if isinstance(a, NdbSettings) and isinstance(b, NdbSettings):
            return [
                f"b.{key}: {getattr(b, key)}, but {getattr(a, key)} in a: both start from the same files, so "
                "write the same value"
                for key in (*FILES_DEPEND_ON, "cluster")
                if getattr(a, key) != getattr(b, key)
            ]
        return [
            f"{name}.arbiter: pairs do not support garbd: leave it out"
            for name, settings in self.clusters()
            if isinstance(settings, GaleraSettings) and settings.arbiter
        ]

    def clusters(self) -> tuple[tuple[str, NdbSettings | GaleraSettings], ...]:
        """Return both clusters with their names."""
        return (("a", self.a), ("b", self.b))

    @property
    def traits(self) -> Traits:
        a, b = self.a.traits, self.b.traits
        hosts = (*a.hosts, *self._later_hosts(b.hosts))
        of_kinds = {
            word: f"{what}, in the cluster that gets the writes, or in a"
            for word, what in a.target_words.items()
            if word not in a.hosts
        }
        return Traits(
            nodes=a.nodes + b.nodes,
            # Each cluster decides by itself.
            votes=1,
            hosts=hosts,
            engines=(*a.engines, *b.engines),
            target_words={
                **of_kinds,
                "a": "all servers of the first cluster",
                "b": "all servers of the second cluster",
                "source": "the server whose log the other cluster reads; in the cluster that gets the "
                "writes, or in a",
                "applier": "the server that applies that log",
                **dict.fromkeys(hosts, "the server on this host"),
            },
            watch_period=max(a.watch_period, b.watch_period),
        )

    def _later_hosts(self, hosts: Sequence[str]) -> Iterator[str]:
        """Yield the names of the second cluster's hosts, which are numbered after those of the first."""
        before = self.hosts_before
        for match in filter(None, map(_HOST.fullmatch, hosts)):
            yield f"{match[1]}{int(match[2]) + before.get(match[1], 0)}"

    @property
    def hosts_before(self) -> Mapping[str, int]:
        """Return the number of hosts of each kind in the first cluster: numbers of the second follow."""
        first = self.a.traits
        kinds = (_HOST.fullmatch(name) for name in first.hosts)
        return {"node": first.nodes, **Counter(match[1] for match in kinds if match)}

    def facts(self) -> SolutionFacts:
        return cluster_pair_facts(self)

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
                "it is set for each cluster, so that neither applies its own changes again",
            ),
        }
