"""Members of a replication group: how they rejoin, and how survivors without a majority continue."""

import time
from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.load import dataset
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.mysql.group import (
    CLONE_ONCE,
    LEAVE,
    WAITING,
    Group,
    advice,
    bootstrap,
    force,
    transactions,
)
from fivenines.servers.mysql.server import Mysql
from fivenines.solutions.quorum import QuorumMembership

if TYPE_CHECKING:
    from fivenines.solutions.group_replication.solution import GroupReplication

# Longest time in seconds for a statement that makes a server a member.
LONGEST_JOIN = 90.0

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


class GroupMembership(QuorumMembership[Mysql]):
    """A member works if it and all others see it in the group."""

    cluster: "GroupReplication"

    def __init__(self, cluster: Cluster[Mysql]) -> None:
        super().__init__(cluster)
        # What members had to be restored or rescued for.
        self.events: list[ManagerEvent] = []
        self._rescuer: Thread | None = None

    def rejoin(self, node: Mysql) -> None:
        if not any(other.alive for other in self.cluster.nodes):
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
        groups = self.cluster.roles.groups()
        return any(self.cluster.roles.works(node, groups) for node in self.cluster.nodes)

    def _join(self, node: Mysql) -> None:
        """Make a running server a member; first restore one whose history has diverged.

        Raises:
            FiveninesError: it does not join; with the relevant lines of its log.
        """
        try:
            self._join_once(node)
        except FiveninesError as error:
            if "more executed transactions" not in node.last_words():
                raise FiveninesError(refused(node, str(error))) from error
            self._restore(node)
            self._join_once(node)

    def _join_once(self, node: Mysql) -> None:
        clone = [CLONE_ONCE] if self.cluster.settings.rejoin == "clone" else []
        node.sql.execute(*clone, self.cluster.join_statement, timeout=LONGEST_JOIN)
        if clone and not self._stays(node):
            # The copy is complete: the server has ended, and must be started with it.
            node.start()
            node.wait_ready()
            node.sql.execute(self.cluster.join_statement, timeout=LONGEST_JOIN)

    def _stays(self, node: Mysql) -> bool:
        """Return whether it joins with its own data; False: it has been cloned and has ended."""
        deadline = time.monotonic() + _LONGEST_CLONE
        while node.alive and time.monotonic() < deadline:
            group = self.cluster.roles.group(node)
            if group is not None and group.state in ("ONLINE", "ERROR"):
                return True
            time.sleep(0.1)
        return node.alive

    def _restore(self, node: Mysql) -> None:
        """Start from the data set again, as from the last backup; the group's binary logs supply the rest."""
        node.stop()
        dataset.copy(self.cluster.data_set, node)
        self.cluster.configuration.write(node)
        node.start()
        node.wait_ready()
        detail = "it had transactions that the group does not have: restored from the data set"
        self.events.append(ManagerEvent(time.monotonic_ns(), "restored", node.name, detail))

    def _begin_again(self) -> None:
        """Form a new group with the most advanced member, as all members are dead; the others join it."""
        self.cluster.each(lambda node: node.start())
        self.cluster.each(lambda node: node.wait_ready())
        first, *others = self._by_position(self.cluster.nodes)
        first.sql.execute(*self.cluster.bootstrap_statements, timeout=LONGEST_JOIN)
        for node in others:
            self._join(node)

    def _by_position(self, nodes: Sequence[Mysql]) -> list[Mysql]:
        """Return the nodes, the most advanced first."""
        known = {node.name: transactions(node.position()) for node in nodes}
        return sorted(nodes, key=lambda node: -known[node.name])

    def remediate(self) -> list[str]:
        """Make the survivors the whole group when no member has had a majority for long."""
        if self.cluster.settings.bootstrap_after is None or self._rescue_goes_on:
            return []
        left = self.cluster.roles.groups()
        majority = any(group.majority for group in left.values())
        if not self.blocked_for_long(majority or not left):
            return []
        chosen, *_ = self._by_position([node for node in self.cluster.nodes if node.name in left])
        statements, action = _rescue(left[chosen.name], self.cluster.passwords.replication)
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
            self.events.append(ManagerEvent(time.monotonic_ns(), "failed", node.name, str(error)))

    def not_joined_reason(self, node: Mysql) -> str:
        groups = self.cluster.roles.groups()
        group = groups.get(node.name)
        if group is None:
            return f"{node.name} does not answer"
        if self.cluster.roles.works(node, groups):
            return ""
        if group.working:
            return f"{node.name} has been expelled, but has not noticed yet"
        if group.state == "ONLINE":
            return f"{node.name} reaches no majority of the group: it blocks"
        if group.state == "RECOVERING":
            return f"{node.name} is still RECOVERING"
        return refused(node, f"{node.name} is {group.state}")

    def unexpected_primary_reason(self, node: Mysql) -> str:
        groups = self.cluster.roles.groups()
        group = groups.get(node.name)
        if group is None or group.state not in ("OFFLINE", "ERROR"):
            return ""
        if not any(self.cluster.roles.works(other, groups) for other in self.cluster.nodes):
            return ""
        return f"{node.name} is {group.state} and does not rejoin by itself"

    def lag_reason(self, node: Mysql) -> str:
        ((waiting,),) = node.sql.query(WAITING) or ((0,),)
        return "" if int(waiting) == 0 else f"{node.name} has {waiting} transactions to apply"


def refused(node: Mysql, what: str) -> str:
    """Return what a member refused, with a remedy and the relevant lines of its log."""
    words = node.last_words().splitlines()
    way = advice(words)
    return "\n".join([f"{what}; {way}" if way else what, *words])
