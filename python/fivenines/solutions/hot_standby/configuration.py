"""Server settings of a primary, its standbys and a subscriber."""

from typing import TYPE_CHECKING

from fivenines.servers.base import Value
from fivenines.servers.postgres import logical
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.hot_standby.streaming import commit_level

if TYPE_CHECKING:
    from fivenines.solutions.hot_standby.solution import HotStandby


class HotStandbyConfiguration(Configuration[HotStandbySettings, Postgres]):
    """Every node could be the primary, except for a delayed standby and a subscriber."""

    solution: "HotStandby"

    def own(self, node: Postgres) -> dict[str, Value]:
        if self.solution.is_subscriber(node):
            return {**logical.SUBSCRIBING, "wal_level": "logical"}
        publishing = dict(logical.PUBLISHING) if self.settings.subscriber else {}
        delayed = {"recovery_min_apply_delay": f"{round(1000 * self.settings.delay)}ms"}
        return {
            "synchronous_commit": commit_level(self.settings.durability, self.settings.synchronous_commit),
            # Enough for pg_rewind, and for a standby that was unavailable without a slot. With slots, too, as
            # a promoted standby has retained no log for the others.
            "wal_keep_size": "512MB",
            "recovery_target_timeline": "latest",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
            **(delayed if self.solution.is_delayed(node) else {}),
            **publishing,
        }
