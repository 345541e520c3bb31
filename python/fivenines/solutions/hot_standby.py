"""PostgreSQL hot standby: one primary, N standbys that replay its log by streaming replication.

Source: PostgreSQL 18 manual, chapter 26 (High Availability) and `synchronous_commit` in 19.5.
"""

from typing import Annotated, Literal

from pydantic import Field

from fivenines.managers.any import AnyManager
from fivenines.managers.operator import OperatorSettings
from fivenines.managers.settings import ManagerSettings
from fivenines.servers.base import Server, Value
from fivenines.servers.postgres import Postgres, conninfo, synchronous_names
from fivenines.solutions.base import Solution
from fivenines.solutions.settings import SolutionSettings
from fivenines.waiting import wait_until


class HotStandbySettings(SolutionSettings):
    """Streaming replication; `safeness` says what a commit waits for (synchronous_commit)."""

    solution: Literal["hot-standby"] = Field(description="PostgreSQL primary with hot standbys")
    engine: Literal["postgres-18", "host-postgres"] = Field(
        "postgres-18", description="the database server"
    )
    standbys: Annotated[int, Field(ge=1, le=8)] = Field(1, description="number of standbys")
    safeness: Literal["off", "local", "remote_write", "on", "remote_apply"] = Field(
        "on",
        description="what a commit waits for: off (nothing), local (own disk: 1-safe), remote_write "
        "(a standby has it: 2-safe received), on (a standby has it on disk: 2-safe durable), "
        "remote_apply (a standby shows it: 2-safe visible)",
    )
    manager: AnyManager = Field(
        default_factory=OperatorSettings, description="the failover manager"
    )

    def default_name(self) -> str:
        return f"hot-standby {self.safeness}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        if self.durability == "relaxed" and self.safeness != "off":
            return [
                f"safeness {self.safeness} waits for the disk, durability relaxed does not: "
                "leave durability out (safeness: off is the relaxed one)"
            ]
        return []

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def nodes(self) -> int:
        return 1 + self.standbys


class HotStandby(Solution[HotStandbySettings]):
    """One primary; every standby follows it and answers reads."""

    settings_type = HotStandbySettings
    nodes: list[Postgres]  # type: ignore[assignment]

    def configuration(self, node: Server) -> dict[str, Value]:
        return {
            "synchronous_commit": self.settings.safeness,
            # enough for pg_rewind and for a standby that was away, without slots to clean up
            "wal_keep_size": "512MB",
            "recovery_target_timeline": "latest",
            "wal_receiver_status_interval": "1s",
            "wal_retrieve_retry_interval": "500ms",
        }

    @property
    def manager(self) -> ManagerSettings:
        return self.settings.manager

    def manager_facts(self) -> dict[str, object]:
        return {"synchronous": self._synchronous}

    def start(self) -> None:
        primary, standbys = self.nodes[0], self.nodes[1:]
        primary.write_auto_conf({"synchronous_standby_names": self._sync_names(primary)})
        for standby in standbys:
            self._follow(standby, primary)
        self.each(lambda node: node.start())
        self.each(lambda node: node.wait_ready())
        wait_until(
            lambda: next(filter(None, map(self.joined, standbys)), ""), 30.0,
            f"{self.settings.name}: not all standbys follow the primary",
        )  # fmt: skip

    def observed_role(self, node: Server) -> Literal["primary", "replica", "down"]:
        if not node.alive or not node.answers():
            return "down"
        return "primary" if node.writable() else "replica"

    def rejoin(self, node: Server) -> None:
        postgres = self.node(node.name)
        assert isinstance(postgres, Postgres)
        primary = self.primary()
        if primary is None:
            # as it was: a primary as primary, a standby waits for one
            postgres.start()
            postgres.wait_ready()
            return
        assert isinstance(primary, Postgres)
        if not postgres.is_standby():
            postgres.rewind(primary)
        self._follow(postgres, primary)
        postgres.start()
        postgres.wait_ready()
        primary.set_system("synchronous_standby_names", self._sync_names(primary))

    def joined(self, node: Server) -> str:
        if not node.answers():
            return f"{node.name} does not answer"
        primary = self.primary()
        if primary is None:
            return "there is no primary"
        if node.writable():
            return self._stray(node, primary)
        rows = primary.query(
            "SELECT state, sync_state FROM pg_stat_replication "
            f"WHERE application_name = '{node.name}'"
        )
        if not rows:
            return f"{node.name} is not connected to {primary.name}"
        state, sync = rows[0]
        if state != "streaming":
            return f"{node.name} is in state {state}"
        awaited = self._synchronous and sync == "async"
        return f"{node.name} is not synchronous yet" if awaited else ""

    def astray(self, node: Server) -> str:
        primary = self.primary()
        if primary is None or primary is node or not node.answers():
            return ""
        if node.writable():
            return self._stray(node, primary)
        ((followed,),) = node.query("SHOW primary_conninfo")
        own = f"host={primary.host.address} "
        return "" if own in f"{followed} " else f"{node.name} does not follow {primary.name}"

    def stall(self, node: Server) -> str:
        node.execute("SELECT pg_wal_replay_pause()")
        wait_until(
            lambda: "" if self._replay(node) == "paused" else self._replay(node),
            5.0, f"{node.name}: replay was not paused",
        )  # fmt: skip
        return "pg_wal_replay_pause()"

    def unstall(self, node: Server) -> str:
        node.execute("SELECT pg_wal_replay_resume()")
        state = self._replay(node)
        return "" if state == "not paused" else f"replay is {state}"

    def _replay(self, node: Server) -> str:
        return str(node.query("SELECT pg_get_wal_replay_pause_state()")[0][0])

    def _stray(self, node: Server, primary: Server) -> str:
        if node is primary:
            return ""
        return f"{node.name} takes writes although {primary.name} is the primary"

    def lag(self, node: Server) -> str:
        primary = self.primary()
        if primary is None or primary is node:
            return ""
        ((position,),) = primary.query("SELECT pg_current_wal_lsn()::text")
        ((behind,),) = node.query(
            f"SELECT pg_wal_lsn_diff('{position}', pg_last_wal_replay_lsn())::bigint"
        )
        return f"{node.name} has {behind} bytes of log to replay" if behind > 0 else ""

    @property
    def _synchronous(self) -> bool:
        return self.settings.safeness in ("remote_write", "on", "remote_apply")

    def _sync_names(self, primary: Server) -> str:
        others = [node.name for node in self.nodes if node is not primary]
        return synchronous_names(others) if self._synchronous else ""

    def _follow(self, standby: Postgres, primary: Server) -> None:
        standby.write_auto_conf(
            {
                "primary_conninfo": conninfo(primary.host.address, standby.name),
                "synchronous_standby_names": "",
            }
        )
        (standby.data / "standby.signal").touch()
