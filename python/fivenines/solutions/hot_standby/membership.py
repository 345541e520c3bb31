"""Roles and members of a primary with hot standbys and, if there is one, a subscriber."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fivenines.base.errors import FiveninesError, brief
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.postgres import logical
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.hot_standby.streaming import StreamingMembership

if TYPE_CHECKING:
    from fivenines.solutions.hot_standby.solution import HotStandby


class HotStandbyRoles(Roles[Postgres]):
    """The writable node is the primary, unless it is the subscriber."""

    cluster: "HotStandby"

    def observed(self, node: Postgres) -> Observed:
        # The subscriber could take writes, but refuses them.
        role = super().observed(node)
        return "replica" if role == "primary" and self.cluster.is_subscriber(node) else role


class HotStandbyMembership(StreamingMembership):
    """Standbys follow the primary, or each other in a cascade; an old primary is rewound."""

    cluster: "HotStandby"

    def __init__(self, cluster: Cluster[Postgres]) -> None:
        super().__init__(cluster)
        # What happened to nodes that returned, for the timeline.
        self.events: list[ManagerEvent] = []

    def rejoin(self, node: Postgres) -> None:
        postgres = self.cluster.node(node.name)
        primary = self.cluster.roles.certain_primary()
        if primary is None or self.cluster.is_subscriber(postgres):
            # A primary starts as a primary, a standby waits for one.
            postgres.start()
            postgres.wait_ready()
            return
        was_primary = not postgres.is_standby()
        if was_primary:
            self._rewind_or_copy(postgres, primary)
        self.cluster.follow(postgres, primary)
        postgres.start()
        postgres.wait_ready()
        if self.cluster.settings.slots and was_primary:
            # No standby follows it now: its slots would retain log for ever.
            self.cluster.make_slots(postgres)
        primary.set_system("synchronous_standby_names", self.cluster.sync_names(primary))
        self.cluster.guard_subscriber(primary)

    def _rewind_or_copy(self, node: Postgres, primary: Postgres) -> None:
        """Let a former primary follow: rewound, or with a new copy if that failed."""
        try:
            node.rewind(primary)
        except FiveninesError as failure:
            try:
                node.copy_from(primary)
            except FiveninesError as error:
                raise FiveninesError(f"{failure}\nA new base copy failed, too: {error}") from error
            detail = f"a new base copy of {primary.name}, as pg_rewind failed: {brief(failure)}"
            self.events.append(ManagerEvent(time.monotonic_ns(), "restored", node.name, detail))

    def unexpected_primary_reason(self, node: Postgres) -> str:
        primary = self.cluster.roles.certain_primary()
        if primary is None or primary is node or not node.answers() or self.cluster.is_subscriber(node):
            return ""
        if node.writable():
            return self.cluster.roles.second_primary_reason(node)
        followed = self._followed(node)
        if followed is primary or (self.cluster.settings.cascade and followed and followed.alive):
            return ""
        return f"{node.name} does not follow {primary.name}"

    def not_joined_reason(self, node: Postgres) -> str:
        if not self.cluster.is_subscriber(node) or not node.answers():
            return super().not_joined_reason(node)
        primary = self.cluster.roles.certain_primary()
        return self.not_streaming_reason(node, primary) if primary else "there is no primary"

    def written(self) -> Callable[[Postgres], str]:
        primary, unreplayed = self.cluster.roles.certain_primary(), super().written()
        if primary is None or not self.cluster.settings.subscriber:
            return unreplayed
        ((position,),) = primary.sql.query("SELECT pg_current_wal_lsn()::text")

        def lacks(node: Postgres) -> str:
            if not self.cluster.is_subscriber(node):
                return unreplayed(node)
            return logical.lag_reason(primary, node, position)

        return lacks

    def upstream(self, node: Postgres, primary: Postgres) -> Postgres | None:
        return self._followed(node) if self.cluster.settings.cascade else primary

    def _followed(self, node: Postgres) -> Postgres | None:
        ((followed,),) = node.sql.query("SHOW primary_conninfo")
        return next(
            (other for other in self.cluster.nodes if f"host={other.host.address} " in f"{followed} "), None
        )

    def _is_awaited(self, node: Postgres) -> bool:
        differ = self.cluster.settings.cascade or self.cluster.settings.delay
        return self.cluster.settings.synchronous and not differ and not self.cluster.is_subscriber(node)
