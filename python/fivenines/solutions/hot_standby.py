"""PostgreSQL hot standby: one primary, N standbys that replay its log by streaming replication.

Source: PostgreSQL 18 manual, chapter 26 (High Availability) and `synchronous_commit` in 19.5.
"""

from itertools import pairwise

from fivenines.servers.base import Value
from fivenines.servers.postgres import slots
from fivenines.servers.postgres.server import (
    STANDBY_SIGNAL,
    Postgres,
    conninfo,
    synchronous_names,
)
from fivenines.solutions.hot_standby_settings import HotStandbySettings
from fivenines.solutions.streaming import Streaming
from fivenines.waiting import wait_until


class HotStandby(Streaming[HotStandbySettings]):
    """One primary; every standby follows it and answers reads."""

    settings_type = HotStandbySettings

    def configuration(self, node: Postgres) -> dict[str, Value]:
        delayed = {"recovery_min_apply_delay": f"{round(1000 * self.settings.delay)}ms"}
        return {
            "synchronous_commit": self.commit_level(self.settings.safeness),
            # enough for pg_rewind and for a standby that was away, without slots to clean up; with slots as
            # well, as a standby that is promoted has kept nothing for the others
            "wal_keep_size": "512MB",
            "recovery_target_timeline": "latest",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
            **(delayed if self._is_delayed(node) else {}),
        }

    def manager_facts(self) -> dict[str, object]:
        return {
            "synchronous": self.settings.synchronous,
            "candidates": [node.name for node in self.nodes if not self._is_delayed(node)],
            "control": {"wait_for": self.settings.wait_for, "choice": self.settings.choice},
        }

    @property
    def replicas(self) -> list[Postgres]:
        return [node for node in self.nodes[1:] if not self._is_delayed(node)]

    def start(self) -> None:
        primary, standbys = self.nodes[0], self.nodes[1:]
        primary.write_auto_conf({"synchronous_standby_names": self._sync_names(primary)})
        for before, standby in pairwise(self.nodes):
            self._follow(standby, before if self.settings.cascade else primary)
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        if self.settings.slots:
            self.each(self._make_slots)
        wait_until(
            lambda: next(filter(None, map(self.not_joined_reason, standbys)), ""), 30.0,
            f"{self.settings.name}: not all standbys follow the primary",
        )  # fmt: skip

    def rejoin(self, node: Postgres) -> None:
        postgres = self.node(node.name)
        primary = self.primary()
        if primary is None:
            # as it was: a primary as primary, a standby waits for one
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
            # nobody follows it now: what its slots kept, they would keep for ever
            self._make_slots(postgres)
        primary.set_system("synchronous_standby_names", self._sync_names(primary))

    def stray_reason(self, node: Postgres) -> str:
        primary = self.primary()
        if primary is None or primary is node or not node.answers():
            return ""
        if node.writable():
            return self.second_primary_reason(node)
        followed = self._followed(node)
        if followed is primary or (self.settings.cascade and followed and followed.alive):
            return ""
        return f"{node.name} does not follow {primary.name}"

    def upstream(self, node: Postgres, primary: Postgres) -> Postgres | None:
        return self._followed(node) if self.settings.cascade else primary

    def _followed(self, node: Postgres) -> Postgres | None:
        ((followed,),) = node.query("SHOW primary_conninfo")
        return next(
            (one for one in self.nodes if f"host={one.host.address} " in f"{followed} "), None
        )

    @property
    def _all_synchronous(self) -> bool:
        return self.settings.synchronous and not (self.settings.cascade or self.settings.delay)

    def _is_delayed(self, node: Postgres) -> bool:
        return bool(self.settings.delay) and node.name == self.nodes[-1].name

    def _sync_names(self, primary: Postgres) -> str:
        able = [one.name for one in self.nodes if one is not primary and not self._is_delayed(one)]
        asked = self.settings
        return synchronous_names(able, asked.wait_for, asked.choice) if asked.synchronous else ""

    def _make_slots(self, node: Postgres) -> None:
        """On each node one for each other: whoever is promoted has them already."""
        slots.renew(node, [one.name for one in self.nodes if one is not node])

    def _follow(self, standby: Postgres, upstream: Postgres) -> None:
        slot = {"primary_slot_name": slots.named(standby.name)} if self.settings.slots else {}
        standby.write_auto_conf(
            {
                "primary_conninfo": conninfo(upstream.host.address, standby.name),
                # as if it were the primary, for the moment from its promotion to the next command
                "synchronous_standby_names": self._sync_names(standby),
                **slot,
            }
        )
        standby.host.data.write_text(STANDBY_SIGNAL, "")
