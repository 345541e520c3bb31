"""MariaDB Galera cluster: virtually synchronous, certification-based, failover built in.

Source: Galera Cluster documentation, "Galera Parameters" and "Quorum Components".
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pymysql
from pydantic import Field

from fivenines.access.base import Access
from fivenines.access.endpoints import Endpoints
from fivenines.access.haproxy import Haproxy
from fivenines.engines.base import Engine
from fivenines.errors import FiveninesError
from fivenines.lab.world import World
from fivenines.servers.base import Server, Value
from fivenines.servers.mariadb import Mariadb
from fivenines.solutions.base import Solution
from fivenines.solutions.durability import durability
from fivenines.solutions.settings import SolutionSettings
from fivenines.units import Duration, Size
from fivenines.waiting import wait_until


class GaleraSettings(SolutionSettings):
    """3 or 5 nodes; every node can take writes, a majority must agree."""

    solution: Literal["galera"] = Field(description="MariaDB Galera cluster")
    engine: Literal["mariadb-10.11", "host-mariadb"] = Field(
        "mariadb-10.11", description="the database server"
    )
    size: int = Field(3, description="number of nodes, 3 or 5")
    writes: Literal["one", "all"] = Field(
        "one", description="clients write to one node, or spread over all"
    )
    suspect_timeout: Annotated[Duration, Field(ge=0.5)] = Field(
        5.0, description="silence until a node is suspected (evs.suspect_timeout)"
    )
    inactive_timeout: Annotated[Duration, Field(ge=0.5)] = Field(
        15.0, description="silence until a node is dropped at once (evs.inactive_timeout)"
    )
    appliers: Annotated[int, Field(ge=1)] = Field(
        2, description="applier threads (wsrep_slave_threads)"
    )
    bootstrap_after: Duration | None = Field(
        5.0,
        description="time without any majority after which a person makes the most advanced survivor "
        "a cluster of its own (pc.bootstrap); null: nobody does",
    )
    gcache: Size = Field(
        128 * 2**20, description="write-set cache for incremental joins (gcache.size)"
    )

    def default_name(self) -> str:
        access = "" if self.access.kind == "direct" else f" + {self.access.kind}"
        return f"galera{access}"

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = []
        if self.size not in (3, 5):
            found.append(
                f"a Galera cluster of {self.size} keeps no majority when one node dies and no arbiter "
                "stands in: set size to 3 or 5"
            )
        if self.inactive_timeout < self.suspect_timeout:
            found.append("inactive_timeout must not be shorter than suspect_timeout")
        return found

    @property
    def nodes(self) -> int:
        return self.size


_STALLED = 3600.0
"""Seconds that a connection which holds a lock may be silent."""

_LIBRARY = "/usr/lib/galera/libgalera_smm.so"


def _wsrep(node: Server) -> dict[str, Value]:
    return {
        "innodb_autoinc_lock_mode": 2,
        "wsrep_on": True,
        "wsrep_provider": _LIBRARY,
        "wsrep_cluster_name": "fivenines",
        "wsrep_node_name": node.name,
        "wsrep_node_address": node.host.address,
    }


def _bootstrap_once(seed: Server) -> None:
    """Let the data become that of a cluster of one, so that its copies are members of one cluster.

    A clean stop writes the cluster's identity and position into grastate.dat and InnoDB; nodes that start
    from copies then join by what the first one has cached since, without a state transfer.
    """
    seed.configure({**_wsrep(seed), "wsrep_cluster_address": "gcomm://"})
    seed.start("--wsrep-new-cluster")
    seed.wait_ready()
    seed.stop()


class Galera(Solution[GaleraSettings]):
    """All nodes are alike; the first healthy one is the primary in the sense of who gets the writes."""

    settings_type = GaleraSettings
    health = "synced"
    season = ("galera", _bootstrap_once)
    nodes: list[Mariadb]  # type: ignore[assignment]

    def __init__(self, settings: GaleraSettings, world: World, engine: Engine, data: Path) -> None:
        super().__init__(settings, world, engine, data)
        self.drained: set[str] = set()
        """Nodes that get no writes for now, although they could take them."""
        self._without_majority: float | None = None
        self._stalled: dict[str, ExitStack] = {}

    def configuration(self, node: Server) -> dict[str, Value]:
        settings = self.settings
        options = (
            f"gcache.size={settings.gcache}; "
            f"evs.suspect_timeout=PT{settings.suspect_timeout:g}S; "
            f"evs.inactive_timeout=PT{settings.inactive_timeout:g}S; "
            # Galera refuses to probe silent peers less than three times, or more often than every 0.1 s
            f"evs.keepalive_period=PT{min(1.0, settings.suspect_timeout / 4):g}S; "
            f"evs.inactive_check_period=PT{max(0.1, min(0.5, settings.suspect_timeout / 8)):g}S"
        )
        addresses = ",".join(f"{self._address(number)}" for number in range(settings.size))
        return {
            **_wsrep(node),
            "wsrep_cluster_address": f"gcomm://{addresses}",
            "wsrep_sst_method": "rsync",
            "wsrep_slave_threads": settings.appliers,
            "wsrep_provider_options": f'"{options}"',
            **durability(self.engine.family, settings.durability),
        }

    def start(self) -> None:
        self._allow_bootstrap(self.nodes[0])
        self.nodes[0].start("--wsrep-new-cluster")
        self.nodes[0].wait_ready()
        # one after another: joiners that meet each other first form a group without quorum, and merging
        # it costs four seconds
        for size, node in enumerate(self.nodes[1:], start=2):
            node.start()
            wait_until(partial(self._smaller_than, size), 30.0, f"{node.name} did not join")
        self.each(lambda node: node.wait_ready())
        wait_until(
            lambda: next(filter(None, (self._incomplete(node) for node in self.nodes)), ""),
            30.0, f"{self.settings.name}: not all nodes are Synced",
        )  # fmt: skip

    def observed_role(self, node: Server) -> Literal["primary", "replica", "down"]:
        if not self._synced(node):
            return "down"
        able = [other for other in self.nodes if self._synced(other)]
        first = next((other for other in able if other.name not in self.drained), able[0])
        return "primary" if first is node else "replica"

    def rejoin(self, node: Server) -> None:
        assert isinstance(node, Mariadb)
        if not any(other.alive for other in self.nodes):
            self._begin_again()
            if node.alive:
                return
        position = node.recover_position()
        node.start(*([f"--wsrep-start-position={position}"] if position else []))
        # a state transfer may replace the whole data directory first
        node.wait_ready(120.0)

    def hand_over(self, access: Access[Any]) -> str:
        node = self.target("primary")
        self.drained.add(node.name)
        if isinstance(access, Haproxy):
            access.drain(node.name)
            return f"{node.name} in maintenance at HAProxy, its sessions ended"
        node.execute("SET GLOBAL wsrep_reject_queries = ALL")
        return f"{node.name} rejects queries (wsrep_reject_queries)"

    def take_back(self, access: Access[Any], node: Server) -> None:
        self.drained.discard(node.name)
        if isinstance(access, Haproxy):
            access.restore(node.name)
        elif node.alive:
            node.execute("SET GLOBAL wsrep_reject_queries = NONE")

    def restart_order(self, nodes: Sequence[Server]) -> list[Server]:
        return list(nodes)

    def tend(self) -> list[str]:
        """Make the most advanced survivor a cluster of its own once no node has a majority for long."""
        if self.settings.bootstrap_after is None:
            return []
        answers = {
            node.name: node.galera() for node in self.nodes if node.alive and not node.frozen
        }
        left = {name: state for name, state in answers.items() if state is not None}
        if not left or any(state[1] == "Primary" for state in left.values()):
            self._without_majority = None
            return []
        if self._without_majority is None:
            self._without_majority = time.monotonic()
        if time.monotonic() - self._without_majority < self.settings.bootstrap_after:
            return []
        self._without_majority = None
        chosen = max((self.node(name) for name in left), key=_committed)
        chosen.execute("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")
        return [f"{chosen.name}: pc.bootstrap=YES, as no node had a majority"]

    def stall(self, node: Server) -> str:
        held = ExitStack()
        connection = held.enter_context(node.connect(_STALLED))
        self._stalled[node.name] = held
        with connection.cursor() as cursor:
            # the provider is paused and desynchronised: the node applies nothing, and slows nobody down
            cursor.execute("FLUSH TABLES WITH READ LOCK")
        state = node.galera() if isinstance(node, Mariadb) else None
        if state is None or state[2] == "Synced":
            raise FiveninesError(f"{node.name}: it is still {state}")
        return f"FLUSH TABLES WITH READ LOCK; it is {state[2]}"

    def unstall(self, node: Server) -> str:
        try:
            # the lock goes with the connection that holds it
            self._stalled.pop(node.name).close()
        except pymysql.Error as error:
            return f"the lock was lost before: {error}"
        return ""

    def _begin_again(self) -> None:
        """All nodes are dead: the most advanced one becomes a new cluster (galera_new_cluster)."""
        positions = {node.name: node.recover_position() for node in self.nodes}
        first = max(self.nodes, key=lambda node: _sequence(positions[node.name]))
        self._allow_bootstrap(first)
        position = positions[first.name]
        first.start(
            "--wsrep-new-cluster", *([f"--wsrep-start-position={position}"] if position else [])
        )
        first.wait_ready()

    def _allow_bootstrap(self, node: Server) -> None:
        state = node.data / "grastate.dat"
        state.write_text(state.read_text().replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))

    def joined(self, node: Server) -> str:
        return "" if self._synced(node) else f"{node.name} is not Synced"

    def lag(self, node: Server) -> str:
        assert isinstance(node, Mariadb)
        queue = node.status("wsrep_local_recv_queue").get("wsrep_local_recv_queue", "0")
        return "" if queue == "0" else f"{node.name} has {queue} write sets to apply"

    def endpoints(self) -> Endpoints:
        spread: Literal["first", "all"] = "all" if self.settings.writes == "all" else "first"
        return replace(super().endpoints(), spread=spread)

    def _address(self, number: int) -> str:
        return self.nodes[number].host.address

    def _synced(self, node: Server) -> bool:
        assert isinstance(node, Mariadb)
        state = node.galera() if node.alive else None
        return state is not None and state[1:] == ("Primary", "Synced")

    def _smaller_than(self, size: int) -> str:
        state = self.nodes[0].galera()
        return "" if state is not None and state[0] == str(size) else f"the cluster is {state}"

    def _incomplete(self, node: Mariadb) -> str:
        state = node.galera()
        if state == (str(self.settings.size), "Primary", "Synced"):
            return ""
        return f"{node.name} is {state}"


def _committed(node: Server) -> int:
    assert isinstance(node, Mariadb)
    return int(node.status("wsrep_last_committed").get("wsrep_last_committed", "-1"))


def _sequence(position: str) -> int:
    """The sequence number of a position, uuid:seqno; -1 if it is not known."""
    _, _, number = position.rpartition(":")
    return int(number) if number.lstrip("-").isdigit() else -1
