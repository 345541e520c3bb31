"""MySQL Group Replication: a group that agrees by Paxos on every transaction; failover is built in.

Source: MySQL 9 reference manual, chapter "Group Replication".
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Literal

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.lab.lab import Lab
from fivenines.load import dataset
from fivenines.servers.base import Value, inside
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.mysql.group import (
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
from fivenines.servers.mysql.server import Mysql
from fivenines.software.base import Engine
from fivenines.solutions.group_replication.events import GroupLog
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.quorum import Quorum

# The UUID in the GTIDs of the group's transactions.
GROUP_NAME = "9f1e9999-0000-4000-8000-000000000001"

# Longest time in seconds for a statement that makes a server a member.
_LONGEST_JOIN = 90.0

# Longest time in seconds to force a membership: 47 to 69 s were seen.
_LONGEST_RESCUE = 300.0

# Longest time in seconds that a restarted member waits for a group with a majority.
_LONGEST_BLOCK = 150.0

# Longest time in seconds for a copy of all data.
_LONGEST_CLONE = 120.0


def _rescue(group: Group, password: str) -> tuple[list[str], str]:
    """Return statements that make the survivors the group, run on the chosen one, and a description."""
    if group.state not in ("ONLINE", "RECOVERING"):
        # It has left the group that it could not reach.
        return (
            [LEAVE, "SET GLOBAL offline_mode = OFF", *bootstrap(password)],
            "bootstrapped a new group, as no member was left in one",
        )
    reached = [host for host, state in group.members.items() if state != "UNREACHABLE"]
    return force(reached), "group_replication_force_members, as no member had a majority"


class GroupReplication(Quorum[GroupReplicationSettings, Mysql]):
    """The group elects a primary; with several primaries the first working member gets the writes."""

    settings_type = GroupReplicationSettings
    refusal = (("SET GLOBAL super_read_only = ON",), "is read-only")
    acceptance = ("SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF")

    def __init__(self, settings: GroupReplicationSettings, lab: Lab, engine: Engine, data: Path) -> None:
        super().__init__(settings, lab, engine, data)
        self._rescuer: Thread | None = None
        self._log = GroupLog()
        self._events: list[ManagerEvent] = []

    @property
    def group_name(self) -> str:
        """Return the UUID of the group, which MySQL Router queries."""
        return GROUP_NAME

    def configuration(self, node: Mysql) -> dict[str, Value]:
        settings = self.settings
        number = self._index(node)
        single = settings.mode == "single-primary"
        seeds = ",".join(f"{other.host.address}:{GROUP_PORT}" for other in self.nodes)
        plugins = ["group_replication.so", *(["mysql_clone.so"] if settings.rejoin == "clone" else [])]
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
            # Otherwise a donor that died is not tried again for a minute.
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
            # Writes are refused until the group has a primary.
            "super_read_only": True,
            "plugin_load_add": ";".join(plugins),
            **{f"group_replication_{name}": value for name, value in group.items()},
            **node.durability(settings.durability.at_start),
        }

    @property
    def _join_statement(self) -> str:
        return join(self.passwords.replication)

    @property
    def _begin(self) -> list[str]:
        return bootstrap(self.passwords.replication)

    def start(self) -> None:
        self.each(lambda node: node.start())
        self.each(self._become_member)
        wait_until(
            lambda: next(filter(None, map(self._incomplete, self.nodes)), ""),
            60.0,
            f"{self.settings.name}: not all members are ONLINE",
        )
        self._log.begin(self.nodes)

    def _become_member(self, node: Mysql) -> None:
        """Start the group with the first node; the others join it in parallel, as soon as it works."""
        node.wait_ready()
        seed = self.nodes[0]
        if node is not seed:
            # The seed's own statement returns a second later than that.
            wait_until(
                lambda: "" if self._works(seed, self._groups()) else "it has not begun",
                60.0,
                f"{node.name} waits for {seed.name} to form the group",
            )
        statements = self._begin if node is seed else [self._join_statement]
        try:
            node.sql.execute(*statements, timeout=_LONGEST_JOIN)
        except FiveninesError as error:
            raise FiveninesError(self._refused(node, str(error))) from error

    def observed_role(self, node: Mysql) -> Literal["primary", "replica", "down"]:
        groups = self._groups()
        if not self._works(node, groups):
            return "down"
        if self.settings.mode == "single-primary":
            return "primary" if groups[node.name].role == "PRIMARY" else "replica"
        able = [other for other in self.nodes if self._works(other, groups)]
        return "primary" if self.writer(able) is node else "replica"

    def rejoin(self, node: Mysql) -> None:
        if not any(other.alive for other in self.nodes):
            self._begin_again()
            return
        node.start()
        node.wait_ready()
        wait_until(
            lambda: "" if self._can_let_in() else "no member has a majority",
            _LONGEST_BLOCK,
            f"{node.name} cannot join: the group has not formed again",
            interval=0.25,
        )
        self._join(node)

    def _can_let_in(self) -> bool:
        groups = self._groups()
        return any(self._works(node, groups) for node in self.nodes)

    def _join(self, node: Mysql) -> None:
        """Make a running server a member; first restore one whose history has diverged.

        Raises:
            FiveninesError: it does not join; with the relevant lines of its log.
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
        node.sql.execute(*clone, self._join_statement, timeout=_LONGEST_JOIN)
        if clone and not self._stays(node):
            # The copy is complete: the server has ended, and must be started with it.
            node.start()
            node.wait_ready()
            node.sql.execute(self._join_statement, timeout=_LONGEST_JOIN)

    def _stays(self, node: Mysql) -> bool:
        """Return whether it joins with its own data; False: it has been cloned and has ended."""
        deadline = time.monotonic() + _LONGEST_CLONE
        while node.alive and time.monotonic() < deadline:
            group = self._group(node)
            if group is not None and group.state in ("ONLINE", "ERROR"):
                return True
            time.sleep(0.1)
        return node.alive

    def _restore(self, node: Mysql) -> None:
        """Start from the data set again, as from the last backup; the group's binary logs supply the rest."""
        node.stop()
        dataset.copy(self._data, node)
        self.configure(node)
        node.start()
        node.wait_ready()
        detail = "it had transactions that the group does not have: restored from the data set"
        self._events.append(ManagerEvent(time.monotonic_ns(), "restored", node.name, detail))

    def _begin_again(self) -> None:
        """Form a new group with the most advanced member, as all members are dead; the others join it."""
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        first, *others = self._by_position(self.nodes)
        first.sql.execute(*self._begin, timeout=_LONGEST_JOIN)
        for node in others:
            self._join(node)

    def _by_position(self, nodes: Sequence[Mysql]) -> list[Mysql]:
        """Return the nodes, the most advanced first."""
        known = {node.name: transactions(node.position()) for node in nodes}
        return sorted(nodes, key=lambda node: -known[node.name])

    def hand_over(self, draining: Drain | None) -> str:
        if self.settings.mode == "single-primary":
            return self._elect(self.target("primary"))
        return super().hand_over(draining)

    def _elect(self, former: Mysql) -> str:
        successor = self.target("replica")
        former.sql.execute(f"SELECT group_replication_set_as_primary('{successor.uuid}')")
        return f"group_replication_set_as_primary: {former.name} to {successor.name}"

    def remediate(self) -> list[str]:
        """Make the survivors the whole group when no member has had a majority for long."""
        if self.settings.bootstrap_after is None or self._rescue_goes_on:
            return []
        left = self._groups()
        majority = any(group.majority for group in left.values())
        if not self.blocked_for_long(majority or not left):
            return []
        chosen, *_ = self._by_position([node for node in self.nodes if node.name in left])
        statements, action = _rescue(left[chosen.name], self.passwords.replication)
        # The statement takes up to a minute, and remediation has other nodes to check.
        self._rescuer = Thread(target=self._execute, args=(chosen, statements), daemon=True)
        self._rescuer.start()
        return [f"{chosen.name}: {action}"]

    @property
    def _rescue_goes_on(self) -> bool:
        return self._rescuer is not None and self._rescuer.is_alive()

    def _execute(self, node: Mysql, statements: Sequence[str]) -> None:
        try:
            node.sql.execute(*statements, timeout=_LONGEST_RESCUE)
        except FiveninesError as error:
            self._events.append(ManagerEvent(time.monotonic_ns(), "failed", node.name, str(error)))

    def not_joined_reason(self, node: Mysql) -> str:
        groups = self._groups()
        group = groups.get(node.name)
        if group is None:
            return f"{node.name} does not answer"
        if self._works(node, groups):
            return ""
        if group.working:
            return f"{node.name} has been expelled, but has not noticed yet"
        if group.state == "ONLINE":
            return f"{node.name} reaches no majority of the group: it blocks"
        if group.state == "RECOVERING":
            return f"{node.name} is still RECOVERING"
        return self._refused(node, f"{node.name} is {group.state}")

    def unexpected_primary_reason(self, node: Mysql) -> str:
        groups = self._groups()
        group = groups.get(node.name)
        if group is None or group.state not in ("OFFLINE", "ERROR"):
            return ""
        if not any(self._works(other, groups) for other in self.nodes):
            return ""
        return f"{node.name} is {group.state} and does not rejoin by itself"

    def lag_reason(self, node: Mysql) -> str:
        ((waiting,),) = node.sql.query(WAITING) or ((0,),)
        return "" if int(waiting) == 0 else f"{node.name} has {waiting} transactions to apply"

    def events(self) -> list[ManagerEvent]:
        return [*self._log.events(self.nodes), *self._events]

    def _refused(self, node: Mysql, what: str) -> str:
        words = node.last_words().splitlines()
        way = advice(words)
        return "\n".join([f"{what}; {way}" if way else what, *words])

    def _index(self, node: Mysql) -> int:
        return next(index for index, other in enumerate(self.nodes) if other is node)

    def _group(self, node: Mysql) -> Group | None:
        return node.group() if node.alive and not node.frozen else None

    def _groups(self) -> dict[str, Group]:
        """Return the group as each member that answers sees it, by name."""
        groups = {node.name: self._group(node) for node in self.nodes}
        return {name: group for name, group in groups.items() if group is not None}

    def _works(self, node: Mysql, groups: Mapping[str, Group]) -> bool:
        """Return whether a member takes part in the group, in its own view and in the others'.

        A member that was cut off and is reachable again notices only seconds later that it has been expelled.
        """
        group = groups.get(node.name)
        return (group is not None and group.working) and all(
            node.host.address in other.members for other in groups.values() if other.working
        )

    def _incomplete(self, node: Mysql) -> str:
        group = self._group(node)
        if group is not None and list(group.members.values()) == ["ONLINE"] * self.settings.size:
            return ""
        return self.not_joined_reason(node) or f"{node.name} sees {group.members if group else 'no members'}"
