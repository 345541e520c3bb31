"""PostgreSQL hot standby: one primary, N standbys that replay its log by streaming replication.

Source: PostgreSQL 18 manual, chapter 26 (High Availability) and `synchronous_commit` in 19.5.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

from fivenines.base.waiting import wait_until
from fivenines.servers.base import Value
from fivenines.servers.postgres import logical, slots
from fivenines.servers.postgres.server import STANDBY_SIGNAL, Postgres, conninfo, synchronous_names
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.hot_standby.streaming import Streaming


class HotStandby(Streaming[HotStandbySettings]):
    """One primary; every standby follows it and answers reads."""

    settings_type = HotStandbySettings

    def configuration(self, node: Postgres) -> dict[str, Value]:
        if self._is_subscriber(node):
            return {**logical.SUBSCRIBING, "wal_level": "logical"}
        publishing = dict(logical.PUBLISHING) if self.settings.subscriber else {}
        delayed = {"recovery_min_apply_delay": f"{round(1000 * self.settings.delay)}ms"}
        return {
            "synchronous_commit": self.commit_level(self.settings.synchronous_commit),
            # Enough for pg_rewind, and for a standby that was unavailable without a slot. With slots, too, as
            # a promoted standby has retained no log for the others.
            "wal_keep_size": "512MB",
            "recovery_target_timeline": "latest",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
            **(delayed if self._is_delayed(node) else {}),
            **publishing,
        }

    def manager_facts(self) -> dict[str, object]:
        return {
            "synchronous": self.settings.synchronous,
            "candidates": [node.name for node in self.nodes if not self._is_never_promoted(node)],
            "control": {"wait_for": self.settings.wait_for, "choice": self.settings.choice},
        }

    @property
    def replicas(self) -> list[Postgres]:
        return [node for node in self.nodes[1:] if not self._is_never_promoted(node)]

    def start(self) -> None:
        primary, standbys = self.nodes[0], self.publishers[1:]
        primary.write_auto_conf({"synchronous_standby_names": self._sync_names(primary)})
        for before, standby in pairwise(self.publishers):
            self._follow(standby, before if self.settings.cascade else primary)
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        if self.settings.slots:
            self.each(self._make_slots, self.publishers)
        wait_until(
            lambda: next(filter(None, map(self.not_joined_reason, standbys)), ""),
            30.0,
            f"{self.settings.name}: not all standbys follow the primary",
        )
        if self.settings.subscriber:
            self._join_subscriber()

    def rejoin(self, node: Postgres) -> None:
        postgres = self.node(node.name)
        primary = self.primary()
        if primary is None or self._is_subscriber(postgres):
            # A primary starts as a primary, a standby waits for one.
            postgres.start()
            postgres.wait_ready()
            return
        was_primary = not postgres.is_standby()
        if was_primary:
            postgres.rewind(primary)
        self._follow(postgres, primary)
        postgres.start()
        postgres.wait_ready()
        if self.settings.slots and was_primary:
            # No standby follows it now: its slots would retain log for ever.
            self._make_slots(postgres)
        primary.set_system("synchronous_standby_names", self._sync_names(primary))
        self._guard_subscriber(primary)

    def unexpected_primary_reason(self, node: Postgres) -> str:
        primary = self.primary()
        if primary is None or primary is node or not node.answers() or self._is_subscriber(node):
            return ""
        if node.writable():
            return self.second_primary_reason(node)
        followed = self._followed(node)
        if followed is primary or (self.settings.cascade and followed and followed.alive):
            return ""
        return f"{node.name} does not follow {primary.name}"

    @property
    def publishers(self) -> list[Postgres]:
        """Return the nodes that can become the primary of a subscriber; without one, all nodes."""
        return [node for node in self.nodes if not self._is_subscriber(node)]

    def observed_role(self, node: Postgres) -> Literal["primary", "replica", "down"]:
        # The subscriber could take writes, but refuses them.
        role = super().observed_role(node)
        return "replica" if role == "primary" and self._is_subscriber(node) else role

    def not_joined_reason(self, node: Postgres) -> str:
        if not self._is_subscriber(node) or not node.answers():
            return super().not_joined_reason(node)
        primary = self.primary()
        return self.not_streaming_reason(node, primary) if primary else "there is no primary"

    def written(self) -> Callable[[Postgres], str]:
        primary, unreplayed = self.primary(), super().written()
        if primary is None or not self.settings.subscriber:
            return unreplayed
        ((position,),) = primary.sql.query("SELECT pg_current_wal_lsn()::text")

        def lacks(node: Postgres) -> str:
            if not self._is_subscriber(node):
                return unreplayed(node)
            return logical.lag_reason(primary, node, position)

        return lacks

    def _join_subscriber(self) -> None:
        primary, subscriber = self.nodes[0], self.nodes[-1]
        logical.require(primary)
        logical.join(primary, self.publishers, subscriber)
        self._guard_subscriber(primary)
        wait_until(
            lambda: (
                self.not_joined_reason(subscriber)
                or next(filter(None, map(logical.slot_reason, self.publishers[1:])), "")
            ),
            60.0,
            f"{self.settings.name}: the subscriber does not follow the primary",
        )

    def _guard_subscriber(self, primary: Postgres) -> None:
        """Send the subscriber nothing that standbys lack: any promoted standby can continue from there."""
        if self.settings.subscriber:
            others = [slots.named(node.name) for node in self.publishers if node is not primary]
            primary.set_system("synchronized_standby_slots", ", ".join(others))

    def upstream(self, node: Postgres, primary: Postgres) -> Postgres | None:
        return self._followed(node) if self.settings.cascade else primary

    def _followed(self, node: Postgres) -> Postgres | None:
        ((followed,),) = node.sql.query("SHOW primary_conninfo")
        return next((other for other in self.nodes if f"host={other.host.address} " in f"{followed} "), None)

    def _is_awaited(self, node: Postgres) -> bool:
        differ = self.settings.cascade or self.settings.delay
        return self.settings.synchronous and not differ and not self._is_subscriber(node)

    def _is_delayed(self, node: Postgres) -> bool:
        return bool(self.settings.delay) and node.name == self.nodes[-1].name

    def _is_subscriber(self, node: Postgres) -> bool:
        return self.settings.subscriber and node.name == self.nodes[-1].name

    def _is_never_promoted(self, node: Postgres) -> bool:
        return self._is_delayed(node) or self._is_subscriber(node)

    def _sync_names(self, primary: Postgres) -> str:
        able = [node.name for node in self.nodes if node is not primary and not self._is_never_promoted(node)]
        settings = self.settings
        return synchronous_names(able, settings.wait_for, settings.choice) if settings.synchronous else ""

    def _make_slots(self, node: Postgres) -> None:
        """Create slots for all other nodes on each node, so that a promoted node already has them."""
        slots.renew(node, [other.name for other in self.publishers if other is not node])

    def _follow(self, standby: Postgres, upstream: Postgres) -> None:
        slot = {"primary_slot_name": slots.named(standby.name)} if self.settings.slots else {}
        standby.write_auto_conf(
            {
                "primary_conninfo": conninfo(upstream.host.address, standby.name),
                # A promoted standby uses it between its promotion and the next command.
                "synchronous_standby_names": self._sync_names(standby),
                **slot,
            }
        )
        standby.host.data.write_text(STANDBY_SIGNAL, "")
