"""Settings of servers under Patroni, which writes their configuration, and of Patroni itself."""

import json
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError
from fivenines.failover.managers.patroni import daemon as patroni_daemon
from fivenines.failover.managers.patroni.daemon import CONTROLLED, Daemon
from fivenines.failover.managers.patroni.log import Follower
from fivenines.servers.base import Value
from fivenines.servers.in_effect import Finding
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.hot_standby.streaming import commit_level
from fivenines.solutions.patroni.settings import PatroniSettings

if TYPE_CHECKING:
    from fivenines.solutions.patroni.solution import Patroni


class PatroniConfiguration(Configuration[PatroniSettings, Postgres]):
    """A node's configuration includes that of its Patroni."""

    solution: "Patroni"

    def own(self, node: Postgres) -> dict[str, Value]:
        return {
            "synchronous_commit": commit_level(self.settings.durability, self.settings.synchronous_commit),
            "wal_keep_size": "512MB",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
        }

    def write(self, node: Postgres) -> None:
        super().write(node)
        settings = node.setup.settings(self.whole(node))
        controlled = {name: settings[name] for name in CONTROLLED if name in settings}
        text = patroni_daemon.configuration(
            node, self.solution.etcd.endpoints, self.settings.dynamic(bootstrapping=True), controlled
        )
        patroni_daemon.write(text, node.host.node / "conf" / "patroni.yml")
        self.solution.daemons[node.name] = Daemon(node, self.settings.version)
        self.solution.logs[node.name] = Follower(
            self.solution.daemons[node.name].log, node.name, node.host.clock.day_ahead_ns
        )

    def parts_in_effect(self) -> list[Finding]:
        answer = self.solution.daemons[self.solution.roles.primary_of_record.name].ask(
            "GET", "/config", timeout=10.0
        )
        if answer.status != 200:
            raise FiveninesError(f"Patroni does not show its settings: {answer.text.strip()}")
        return patroni_daemon.dynamic_in_effect(self.settings.dynamic(), json.loads(answer.text))
