"""MySQL Group Replication: a group that agrees by Paxos on every transaction; failover is built in.

Source: MySQL 9 reference manual, chapter "Group Replication".
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.access.base import Access
from fivenines.access.endpoints import Endpoints
from fivenines.access.haproxy import Haproxy
from fivenines.engines.base import Engine
from fivenines.errors import FiveninesError
from fivenines.lab.world import World
from fivenines.load import dataset
from fivenines.managers.events import ManagerEvent
from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Server, Value, inside
from fivenines.servers.mysql import Mysql
from fivenines.servers.mysql_group import (
    CLONE_ONCE,
    GROUP_PORT,
    LEAVE,
    WAITING,
    Group,
    advice,
    bootstrap,
    force,
    join,
    transactions,
)
from fivenines.solutions.base import Solution
from fivenines.solutions.durability import durability
from fivenines.solutions.group_events import GroupLog
from fivenines.solutions.read_locks import LOCK, ReadLocks
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration
from fivenines.waiting import wait_until

GROUP_NAME = "9f1e9999-0000-4000-8000-000000000001"
"""The UUID under which the group's transactions are numbered."""

Consistency = Literal[
    "EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER", "BEFORE", "AFTER", "BEFORE_AND_AFTER"
]


class GroupReplicationSettings(SolutionSettings):
    """3 to 9 members that agree on each transaction; one member takes writes, or all do."""

    solution: Literal["group-replication"] = Field(description="MySQL Group Replication")
    engine: Literal["mysql-9.7"] = Field("mysql-9.7", description="the database server")
    size: Annotated[int, Field(ge=3, le=9)] = Field(3, description="number of members, 3 to 9")
    mode: Literal["single-primary", "multi-primary"] = Field(
        "single-primary", description="one member takes writes and the group elects it, or all do"
    )
    writes: Literal["one", "all"] = Field(
        "one", description="multi-primary: clients write to one member, or spread over all"
    )
    consistency: Consistency = Field(
        "BEFORE_ON_PRIMARY_FAILOVER",
        description="what a transaction waits for (group_replication_consistency): nothing, the backlog "
        "of a new primary, all before it, all members after it, or both",
    )
    poll_spin_loops: Annotated[int, Field(ge=0)] = Field(
        0,
        description="turns of the communication thread before it sleeps (costs CPU, saves latency)",
    )
    member_expel_timeout: Annotated[Duration, Field(ge=0, le=3600)] = Field(
        5.0,
        description="silence, beyond 5 s until it is suspected, until a member is expelled; whole seconds",
    )
    unreachable_majority_timeout: Annotated[Duration, Field(ge=0)] = Field(
        0.0,
        description="time without majority until a member leaves, in whole seconds; 0: it blocks for ever",
    )
    autorejoin_tries: Annotated[int, Field(ge=0, le=2016)] = Field(
        3, description="how often an expelled member tries to come back by itself, every 5 min"
    )
    exit_state_action: Literal["READ_ONLY", "OFFLINE_MODE", "ABORT_SERVER"] = Field(
        "OFFLINE_MODE", description="what a member does that has left against its will"
    )
    weights: list[Annotated[int, Field(ge=0, le=100)]] = Field(
        [], description="weights at elections, node1 first; members without one have 50"
    )
    flow_control: Literal["QUOTA", "DISABLED"] = Field(
        "QUOTA",
        description="slow writers down when a member lags (group_replication_flow_control_mode)",
    )
    applier_threshold: Annotated[int, Field(ge=0)] = Field(
        25_000, description="transactions waiting to be applied that trigger flow control"
    )
    certifier_threshold: Annotated[int, Field(ge=0)] = Field(
        25_000, description="transactions waiting to be certified that trigger flow control"
    )
    paxos_single_leader: bool = Field(
        False, description="single-primary: the primary alone proposes (Paxos with one leader)"
    )
    appliers: Annotated[int, Field(ge=1, le=1024)] = Field(
        4, description="applier threads (replica_parallel_workers)"
    )
    rejoin: Literal["incremental", "clone"] = Field(
        "incremental",
        description="how a member catches up: from another's binary log, or by a copy of its data",
    )
    bootstrap_after: Duration | None = Field(
        5.0,
        description="time without any majority after which a person makes the survivors the whole group "
        "(group_replication_force_members); null: nobody does",
    )

    def default_name(self) -> str:
        access = "" if self.access.kind == "direct" else f" + {self.access.kind}"
        kind = "group replication" if self.mode == "single-primary" else "group replication multi"
        return f"{kind}{access}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = [
            f"{name} must be whole seconds: MySQL knows no parts of them"
            for name in ("member_expel_timeout", "unreachable_majority_timeout")
            if getattr(self, name) % 1
        ]
        if self.mode == "single-primary" and self.writes == "all":
            found.append("writes: all needs mode: multi-primary, else one member takes writes")
        if self.mode == "multi-primary" and self.paxos_single_leader:
            found.append("paxos_single_leader needs mode: single-primary")
        if len(self.weights) > self.size:
            found.append(f"weights: {len(self.weights)} for a group of {self.size}")
        return found

    @property
    def nodes(self) -> int:
        return self.size

    @property
    def single_writer(self) -> bool:
        return self.mode == "single-primary"

    def facts(self) -> SolutionFacts:
        single = self.mode == "single-primary"
        waits = (
            "all members have applied it"
            if self.consistency in ("AFTER", "BEFORE_AND_AFTER")
            else "a majority has received it and it was certified"
        )
        return SolutionFacts(
            replication=f"row changes in one total order (Paxos); a commit is answered when {waits}",
            failover="built in: the group expels a silent member and elects a primary"
            if single
            else "built in: the group expels a silent member, the others take writes all the time",
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
            partition="the majority goes on, the minority blocks"
            + (
                f" and leaves after {self.unreachable_majority_timeout:g} s"
                if self.unreachable_majority_timeout
                else " until it reaches the majority or a person intervenes"
            ),
            one_down="goes on, after a pause until it is expelled",
            two_down="goes on"
            if self.size >= 5
            else "blocks until a person forces a new membership",
            sources=[
                "MySQL 9 reference manual, Group Replication",
                "MySQL 9 reference manual, Transaction Consistency Guarantees",
            ],
        )


_LONGEST_JOIN = 90.0
"""Seconds that a statement which makes a server a member may take."""

_LONGEST_RESCUE = 300.0
"""Seconds that it may take to force a membership: 47 to 69 s were seen."""

_LONGEST_BLOCK = 150.0
"""Seconds that a restarted member waits for a group that can let it in."""

_LONGEST_CLONE = 120.0
"""Seconds that a copy of all data may take."""


def _rescue(group: Group) -> tuple[list[str], str]:
    """Statements that make the survivors the group, on the chosen one that sees it so; and in words."""
    if group.state not in ("ONLINE", "RECOVERING"):
        # it has left the group that it could not reach
        return (
            [LEAVE, "SET GLOBAL offline_mode = OFF", *bootstrap()],
            "bootstrapped a new group, as no member was left in one",
        )
    reached = [host for host, state in group.members.items() if state != "UNREACHABLE"]
    return force(reached), "group_replication_force_members, as no member had a majority"


class GroupReplication(Solution[GroupReplicationSettings]):
    """The group elects a primary; with several primaries the first working member gets the writes."""

    settings_type = GroupReplicationSettings
    nodes: list[Mysql]  # type: ignore[assignment]

    def __init__(
        self, settings: GroupReplicationSettings, world: World, engine: Engine, data: Path
    ) -> None:
        super().__init__(settings, world, engine, data)
        self.drained: set[str] = set()
        """Members that get no writes for now, although they could take them."""
        self._blocked_since: float | None = None
        self._locks = ReadLocks()
        self._rescuer: Thread | None = None
        self._log = GroupLog()
        self._told: list[ManagerEvent] = []

    @property
    def group_name(self) -> str:
        """The UUID of the group, which MySQL Router asks for."""
        return GROUP_NAME

    def configuration(self, node: Server) -> dict[str, Value]:
        settings = self.settings
        number = self._index(node)
        single = settings.mode == "single-primary"
        seeds = ",".join(f"{other.host.address}:{GROUP_PORT}" for other in self.nodes)
        plugins = [
            "group_replication.so",
            *(["mysql_clone.so"] if settings.rejoin == "clone" else []),
        ]
        weight = settings.weights[number] if number < len(settings.weights) else 50
        group: dict[str, Value] = {
            "group_name": GROUP_NAME,
            "start_on_boot": False,
            "local_address": f"{node.host.address}:{GROUP_PORT}",
            "group_seeds": seeds,
            "single_primary_mode": single,
            "enforce_update_everywhere_checks": not single,
            "consistency": settings.consistency,
            "poll_spin_loops": settings.poll_spin_loops,
            "member_expel_timeout": round(settings.member_expel_timeout),
            "unreachable_majority_timeout": round(settings.unreachable_majority_timeout),
            "autorejoin_tries": settings.autorejoin_tries,
            "exit_state_action": settings.exit_state_action,
            "member_weight": weight,
            "flow_control_mode": settings.flow_control,
            "flow_control_applier_threshold": settings.applier_threshold,
            "flow_control_certifier_threshold": settings.certifier_threshold,
            "paxos_single_leader": settings.paxos_single_leader,
            "recovery_use_ssl": True,
            # a donor that died is not asked again for a minute otherwise
            "recovery_reconnect_interval": 5,
            "message_cache_size": 128 * 2**20,
        }
        return {
            "server_id": 1 + number,
            "report_host": node.host.address,
            "gtid_mode": "ON",
            "enforce_gtid_consistency": "ON",
            "log_bin": inside("data", "binlog"),
            "relay_log": inside("data", "relay"),
            "replica_parallel_workers": settings.appliers,
            # nobody writes until the group says so
            "super_read_only": True,
            "plugin_load_add": ";".join(plugins),
            **{f"group_replication_{name}": value for name, value in group.items()},
            **durability(self.engine.family, settings.durability),
        }

    def start(self) -> None:
        self.each(lambda node: node.start())
        self.each(self._become_member)
        wait_until(
            lambda: next(filter(None, map(self._incomplete, self.nodes)), ""), 60.0,
            f"{self.settings.name}: not all members are ONLINE",
        )  # fmt: skip
        self._log.begin(self.nodes)

    def _become_member(self, node: Server) -> None:
        """The first one is the group; the others join it at the same time, as soon as it works."""
        node.wait_ready()
        seed = self.nodes[0]
        if node is not seed:
            # the seed's own statement returns a second later than that
            wait_until(
                lambda: "" if self._works(seed, self._groups()) else "it has not begun", 60.0,
                f"{node.name} waits for {seed.name} to be the group",
            )  # fmt: skip
        statements = bootstrap() if node is seed else [join()]
        try:
            node.execute(*statements, timeout=_LONGEST_JOIN)
        except FiveninesError as error:
            raise FiveninesError(self._refused(node, str(error))) from error

    def observed_role(self, node: Server) -> Literal["primary", "replica", "down"]:
        groups = self._groups()
        if not self._works(node, groups):
            return "down"
        if self.settings.mode == "single-primary":
            return "primary" if groups[node.name].role == "PRIMARY" else "replica"
        able = [other for other in self.nodes if self._works(other, groups)]
        first = next((other for other in able if other.name not in self.drained), able[0])
        return "primary" if first is node else "replica"

    def rejoin(self, node: Server) -> None:
        assert isinstance(node, Mysql)
        if not any(other.alive for other in self.nodes):
            self._begin_again()
            return
        node.start()
        node.wait_ready()
        wait_until(
            lambda: "" if self._can_let_in() else "no member has a majority", _LONGEST_BLOCK,
            f"{node.name} cannot join: the group did not come back", interval=0.25,
        )  # fmt: skip
        self._join(node)

    def _can_let_in(self) -> bool:
        groups = self._groups()
        return any(self._works(node, groups) for node in self.nodes)

    def _join(self, node: Mysql) -> None:
        """Make a running server a member; one whose history is not the group's is restored before.

        Raises:
            FiveninesError: it does not join; with its log's telling lines.
        """
        try:
            self._join_once(node)
        except FiveninesError as error:
            if "more executed transactions" not in node.last_words():
                raise FiveninesError(self._refused(node, str(error))) from error
            self._restore(node)
            self._join_once(node)

    def _join_once(self, node: Mysql) -> None:
        clone = [CLONE_ONCE] if self.settings.rejoin == "clone" else []
        node.execute(*clone, join(), timeout=_LONGEST_JOIN)
        if clone and not self._stays(node):
            # the copy is complete: the server ends, to be started on it
            node.start()
            node.wait_ready()
            node.execute(join(), timeout=_LONGEST_JOIN)

    def _stays(self, node: Mysql) -> bool:
        """Whether it becomes a member as it is; False: it has been cloned and ended."""
        deadline = time.monotonic() + _LONGEST_CLONE
        while node.alive and time.monotonic() < deadline:
            group = self._group(node)
            if group is not None and group.state in ("ONLINE", "ERROR"):
                return True
            time.sleep(0.1)
        return node.alive

    def _restore(self, node: Mysql) -> None:
        """Begin again from the data set, as from the last backup; the group's binary logs bring the rest."""
        node.stop()
        dataset.replace(self._data, node)
        self.configure(node)
        node.start()
        node.wait_ready()
        detail = "it had transactions that the group does not have: restored from the data set"
        self._told.append(ManagerEvent(time.monotonic_ns(), "restored", node.name, detail))

    def _begin_again(self) -> None:
        """All members are dead: the most advanced one becomes a new group, the others join it."""
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        first, *others = self._by_position(self.nodes)
        first.execute(*bootstrap(), timeout=_LONGEST_JOIN)
        for node in others:
            self._join(node)

    def _by_position(self, nodes: Sequence[Mysql]) -> list[Mysql]:
        """The most advanced first."""
        known = {node.name: transactions(node.position()) for node in nodes}
        return sorted(nodes, key=lambda node: -known[node.name])

    def restart_order(self, nodes: Sequence[Server]) -> list[Server]:
        return list(nodes)

    def hand_over(self, access: Access[Any]) -> str:
        node = self.target("primary")
        if self.settings.mode == "single-primary":
            return self._elect(node)
        self.drained.add(node.name)
        if isinstance(access, Haproxy):
            access.drain(node.name)
            return f"{node.name} in maintenance at HAProxy, its sessions ended"
        node.execute("SET GLOBAL super_read_only = ON")
        return f"{node.name} is read-only"

    def _elect(self, former: Server) -> str:
        successor = self.target("replica")
        assert isinstance(successor, Mysql)
        former.execute(f"SELECT group_replication_set_as_primary('{successor.uuid}')")
        return f"group_replication_set_as_primary: {former.name} to {successor.name}"

    def take_back(self, access: Access[Any], node: Server) -> None:
        if node.name not in self.drained:
            return
        self.drained.discard(node.name)
        if isinstance(access, Haproxy):
            access.restore(node.name)
        elif node.alive:
            node.execute("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")

    def tend(self) -> list[str]:
        """Make the survivors the whole group once no member has had a majority for long."""
        if self.settings.bootstrap_after is None or self._rescue_goes_on:
            return []
        left = self._groups()
        if not left or any(group.majority for group in left.values()):
            self._blocked_since = None
            return []
        if self._blocked_since is None:
            self._blocked_since = time.monotonic()
        if time.monotonic() - self._blocked_since < self.settings.bootstrap_after:
            return []
        self._blocked_since = None
        chosen, *_ = self._by_position([node for node in self.nodes if node.name in left])
        statements, told = _rescue(left[chosen.name])
        # it takes up to a minute, and whoever is on duty has more to see after
        self._rescuer = Thread(target=self._execute, args=(chosen, statements), daemon=True)
        self._rescuer.start()
        return [f"{chosen.name}: {told}"]

    @property
    def _rescue_goes_on(self) -> bool:
        return self._rescuer is not None and self._rescuer.is_alive()

    def _execute(self, node: Mysql, statements: Sequence[str]) -> None:
        try:
            node.execute(*statements, timeout=_LONGEST_RESCUE)
        except FiveninesError as error:
            self._told.append(ManagerEvent(time.monotonic_ns(), "failed", node.name, str(error)))

    def stall(self, node: Server) -> str:
        # the channel of the group itself cannot be stopped (error 3139)
        self._locks.take(node)
        return LOCK

    def unstall(self, node: Server) -> str:
        return self._locks.give_back(node)

    def joined(self, node: Server) -> str:
        groups = self._groups()
        group = groups.get(node.name)
        if group is None:
            return f"{node.name} does not answer"
        if self._works(node, groups):
            return ""
        if group.working:
            return f"{node.name} has been expelled and does not know it yet"
        if group.state == "ONLINE":
            return f"{node.name} reaches no majority of the group: it blocks"
        if group.state == "RECOVERING":
            return f"{node.name} is still RECOVERING"
        return self._refused(node, f"{node.name} is {group.state}")

    def astray(self, node: Server) -> str:
        groups = self._groups()
        group = groups.get(node.name)
        if group is None or group.state not in ("OFFLINE", "ERROR"):
            return ""
        if not any(self._works(other, groups) for other in self.nodes):
            return ""
        return f"{node.name} is {group.state} and does not come back by itself"

    def lag(self, node: Server) -> str:
        ((waiting,),) = node.query(WAITING) or ((0,),)
        return "" if int(waiting) == 0 else f"{node.name} has {waiting} transactions to apply"

    def events(self) -> list[ManagerEvent]:
        return [*self._log.events(self.nodes), *self._told]

    def endpoints(self) -> Endpoints:
        spread: Literal["first", "all"] = "all" if self.settings.writes == "all" else "first"
        return replace(super().endpoints(), spread=spread)

    def _refused(self, node: Server, what: str) -> str:
        words = node.last_words().splitlines()
        way = advice(words)
        return "\n".join([f"{what}; {way}" if way else what, *words])

    def _index(self, node: Server) -> int:
        return next(index for index, other in enumerate(self.nodes) if other is node)

    def _group(self, node: Server) -> Group | None:
        assert isinstance(node, Mysql)
        return node.group() if node.alive and not node.frozen else None

    def _groups(self) -> dict[str, Group]:
        """The group as each member sees it that answers, by name."""
        asked = {node.name: self._group(node) for node in self.nodes}
        return {name: group for name, group in asked.items() if group is not None}

    def _works(self, node: Server, groups: Mapping[str, Group]) -> bool:
        """Whether a member takes part in the group, as it sees itself and as the others see it.

        A member that was cut off and is reached again knows only seconds later that it has been expelled.
        """
        group = groups.get(node.name)
        return (group is not None and group.working) and all(
            node.host.address in other.members for other in groups.values() if other.working
        )

    def _incomplete(self, node: Mysql) -> str:
        group = self._group(node)
        if group is not None and list(group.members.values()) == ["ONLINE"] * self.settings.size:
            return ""
        return self.joined(node) or f"{node.name} sees {group.members if group else 'nobody'}"
