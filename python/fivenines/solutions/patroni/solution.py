"""PostgreSQL under Patroni: every node's Patroni starts its server; etcd stores the leader lock.

Sources: Patroni's documentation (replication modes, dynamic configuration, DCS failsafe mode), PostgreSQL 18
manual, chapter 26.
"""

import time
from collections.abc import Sequence
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.patroni.daemon import REST, Daemon
from fivenines.failover.managers.patroni.log import Follower, last_promoted
from fivenines.lab.host import Host, Root
from fivenines.lab.processes.look import Command
from fivenines.servers.cluster.cluster import Purpose
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.postgres.server import Postgres
from fivenines.software.store import engine
from fivenines.solutions.base import Solution
from fivenines.solutions.hosts import Hosts
from fivenines.solutions.hot_standby.streaming import ReplayStalling
from fivenines.solutions.patroni.configuration import PatroniConfiguration
from fivenines.solutions.patroni.etcd import Etcd, Pace
from fivenines.solutions.patroni.membership import PatroniMembership, PatroniRoles, PatroniSwitchover
from fivenines.solutions.patroni.settings import PatroniSettings

# Longest time in seconds until Patroni has new settings.
_PATIENCE = 60.0

# Seconds between two queries of etcd's health.
_ASK_AGAIN = 2.0


class PatroniHosts(Hosts[PatroniSettings, Postgres]):
    """The root file system contains Patroni and, next to it, the server.

    etcd runs on separate hosts, or on the first three nodes.
    """

    solution: "Patroni"

    def add(self) -> None:
        super().add()
        settings = self.settings
        pace = Pace(settings.etcd_heartbeat, settings.etcd_election)
        self.solution.etcd = Etcd(self._etcd_hosts(), pace)
        self.solution.etcd.configure()

    def _etcd_hosts(self) -> list[Host]:
        names = self.settings.traits.hosts
        if not names:
            return [node.host for node in self.solution.nodes[:3]]
        root = engine("patroni").root()
        return [self.solution.lab.add_host(name, root) for name in names]

    def root(self) -> Root:
        return Root(lower=engine("patroni").root().lower, engine=self.solution.engine.root().engine)


class Patroni(Solution[PatroniSettings, Postgres]):
    """All nodes start from identical copies: the node with the lock is leader, the others follow it."""

    settings_type = PatroniSettings
    roles_type = PatroniRoles
    membership_type = PatroniMembership
    switchover_type = PatroniSwitchover
    stalling_type = ReplayStalling
    configuration_type = PatroniConfiguration
    hosts_type = PatroniHosts

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.etcd: Etcd
        self.daemons: dict[str, Daemon] = {}
        self.logs: dict[str, Follower] = {}
        self._etcd_trouble, self._queried_at = "", -_ASK_AGAIN

    def prepare(self) -> None:
        self.etcd.start()

    def start(self) -> None:
        settings, first = self.settings, self.nodes[0]
        self.etcd.await_leader()
        # The others start when the first one has the lock, so that the first leader is not random.
        self.daemons[first.name].start()
        wait_until(
            lambda: self._unled(first), 120.0, f"{settings.name}: {first.name} did not become leader", 0.05
        )
        for node in self.nodes[1:]:
            self.daemons[node.name].start()
        wait_until(self._incomplete, 120.0, f"{settings.name}: the cluster is not complete", 0.1)
        self._set(settings.dynamic())
        for log in self.logs.values():
            log.forget()

    def _unled(self, node: Postgres) -> str:
        self.daemons[node.name].require()
        self.daemons[node.name].require_settings()
        has_lock = last_promoted(self.logs[node.name].events()) == node.name
        return "" if has_lock else self.last_message(node)

    def _incomplete(self) -> str:
        for node in self.nodes:
            self.daemons[node.name].require()
            if reason := self.membership.not_joined_reason(node):
                return reason
        return self._unsynchronous()

    def _unsynchronous(self) -> str:
        """Return why fewer standbys are synchronous than the settings require; empty otherwise."""
        primary = self.roles.certain_primary()
        if primary is None or self.settings.mode == "asynchronous":
            return ""
        ((count,),) = primary.sql.query(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
        )
        required = min(self.settings.synchronous_node_count, len(self.nodes) - 1)
        return "" if count >= required else f"{count} of {required} standbys are synchronous"

    def _set(self, dynamic: dict[str, object]) -> None:
        """Change the dynamic configuration in etcd for all nodes; return when the leader has it."""
        answer = self.daemons[self.roles.primary_of_record.name].ask("PATCH", "/config", dynamic, 10.0)
        if answer.status != 200:
            raise FiveninesError(f"Patroni refused its settings: {answer.text.strip()}")
        # Until its next loop Patroni goes by its last view of etcd, which it also shows.
        wait_until(
            self._not_in_effect, _PATIENCE, f"{self.settings.name}: its settings are not in effect", 0.1
        )

    def _not_in_effect(self) -> str:
        differing = [f"{found.setting}: {found.found}" for found in self.configuration.parts_in_effect()]
        return ", ".join(differing)

    def events(self) -> list[ManagerEvent]:
        events = [event for log in self.logs.values() for event in log.events()]
        return sorted(events, key=lambda event: event.monotonic_ns)

    def failover_programs(self, host: str) -> Sequence[Command]:
        process = self.daemons[host].process if host in self.daemons else None
        return [process] if process is not None else []

    def replaces(self) -> bool:
        return not self.trouble()

    def health_check(self, purpose: Purpose) -> tuple[int, str]:
        return REST, "/primary" if purpose == "write" else "/replica"

    def trouble(self) -> str:
        """Return what is wrong with etcd; queried at most every 2 s, as queries load the measured machine."""
        if time.monotonic() - self._queried_at > _ASK_AGAIN:
            self._etcd_trouble, self._queried_at = self.etcd.trouble(), time.monotonic()
        return self._etcd_trouble

    def last_message(self, node: Postgres) -> str:
        """Return the last log message of its Patroni."""
        return self.logs[node.name].last_line() or "its Patroni has logged nothing"
