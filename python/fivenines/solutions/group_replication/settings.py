"""Settings of MySQL Group Replication, named like its variables where these have short names."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from fivenines.base.units import Duration
from fivenines.results.records import SolutionFacts
from fivenines.servers.cluster.timeouts import table
from fivenines.solutions.engines import engine_type
from fivenines.solutions.group_replication.checks import GroupChecks
from fivenines.solutions.quorum import QuorumSettings
from fivenines.solutions.reserved import BINARY_LOG, by_key
from fivenines.solutions.traits import Traits

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(("mysql-9.7",), "mysql")

Consistency = Literal["EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER", "BEFORE", "AFTER", "BEFORE_AND_AFTER"]


class GroupReplicationSettings(QuorumSettings):
    """3 to 9 members that agree on each transaction; one member takes writes, or all do."""

    checks_type = GroupChecks

    solution: Literal["group-replication"] = Field(description="MySQL Group Replication")
    engine: AnyEngine = Field("mysql-9.7", description="the database server")
    size: Annotated[int, Field(ge=3, le=9)] = Field(3, description="number of members, 3 to 9")
    mode: Literal["single-primary", "multi-primary"] = Field(
        "single-primary", description="one elected member takes writes, or all do"
    )
    writes: Literal["one", "all"] = Field(
        "one", description="multi-primary: clients write to one member, or are spread over all"
    )
    consistency: Consistency = Field(
        "BEFORE_ON_PRIMARY_FAILOVER",
        description="what a transaction waits for (group_replication_consistency): nothing, the backlog of a "
        "new primary, all transactions before it, all members after it, or both",
    )
    poll_spin_loops: Annotated[int, Field(ge=0)] = Field(
        0, description="polls of the communication thread before it sleeps (costs CPU, saves latency)"
    )

    # Whole seconds up to 3600, after the 5 s until suspicion (MySQL manual,
    # group_replication_member_expel_timeout).
    own_timeouts = table("member_expel_timeout", ("0s",), ("1s",), ("2s",), ("5s",), ("10s",), ("20s",))

    member_expel_timeout: Annotated[Duration, Field(ge=0, le=3600)] = Field(
        5.0,
        description="silence until a suspected member is expelled, after the 5 s until suspicion; whole "
        "seconds",
    )
    unreachable_majority_timeout: Annotated[Duration, Field(ge=0)] = Field(
        0.0,
        description="time without majority until a member leaves, in whole seconds; 0: it blocks for ever",
    )
    autorejoin_tries: Annotated[int, Field(ge=0, le=2016)] = Field(
        3, description="attempts of an expelled member to rejoin by itself, every 5 min"
    )
    exit_state_action: Literal["READ_ONLY", "OFFLINE_MODE", "ABORT_SERVER"] = Field(
        "OFFLINE_MODE",
        description="action of a member that was forced to leave, after its tries to return: with "
        "`autorejoin_tries: 3` 15 min later",
    )
    weights: list[Annotated[int, Field(ge=0, le=100)]] = Field(
        [], description="election weights, node1 first; members without a weight have 50"
    )
    flow_control: Literal["QUOTA", "DISABLED"] = Field(
        "QUOTA", description="throttle writers when a member lags (group_replication_flow_control_mode)"
    )
    applier_threshold: Annotated[int, Field(ge=0)] = Field(
        25_000, description="transactions in the applier queue that trigger flow control"
    )
    certifier_threshold: Annotated[int, Field(ge=0)] = Field(
        25_000, description="transactions in the certification queue that trigger flow control"
    )
    paxos_single_leader: bool = Field(
        False, description="single-primary: only the primary proposes (Paxos with one leader)"
    )
    appliers: Annotated[int, Field(ge=1, le=1024)] = Field(
        4, description="applier threads (replica_parallel_workers)"
    )
    rejoin: Literal["incremental", "clone"] = Field(
        "incremental",
        description="how a member catches up: from another member's binary log, or by a copy of its data",
    )
    bootstrap_after: Duration | None = Field(
        5.0,
        description="automatic remediation: fivenines makes the survivors the whole group "
        "(group_replication_force_members) when no member has had a majority for this time; null: never",
    )

    def default_name(self) -> str:
        access = "" if self.access.kind == "direct" else f" + {self.access.kind}"
        kind = "group replication" if self.mode == "single-primary" else "group replication multi"
        return f"{kind}{access}"

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        problems = [
            f"{name} must be whole seconds: MySQL accepts whole seconds only"
            for name in ("member_expel_timeout", "unreachable_majority_timeout")
            if getattr(self, name) % 1
        ]
        if self.mode == "single-primary" and self.writes == "all":
            problems.append(
                "writes: all needs mode: multi-primary, as only one member takes writes otherwise"
            )
        if self.mode == "multi-primary" and self.paxos_single_leader:
            problems.append("paxos_single_leader needs mode: single-primary")
        if len(self.weights) > self.size:
            problems.append(
                f"weights: {len(self.weights)} for a group of {self.size}: write at most one for each member"
            )
        return problems

    @property
    def traits(self) -> Traits:
        single = self.mode == "single-primary"
        return Traits(
            nodes=self.size,
            single_writer=single,
            # The detector checks every second; suspicions with an expel timeout are checked every 15 s.
            watch_period=15.0 if self.member_expel_timeout else 1.0,
            # With group_replication_enforce_update_everywhere_checks members refuse SERIALIZABLE (manual,
            # "Group Replication Limitations").
            isolations=None if single else ("read_committed", "repeatable_read"),
        )

    @property
    def reserved(self) -> Mapping[str, str]:
        named = {
            "consistency": "consistency",
            "poll_spin_loops": "poll_spin_loops",
            "member_expel_timeout": "member_expel_timeout",
            "unreachable_majority_timeout": "unreachable_majority_timeout",
            "autorejoin_tries": "autorejoin_tries",
            "exit_state_action": "exit_state_action",
            "member_weight": "weights",
            "flow_control_mode": "flow_control",
            "flow_control_applier_threshold": "applier_threshold",
            "flow_control_certifier_threshold": "certifier_threshold",
            "paxos_single_leader": "paxos_single_leader",
            "single_primary_mode": "mode",
            "enforce_update_everywhere_checks": "mode",
        }
        own = (
            "group_name",
            "local_address",
            "group_seeds",
            "start_on_boot",
            "bootstrap_group",
            "force_members",
            "communication_stack",
            "ip_allowlist",
            "recovery_use_ssl",
            "view_change_uuid",
        )
        return {
            **{f"group_replication_{name}": by_key(key) for name, key in named.items()},
            **dict.fromkeys(
                (f"group_replication_{name}" for name in own),
                "fivenines creates the group at a port of its own, and admits its members",
            ),
            "log_bin": BINARY_LOG,
            "gtid_mode": "Group Replication requires ON",
            "enforce_gtid_consistency": "Group Replication requires ON",
            **dict.fromkeys(("replica_parallel_workers", "slave_parallel_workers"), by_key("appliers")),
        }

    def facts(self) -> SolutionFacts:
        single = self.mode == "single-primary"
        everywhere = self.consistency in ("AFTER", "BEFORE_AND_AFTER")
        waits = (
            "all members have applied it" if everywhere else "a majority has received it and it was certified"
        )
        return SolutionFacts(
            replication=f"row changes in one total order (Paxos); a commit is answered when {waits}",
            failover="built in: the group expels a silent member and elects a primary"
            if single
            else "built in: the group expels a silent member, the others remain writable",
            least_servers="3",
            write_scaling="no: one member takes writes"
            if single
            else "little: every member applies every change, and conflicts roll back",
            read_scaling="yes; "
            + (
                "reads of secondaries may be stale"
                if self.consistency in ("EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER")
                else "reads see all that was committed before them"
            ),
            one_failure_loses="nothing that was acknowledged: a majority has it",
            may_lose="",
            partition="the majority continues, the minority blocks"
            + (
                f" and leaves after {self.unreachable_majority_timeout:g} s"
                if self.unreachable_majority_timeout
                else " until it reaches the majority or an administrator intervenes"
            ),
            one_down="writes continue after a pause until it is expelled"
            + ("" if everywhere else ", if it took writes"),
            two_down="writes continue"
            if self.size >= 5
            else "blocks until an administrator forces a new membership",
            sources=[
                "MySQL 9 reference manual, Group Replication",
                "MySQL 9 reference manual, Transaction Consistency Guarantees",
            ],
        )
