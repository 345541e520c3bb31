"""Settings of the solution `patroni`, and facts about it."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fivenines.base.units import Duration, Size, format_duration
from fivenines.results.records import SolutionFacts
from fivenines.servers.cluster.timeouts import table
from fivenines.solutions.durability import postgres_problems
from fivenines.solutions.patroni.checks import PatroniChecks
from fivenines.solutions.reserved import by_key
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

ETCD_HOSTS = ("etcd1", "etcd2", "etcd3")

# Patroni 4 raises a shorter ttl to this without an error (patroni/config.py).
_LEAST_TTL = 20

_MEMBERS_OF_ETCD = 3

# Patroni uses whole seconds.
Seconds = Annotated[Duration, Field(ge=1, multiple_of=1)]


class PatroniSettings(SolutionSettings):
    """PostgreSQL servers that Patroni starts, promotes and demotes; etcd decides about the leader."""

    checks_type = PatroniChecks

    can_be_vms = False

    # Keys of patroni.yml.
    elsewhere: ClassVar[Mapping[str, str]] = {
        "synchronous_mode": "write `mode: synchronous`; quorum commit is not supported",
        "synchronous_mode_strict": "write `mode: strict_synchronous`",
        "master_start_timeout": "write `primary_start_timeout`",
        "postgresql": "write its `parameters` under `server:`, and `use_pg_rewind` as a key of the solution",
        "parameters": "write them under `server:`",
        "bootstrap": "write the keys of its `dcs` as keys of the solution, with units, and `parameters` "
        "under `server:`",
        "dcs": "write its keys as keys of the solution, with units",
        "tags": "no server can be kept from a promotion: leave it out",
        "pg_hba": "fivenines writes pg_hba.conf: leave it out",
    }

    solution: Literal["patroni"] = Field(description="PostgreSQL with Patroni and etcd")
    engine: Literal["postgres-18"] = Field("postgres-18", description="the database server")
    version: Literal[4, 3] = Field(4, description="major version of Patroni: 4 (PyPI), 3 (Debian 12)")
    members: Annotated[int, Field(ge=2, le=5)] = Field(3, description="number of database servers")
    mode: Literal["asynchronous", "synchronous", "strict_synchronous"] = Field(
        "asynchronous",
        description="asynchronous: a failover may lose the last commits; synchronous: a commit waits for a "
        "standby if one is available, and only such a standby is promoted; strict_synchronous: without a "
        "standby no commit succeeds",
    )
    synchronous_node_count: Annotated[int, Field(ge=1, le=4)] = Field(
        1, description="standbys that a commit waits for in the synchronous modes"
    )
    synchronous_commit: Literal["off", "local", "remote_write", "on", "remote_apply"] = Field(
        "on", description="what a commit waits for, at its own node and at a synchronous standby"
    )
    ttl: Seconds = Field(
        30.0, description="lifetime of the leader lock without renewal (Patroni 4: at least 20s)"
    )
    loop_wait: Seconds = Field(10.0, description="interval of each Patroni's loop")
    retry_timeout: Annotated[Duration, Field(ge=3, multiple_of=1)] = Field(
        10.0, description="time without etcd or server until a leader gives up"
    )
    primary_start_timeout: Annotated[Duration, Field(ge=0, multiple_of=1)] = Field(
        300.0, description="time for a crashed primary to start again before a failover; 0: fail over at once"
    )
    maximum_lag_on_failover: Size = Field(
        2**20, description="a standby with a larger lag, in bytes of log, is not promoted"
    )
    use_pg_rewind: bool = Field(
        True, description="rewind an old primary whose log has diverged; false: it stays out"
    )
    failsafe_mode: bool = Field(
        False, description="a leader without etcd continues while it reaches all other members"
    )
    etcd: Literal["shared", "apart"] = Field(
        "shared",
        description="shared: the three members of etcd run on node1 to node3; apart: on separate hosts etcd1 "
        "to etcd3",
    )
    etcd_heartbeat: Annotated[Duration, Field(ge=0.01, le=5)] = Field(
        0.1, description="interval of heartbeats of etcd's leader"
    )
    etcd_election: Annotated[Duration, Field(ge=0.05, le=50)] = Field(
        1.0, description="silence of etcd's leader until an election"
    )

    durability_by_role = True

    # ttl is at least 20 s and at least loop_wait + 2 * retry_timeout, retry_timeout at least 3 s (Patroni
    # documentation, Dynamic Configuration Settings).
    own_timeouts = table(
        "ttl loop_wait retry_timeout primary_start_timeout",
        ("20s", "2s", "3s", "0s"),
        ("20s", "5s", "5s", "0s"),
        ("20s", "4s", "8s", "0s"),
        ("30s", "10s", "10s", "0s"),
        ("45s", "10s", "17s", "0s"),
        ("60s", "10s", "25s", "0s"),
    )

    @property
    def traits(self) -> Traits:
        return Traits(
            nodes=self.members,
            single_writer=True,
            hosts=ETCD_HOSTS if self.etcd == "apart" else (),
            engines=("patroni",),
            decides_on_nodes=True,
            watch_period=self.loop_wait,
        )

    def default_name(self) -> str:
        return "patroni" if self.mode == "asynchronous" else f"patroni {self.mode}"

    @property
    def reserved(self) -> Mapping[str, str]:
        # Patroni 4 accepts a value; Patroni 3 always passes on.
        hints = (
            {"wal_log_hints": "Patroni 3 sets it on the server's command line"} if self.version < 4 else {}
        )
        return {
            **hints,
            "synchronous_commit": by_key("synchronous_commit"),
            "synchronous_standby_names": by_key("mode and synchronous_node_count"),
            "hot_standby": "standbys must answer reads and checks",
            "cluster_name": "Patroni sets it on the server's command line",
        }

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        return [*self._pace_problems(), *self._etcd_problems(), *self._commit_problems()]

    def dynamic(self, *, bootstrapping: bool = False) -> dict[str, object]:
        """Return the dynamic configuration for etcd; during the deployment its intervals are short."""
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
        problems = []
        if self.ttl < _LEAST_TTL:
            problems.append(
                f"ttl: {format_duration(self.ttl)} is below {_LEAST_TTL}s, to which Patroni 4 would raise "
                f"it; set ttl to {_LEAST_TTL}s or more, or version to 3"
            )
        least = self.loop_wait + 2 * self.retry_timeout
        if least > self.ttl:
            problems.append(
                f"ttl: {format_duration(self.ttl)} is shorter than loop_wait and twice retry_timeout "
                f"({format_duration(least)}), which Patroni 4 would shorten; "
                "lengthen ttl, or shorten them (10s, 1s and 4s go with 20s), or set version to 3"
            )
        return problems

    def _etcd_problems(self) -> list[str]:
        problems = []
        if self.etcd == "shared" and self.members < _MEMBERS_OF_ETCD:
            problems.append(
                f"etcd: {self.members} database servers cannot host {_MEMBERS_OF_ETCD} members of etcd; set "
                "etcd to apart, or members to 3"
            )
        if self.etcd_election < 5 * self.etcd_heartbeat:
            problems.append(
                f"etcd_election: {format_duration(self.etcd_election)} is shorter than 5 x etcd_heartbeat, "
                "which etcd refuses; lengthen it"
            )
        return problems

    def _commit_problems(self) -> list[str]:
        problems = []
        if self.mode != "asynchronous" and self.synchronous_commit in ("off", "local"):
            problems.append(
                f"synchronous_commit: with {self.synchronous_commit} no commit waits for a standby, whatever "
                f"the mode; set it to on, or mode to asynchronous"
            )
        if self.mode != "asynchronous" and self.synchronous_node_count >= self.members:
            problems.append(
                f"synchronous_node_count: {self.members} members have {self.members - 1} standbys: set "
                f"it to {self.members - 1} or less"
            )
        problems += postgres_problems(self.durability, "synchronous_commit", self.synchronous_commit)
        return problems

    def _two_down(self, alone: str) -> str:
        """Return what happens when two of three nodes are down; `alone`: what a single node does."""
        if self.etcd != "apart":
            return "no majority in etcd: no primary"
        if self.mode == "asynchronous":
            return f"the last one {alone}, if etcd has its majority"
        return (
            f"the last one {alone}, if etcd has its majority and it was the leader or its synchronous "
            "standby; another one is not promoted"
        )

    def facts(self) -> SolutionFacts:
        asynchronous = self.mode == "asynchronous"
        waits = "its own node has it" if asynchronous else "a synchronous standby has it, too"
        alone = {
            "asynchronous": "continues",
            "synchronous": "continues alone, and then commits wait for its own disk only",
            "strict_synchronous": "refuses to commit until a standby is available again",
        }[self.mode]
        cut_off = "continues while it reaches all members" if self.failsafe_mode else "demotes itself"
        return SolutionFacts(
            replication=f"physical log, one primary; a commit is acknowledged when {waits}",
            failover="automatic: the leader's lock in etcd expires, and the most advanced standby takes it",
            least_servers="2 database servers and 3 members of etcd, which may share 3 hosts",
            extra="etcd, Patroni on each node",
            write_scaling="none: one node takes writes",
            read_scaling="standbys answer reads, with their replay lag",
            one_failure_loses=(
                f"commits of the last moments: {self.maximum_lag_on_failover} bytes of log, and what was "
                "written since the leader last wrote its position to etcd, up to "
                f"{format_duration(self.ttl)} ago"
                if asynchronous
                else "nothing while a synchronous standby was assigned"
            ),
            may_lose="a commit waits for no standby" if asynchronous else "",
            partition=f"the side with etcd's majority has the leader; a leader without etcd {cut_off}",
            one_down="writes continue after the failover" if self.members > 2 else f"the other one {alone}",
            two_down=self._two_down(alone),
            sources=[
                "Patroni documentation: Replication modes",
                "Patroni documentation: Dynamic configuration settings",
                "Patroni documentation: DCS failsafe mode",
                "PostgreSQL 18 manual, chapter 26",
            ],
        )
