"""Settings of the solution `patroni`, and what is known of it with them."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from fivenines.results.records import SolutionFacts
from fivenines.solutions.durability import postgres_problems
from fivenines.solutions.reserved import by_key
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration, Size, format_duration

ETCD_HOSTS = ("etcd1", "etcd2", "etcd3")

_LEAST_TTL = 20
"""Patroni 4 raises a shorter one to this, silently (patroni/config.py)."""

_MEMBERS_OF_ETCD = 3

Seconds = Annotated[Duration, Field(ge=1, multiple_of=1)]
"""Patroni counts in whole seconds."""


class PatroniSettings(SolutionSettings):
    """PostgreSQL whose servers are started, promoted and demoted by Patroni; etcd decides who leads."""

    can_be_vms = False

    solution: Literal["patroni"] = Field(description="PostgreSQL with Patroni and etcd")
    engine: Literal["postgres-18"] = Field("postgres-18", description="the database server")
    version: Literal[4, 3] = Field(4, description="major version of Patroni: 4 (PyPI), 3 (Debian 12)")
    members: Annotated[int, Field(ge=2, le=5)] = Field(3, description="number of database servers")
    mode: Literal["asynchronous", "synchronous", "strict_synchronous"] = Field(
        "asynchronous",
        description="asynchronous: a failover may lose the last commits; synchronous: a commit waits for a "
        "standby while there is one, only such a standby is promoted; strict_synchronous: without a "
        "standby no commit succeeds",
    )
    synchronous_node_count: Annotated[int, Field(ge=1, le=4)] = Field(
        1, description="standbys that a commit waits for in the synchronous modes"
    )
    synchronous_commit: Literal["off", "local", "remote_write", "on", "remote_apply"] = Field(
        "on", description="what a commit waits for, at its own node and at a synchronous standby"
    )
    ttl: Seconds = Field(
        30.0, description="how long the leader's lock lives without being renewed (Patroni 4: at least 20s)"
    )
    loop_wait: Seconds = Field(10.0, description="time between two looks of each Patroni")
    retry_timeout: Annotated[Duration, Field(ge=3, multiple_of=1)] = Field(
        10.0, description="how long etcd or the server may be unreachable until a leader gives up"
    )
    primary_start_timeout: Annotated[Duration, Field(ge=0, multiple_of=1)] = Field(
        300.0, description="time that a crashed primary has to come back; 0: fail over at once"
    )
    maximum_lag_on_failover: Size = Field(
        2**20, description="a standby that is further behind in the log is not promoted"
    )
    use_pg_rewind: bool = Field(
        True, description="an old primary whose log went another way is rewound; false: it stays out"
    )
    failsafe_mode: bool = Field(
        False, description="a leader without etcd goes on while it reaches all other members"
    )
    etcd: Literal["shared", "apart"] = Field(
        "shared",
        description="shared: the three members of etcd run on node1 to node3; apart: on hosts of their own, "
        "etcd1 to etcd3",
    )
    etcd_heartbeat: Annotated[Duration, Field(ge=0.01, le=5)] = Field(
        0.1, description="time between two heartbeats of etcd's leader"
    )
    etcd_election: Annotated[Duration, Field(ge=0.05, le=50)] = Field(
        1.0, description="silence of etcd's leader until another one is elected"
    )

    durability_by_role = True

    @property
    def more_engines(self) -> tuple[str, ...]:
        return ("patroni",)

    def default_name(self) -> str:
        return "patroni" if self.mode == "asynchronous" else f"patroni {self.mode}"

    @property
    def nodes(self) -> int:
        return self.members

    @property
    def own_watch_period(self) -> float:
        return self.loop_wait

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def hosts(self) -> tuple[str, ...]:
        return ETCD_HOSTS if self.etcd == "apart" else ()

    @property
    def reserved(self) -> Mapping[str, str]:
        return {
            "synchronous_commit": by_key("synchronous_commit"),
            "synchronous_standby_names": by_key("mode and synchronous_node_count"),
            "hot_standby": "standbys answer reads and checks here",
            "cluster_name": "Patroni gives it to the server on the command line",
        }

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        return [*self._pace_problems(), *self._etcd_problems(), *self._commit_problems()]

    def dynamic(self, *, bootstrapping: bool = False) -> dict[str, object]:
        """What stands in etcd for all nodes; while it comes up its steps follow each other quickly."""
        return {
            "ttl": int(self.ttl),
            "loop_wait": 1 if bootstrapping else int(self.loop_wait),
            "retry_timeout": int(self.retry_timeout),
            "primary_start_timeout": int(self.primary_start_timeout),
            "maximum_lag_on_failover": self.maximum_lag_on_failover,
            "failsafe_mode": self.failsafe_mode,
            "synchronous_mode": self.mode != "asynchronous",
            "synchronous_mode_strict": self.mode == "strict_synchronous",
            "synchronous_node_count": self.synchronous_node_count,
            "postgresql": {"use_pg_rewind": self.use_pg_rewind, "use_slots": True},
        }

    def _pace_problems(self) -> list[str]:
        if self.version < 4:
            return []
        found = []
        if self.ttl < _LEAST_TTL:
            found.append(
                f"ttl: {format_duration(self.ttl)} is below {_LEAST_TTL}s, to which Patroni 4 would raise "
                f"it; set ttl to {_LEAST_TTL}s or more, or version to 3"
            )
        least = self.loop_wait + 2 * self.retry_timeout
        if least > self.ttl:
            found.append(
                f"ttl: {format_duration(self.ttl)} is shorter than loop_wait and twice retry_timeout "
                f"({format_duration(least)}), which Patroni 4 would shorten; "
                "lengthen ttl, or shorten them (10s, 1s and 4s go with 20s), or set version to 3"
            )
        return found

    def _etcd_problems(self) -> list[str]:
        found = []
        if self.etcd == "shared" and self.members < _MEMBERS_OF_ETCD:
            found.append(
                f"etcd: {self.members} database servers cannot hold {_MEMBERS_OF_ETCD} members of etcd; "
                "set etcd to apart, or members to 3"
            )
        if self.etcd_election < 5 * self.etcd_heartbeat:
            found.append(
                f"etcd_election: {format_duration(self.etcd_election)} is shorter than 5 x etcd_heartbeat, "
                "which etcd refuses; lengthen it"
            )
        return found

    def _commit_problems(self) -> list[str]:
        found = []
        if self.mode != "asynchronous" and self.synchronous_commit in ("off", "local"):
            found.append(
                f"synchronous_commit: with {self.synchronous_commit} no commit waits for a standby, whatever "
                f"the mode; set it to on, or mode to asynchronous"
            )
        if self.mode != "asynchronous" and self.synchronous_node_count >= self.members:
            found.append(f"synchronous_node_count: {self.members} members have {self.members - 1} standbys")
        found += postgres_problems(self.durability, "synchronous_commit", self.synchronous_commit)
        return found

    def facts(self) -> SolutionFacts:
        asynchronous = self.mode == "asynchronous"
        waits = "when its own node has it" if asynchronous else "when a synchronous standby has it, too"
        alone = {
            "asynchronous": "goes on",
            "synchronous": "goes on alone, and then waits for its own disk only",
            "strict_synchronous": "refuses to commit until a standby is back",
        }[self.mode]
        cut_off = "goes on while it reaches all members" if self.failsafe_mode else "demotes itself"
        return SolutionFacts(
            replication=f"physical log, one primary; a commit is answered {waits}",
            failover="automatic: the leader's lock in etcd expires, the most advanced standby takes it",
            least_servers="2 database servers and 3 members of etcd, which may share 3 hosts",
            extra="etcd, Patroni on each node",
            write_scaling="none: one node takes writes",
            read_scaling="standbys answer reads, behind by their replay",
            one_failure_loses=(
                f"commits of the last moments, up to {self.maximum_lag_on_failover} bytes of log"
                if asynchronous
                else "nothing while a synchronous standby was assigned"
            ),
            partition=f"the side with etcd's majority has the leader; a leader without etcd {cut_off}",
            one_down="writes go on after the failover" if self.members > 2 else f"the other one {alone}",
            two_down=(
                f"the last one {alone}, if etcd has its majority"
                if self.etcd == "apart"
                else "no majority in etcd: no primary"
            ),
            sources=[
                "Patroni documentation: Replication modes",
                "Patroni documentation: Dynamic configuration settings",
                "Patroni documentation: DCS failsafe mode",
                "PostgreSQL 18 manual, chapter 26",
            ],
        )
