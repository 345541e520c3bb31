"""PostgreSQL under Patroni: every node's Patroni starts its server; etcd stores the leader lock.

Sources: Patroni's documentation (replication modes, dynamic configuration, DCS failsafe mode), PostgreSQL 18
manual, chapter 26.
"""

import json
import time
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.failover.managers.patroni import daemon as patroni_daemon
from fivenines.failover.managers.patroni.daemon import CONTROLLED, REST, Daemon
from fivenines.failover.managers.patroni.log import Follower, last_promoted
from fivenines.lab.host import Host, Root
from fivenines.servers.base import Value
from fivenines.servers.cluster.capabilities import Drain
from fivenines.servers.cluster.cluster import Purpose
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.in_effect import Finding
from fivenines.servers.postgres.server import Postgres
from fivenines.software.store import engine
from fivenines.solutions.hot_standby.streaming import Streaming
from fivenines.solutions.patroni.etcd import Etcd, Pace
from fivenines.solutions.patroni.settings import PatroniSettings

# Seconds between two queries of etcd's health.
_ASK_AGAIN = 2.0


class Patroni(Streaming[PatroniSettings]):
    """All nodes start from identical copies: the node with the lock is leader, the others follow it."""

    settings_type = PatroniSettings

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.etcd: Etcd
        self.daemons: dict[str, Daemon] = {}
        self._logs: dict[str, Follower] = {}
        self._etcd_trouble, self._queried_at = "", -_ASK_AGAIN

    # deployment

    def root(self) -> Root:
        return Root(lower=engine("patroni").root().lower, engine=self.engine.root().engine)

    def configuration(self, node: Postgres) -> dict[str, Value]:
        return {
            "synchronous_commit": self.commit_level(self.settings.synchronous_commit),
            "wal_keep_size": "512MB",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
        }

    def configure(self, node: Postgres) -> None:
        super().configure(node)
        settings = node.setup.settings(self.whole_configuration(node))
        controlled = {name: settings[name] for name in CONTROLLED if name in settings}
        text = patroni_daemon.configuration(
            node, self.etcd.endpoints, self.settings.dynamic(bootstrapping=True), controlled
        )
        patroni_daemon.write(text, node.host.node / "conf" / "patroni.yml")
        self.daemons[node.name] = Daemon(node, self.settings.version)
        self._logs[node.name] = Follower(self.daemons[node.name].log, node.name, node.host.day_ahead_ns)

    def prepare(self) -> None:
        pace = Pace(self.settings.etcd_heartbeat, self.settings.etcd_election)
        self.etcd = Etcd(self._etcd_hosts(), pace)
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
        for log in self._logs.values():
            log.forget()

    def parts_in_effect(self) -> list[Finding]:
        answer = self.daemons[self.primary_of_record.name].ask("GET", "/config", timeout=10.0)
        if answer.status != 200:
            raise FiveninesError(f"Patroni does not show its settings: {answer.text.strip()}")
        return patroni_daemon.dynamic_in_effect(self.settings.dynamic(), json.loads(answer.text))

    def _etcd_hosts(self) -> list[Host]:
        names = self.settings.hosts
        if not names:
            return [node.host for node in self.nodes[:3]]
        root = engine("patroni").root()
        return [self.lab.add_host(name, root) for name in names]

    def _unled(self, node: Postgres) -> str:
        self.daemons[node.name].require()
        self.daemons[node.name].require_settings()
        has_lock = last_promoted(self._logs[node.name].events()) == node.name
        return "" if has_lock else self._last_message(node)

    def _incomplete(self) -> str:
        for node in self.nodes:
            self.daemons[node.name].require()
            if reason := self.not_joined_reason(node):
                return reason
        return self._unsynchronous()

    def _unsynchronous(self) -> str:
        """Return why fewer standbys are synchronous than the settings require; empty otherwise."""
        primary = self.primary()
        if primary is None or self.settings.mode == "asynchronous":
            return ""
        ((count,),) = primary.sql.query(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
        )
        required = min(self.settings.synchronous_node_count, len(self.nodes) - 1)
        return "" if count >= required else f"{count} of {required} standbys are synchronous"

    def _set(self, dynamic: dict[str, object]) -> None:
        """Change the dynamic configuration in etcd for all nodes; it takes effect within one loop."""
        answer = self.daemons[self.primary_of_record.name].ask("PATCH", "/config", dynamic, 10.0)
        if answer.status != 200:
            raise FiveninesError(f"Patroni refused its settings: {answer.text.strip()}")

    # life

    def events(self) -> list[ManagerEvent]:
        events = [event for log in self._logs.values() for event in log.events()]
        return sorted(events, key=lambda event: event.monotonic_ns)

    @property
    def primary_of_record(self) -> Postgres:
        promoted = last_promoted(self.events())
        return self.node(promoted) if promoted else self.nodes[0]

    def rejoin(self, node: Postgres) -> None:
        daemon = self.daemons[node.name]
        if self.etcd.start_on(node.host):
            self._await_etcd()
        if not daemon.alive:
            daemon.start()
        self._await_member(node)

    def _await_member(self, node: Postgres) -> None:
        """Wait until it is a member; without a leader, until it answers."""
        deadline = time.monotonic() + 30.0
        while self.not_joined_reason(node):
            self.daemons[node.name].require()
            if node.answers() and self.primary() is None:
                return
            if time.monotonic() > deadline:
                if node.answers():
                    return
                raise FiveninesError(f"{node.name} does not start: {self._last_message(node)}")
            time.sleep(0.2)

    def _await_etcd(self) -> None:
        # Patroni without etcd sleeps for 5 s before it tries again.
        deadline = time.monotonic() + 5.0
        while self.etcd.trouble() and time.monotonic() < deadline:
            time.sleep(0.1)

    def replaces(self) -> bool:
        return not self._trouble()

    def not_joined_reason(self, node: Postgres) -> str:
        if not node.answers():
            return f"{node.name} does not answer: {self._last_message(node)}"
        if self.primary() is None:
            return f"there is no primary: {self._trouble() or self._last_message(node)}"
        if not self.daemons[node.name].alive:
            return f"{node.name} has no running Patroni: it has ended"
        reason = super().not_joined_reason(node)
        return f"{reason}: {self._last_message(node)}" if reason else ""

    def unexpected_primary_reason(self, node: Postgres) -> str:
        if node.alive and not self.daemons[node.name].alive:
            return f"the Patroni of {node.name} has ended"
        return ""

    def hand_over(self, draining: Drain | None) -> str:
        primary = self.primary()
        if primary is None:
            raise FiveninesError(f"there is no leader to switch over from: {self._trouble() or 'no primary'}")
        answer = self.daemons[primary.name].ask("POST", "/switchover", {"leader": primary.name}, 90.0)
        if answer.status != 200:
            raise FiveninesError(f"Patroni refused the switchover: {answer.text.strip()}")
        return f"by Patroni: {answer.text.strip()}"

    def health_check(self, purpose: Purpose) -> tuple[int, str]:
        return REST, "/primary" if purpose == "write" else "/replica"

    def _trouble(self) -> str:
        """Return what is wrong with etcd; queried at most every 2 s, as queries load the measured machine."""
        if time.monotonic() - self._queried_at > _ASK_AGAIN:
            self._etcd_trouble, self._queried_at = self.etcd.trouble(), time.monotonic()
        return self._etcd_trouble

    def _last_message(self, node: Postgres) -> str:
        """Return the last log message of its Patroni."""
        return self._logs[node.name].last_line() or "its Patroni has logged nothing"
