"""MariaDB Galera cluster: virtually synchronous, certification-based, failover built in.

Source: Galera Cluster documentation, "Galera Parameters" and "Quorum Components".
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fivenines.base.errors import FiveninesError
from fivenines.base.units import Duration, Size
from fivenines.base.waiting import wait_until
from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Server, Value
from fivenines.servers.local import LocalServer
from fivenines.servers.mariadb.server import Mariadb, sequence_number
from fivenines.servers.mysql_family.provider_options import parsed
from fivenines.software.store import engine
from fivenines.solutions.engines import engine_type
from fivenines.solutions.galera import transfer as galera_transfer
from fivenines.solutions.galera.arbiter import Arbiter
from fivenines.solutions.galera.facts import galera_facts
from fivenines.solutions.galera.options import (
    absorbed,
    as_text,
    group_options,
    in_bytes,
    is_provider,
    option_problems,
    timing_problems,
)
from fivenines.solutions.quorum import Quorum, QuorumSettings
from fivenines.solutions.reserved import PROVIDER, by_key

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(("mariadb-10.11", "host-mariadb"), "mariadb")


class GaleraSettings(QuorumSettings):
    """An odd number of votes; every node can take writes, a majority must agree."""

    setup_seconds: ClassVar[float] = 8.0

    solution: Literal["galera"] = Field(description="MariaDB Galera cluster")
    engine: AnyEngine = Field("mariadb-10.11", description="the database server")
    size: Annotated[int, Field(ge=2, le=9)] = Field(
        3, description="number of nodes: odd, or even with an arbiter"
    )
    arbiter: bool = Field(False, description="whether garbd, on a separate host, votes without storing data")
    writes: Literal["one", "all"] = Field(
        "one", description="clients write to one node, or are spread over all"
    )
    suspect_timeout: Annotated[Duration, Field(ge=0.5)] = Field(
        5.0, description="silence until a node is suspected (evs.suspect_timeout)"
    )
    inactive_timeout: Annotated[Duration, Field(ge=0.5)] = Field(
        15.0, description="silence until a node is dropped at once (evs.inactive_timeout)"
    )
    keepalive_period: Annotated[Duration, Field(ge=0.1)] | None = Field(
        None,
        description="interval of keepalive messages (evs.keepalive_period); null: a quarter of "
        "suspect_timeout, at most 1s",
    )
    join_retrans_period: Annotated[Duration, Field(ge=0.1)] | None = Field(
        None, description="interval of repeated messages while a group forms (evs.join_retrans_period)"
    )
    install_timeout: Duration | None = Field(
        None, description="timeout of forming a new group (evs.install_timeout)"
    )
    send_window: Annotated[int, Field(ge=1)] | None = Field(
        None, description="packets in flight at once (evs.send_window); choose more for long links"
    )
    user_send_window: Annotated[int, Field(ge=1)] | None = Field(
        None, description="share of them for write sets (evs.user_send_window)"
    )
    fc_limit: Annotated[int, Field(ge=1)] | None = Field(
        None, description="write sets in a node's queue above which it pauses all others (gcs.fc_limit)"
    )
    fc_factor: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="fraction of fc_limit below which they continue (gcs.fc_factor)"
    )
    fc_single_primary: bool = Field(
        False,
        description="whether fc_limit is constant, as writes come from one node (gcs.fc_single_primary, "
        "formerly gcs.fc_master_slave); else it grows with the cluster",
    )
    sync_wait: Annotated[int, Field(ge=0, le=15)] = Field(
        0,
        description="client statements that first wait until their node has applied everything, as the bits "
        "of wsrep_sync_wait: 1 reads and START TRANSACTION, 2 UPDATE and DELETE, 4 INSERT and REPLACE, 8 "
        "SHOW; statements inside a transaction never wait",
    )
    segments: bool = Field(
        False,
        description="whether each site is a segment: write sets cross a link between sites once, and are "
        "relayed at the site (gmcast.segment)",
    )
    sst: galera_transfer.Method = Field(
        "rsync",
        description="full state transfer to a node that cannot catch up (wsrep_sst_method): rsync blocks the "
        "donor's writes, mariabackup does not",
    )
    appliers: Annotated[int, Field(ge=1)] = Field(2, description="applier threads (wsrep_slave_threads)")
    bootstrap_after: Duration | None = Field(
        5.0,
        description="automatic remediation: fivenines bootstraps the most advanced survivor (pc.bootstrap) "
        "when no node has had a majority for this time; null: never",
    )
    gcache: Size = Field(128 * 2**20, description="write-set cache for incremental joins (gcache.size)")

    def default_name(self) -> str:
        arbiter = " + garbd" if self.arbiter else ""
        access = "" if self.access.kind == "direct" else f" + {self.access.kind}"
        return f"galera{arbiter}{access}"

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        problems = []
        if self.votes % 2 == 0:
            problems.append(
                f"a Galera cluster of {self.votes} votes has no majority when it splits into halves: "
                "set size to 3 or 5, or to 2 or 4 with `arbiter: true`"
            )
        return problems + timing_problems(self)

    @property
    def nodes(self) -> int:
        return self.size

    @property
    def votes(self) -> int:
        return self.size + self.arbiter

    @property
    def own_watch_period(self) -> float:
        # By default evs.keepalive_period is at most 1 s; evs.inactive_check_period is 0.5 s.
        return max(self.keepalive_period or 1.0, 0.5)

    @property
    def hosts(self) -> tuple[str, ...]:
        return (Arbiter.name,) if self.arbiter else ()

    @property
    def more_engines(self) -> tuple[str, ...]:
        return (Arbiter.software,) if self.arbiter else ()

    def facts(self) -> SolutionFacts:
        return galera_facts(self)

    @model_validator(mode="before")
    @classmethod
    def _provider_options(cls, value: Any) -> Any:
        return absorbed(value) if isinstance(value, dict) else value

    @property
    def reserved(self) -> Mapping[str, str]:
        own = (
            "wsrep_on",
            "wsrep_provider",
            "wsrep_cluster_name",
            "wsrep_cluster_address",
            "wsrep_node_name",
            "wsrep_node_address",
            "wsrep_node_incoming_address",
            "wsrep_sst_receive_address",
            "wsrep_sst_auth",
            "wsrep_sst_donor",
            "wsrep_start_position",
            "wsrep_new_cluster",
            "wsrep_recover",
        )
        waits = {"init_connect": by_key("sync_wait")} if self.sync_wait else {}
        return {
            **dict.fromkeys(own, "fivenines creates the cluster, and joins each node by its address"),
            "innodb_autoinc_lock_mode": "Galera requires 2",
            "wsrep_slave_threads": by_key("appliers"),
            "wsrep_sst_method": by_key("sst"),
            "wsrep_sync_wait": f"{by_key('sync_wait')}, which applies to clients but not to observers",
            **waits,
        }

    def refused(self) -> dict[tuple[str, ...], str]:
        refused = super().refused()
        for name, value in self.server.items():
            if is_provider(name) and (problem := option_problems(str(value), segments=self.segments)):
                refused[("server", name)] = problem
        return refused


_GROUP = "fivenines"

# The server_id of the loading server, which joiners continue to log (seen in MariaDB 10.11).
#
# No node may have it: it would treat what another cluster's joiners wrote as its own, and skip it.
_LOADER_ID = 1000

# The state of the group as a node knows it, in its data directory.
_STATE = "grastate.dat"

# Paths of the library in root file systems and installations: Debian, tarballs, the Red Hat family.
_LIBRARY = tuple(f"{folder}/galera*/libgalera_smm.so" for folder in ("usr/lib", "usr/lib64", "lib", "lib64"))


def _wsrep(node: Server) -> dict[str, Value]:
    return {
        "innodb_autoinc_lock_mode": 2,
        "wsrep_on": True,
        "wsrep_provider": node.engine.file(*_LIBRARY),
        "wsrep_cluster_name": _GROUP,
        "wsrep_node_name": node.name,
        "wsrep_node_address": node.host.address,
    }


def _bootstrap_once(seed: LocalServer) -> None:
    """Turn the data into those of a one-node cluster, so that its copies are members of one cluster.

    A clean stop writes the cluster's identity and position into grastate.dat and InnoDB. Nodes that start
    from copies then join with what the first one has cached since, without a state transfer.
    """
    seed.setup.configure({**_wsrep(seed), "wsrep_cluster_address": "gcomm://", "server_id": _LOADER_ID})
    seed.start("--wsrep-new-cluster")
    seed.wait_ready()
    seed.stop()


class Galera(Quorum[GaleraSettings, Mariadb]):
    """All nodes are equal; the first healthy one gets the writes, and is called the primary."""

    settings_type = GaleraSettings
    health = "synced"
    bootstrap = ("galera as nobody", _bootstrap_once)
    refusal = (("SET GLOBAL wsrep_reject_queries = ALL",), "rejects queries (wsrep_reject_queries)")
    acceptance = ("SET GLOBAL wsrep_reject_queries = NONE",)

    def configuration(self, node: Mariadb) -> dict[str, Value]:
        settings = self.settings
        options = {
            "gcache.size": in_bytes(settings.gcache),
            **self._group_options(node.name),
            **self._own_options(),
        }
        addresses = ",".join(other.host.address for other in self.nodes)
        return {
            **_wsrep(node),
            "wsrep_cluster_address": f"gcomm://{addresses}",
            "wsrep_slave_threads": settings.appliers,
            PROVIDER: f'"{as_text(options)}"',
            **galera_transfer.transfer_settings(settings.sst),
            **self._waiting(),
            **node.durability(settings.durability.at_start),
        }

    def _group_options(self, host: str) -> dict[str, str]:
        sites = self.lab.network.site_names if self.settings.segments else []
        segment = sites.index(self.lab.site_of(host)) if sites else None
        return group_options(self.settings, segment)

    def _own_options(self) -> dict[str, str]:
        """Return the provider options that the user sets."""
        given = (value for name, value in self.settings.server.items() if is_provider(name))
        return parsed(str(next(given, "")))

    def given(self) -> dict[str, Value]:
        # They are merged with the solution's provider options.
        return {name: value for name, value in super().given().items() if not is_provider(name)}

    def _waiting(self) -> dict[str, Value]:
        if not self.settings.sync_wait:
            return {}
        # It applies to clients only, as it does not run for administrators: a waiting observer would see
        # nothing.
        return {"init_connect": f"'SET SESSION wsrep_sync_wait = {self.settings.sync_wait}'"}

    def configure(self, node: Mariadb) -> None:
        super().configure(node)
        galera_transfer.transfer_secret(self.settings.sst, node)

    def start_alone(self, node: Mariadb) -> None:
        self._allow_bootstrap(node)
        node.start("--wsrep-new-cluster")

    def start(self) -> None:
        self.start_alone(self.nodes[0])
        self.nodes[0].wait_ready()
        # One after another: joiners that meet each other first form a group without quorum, and merging it
        # takes four seconds.
        for size, node in enumerate(self.nodes[1:], start=2):
            # A donor that has just joined may send one write set too few (seen in Galera 26.4).
            node.start(f"--wsrep-sst-donor={self.nodes[0].name},")
            self._await_member(node, size)
        if self.settings.arbiter:
            self._add_arbiter()
        self.each(lambda node: node.wait_ready())
        wait_until(
            lambda: next(filter(None, (self._incomplete(node) for node in self.nodes)), ""),
            30.0,
            f"{self.settings.name}: not all nodes are Synced",
        )
        self.nodes[0].sql.execute(
            *galera_transfer.transfer_account(self.settings.sst, self.passwords.transfer)
        )

    def _add_arbiter(self) -> None:
        root = engine(Arbiter.software).root()
        host = self.lab.add_host(Arbiter.name, root)
        members = [node.host.address for node in self.nodes]
        self.arbiter = Arbiter(host, members, _GROUP, as_text(self._group_options(host.name)))
        self.arbiter.start()
        wait_until(self._without_arbiter, 30.0, "the arbiter did not join")

    def _without_arbiter(self) -> str:
        assert self.arbiter is not None
        if not self.arbiter.alive:
            raise FiveninesError(f"the arbiter ended:\n{self.arbiter.last_words()}")
        return self._smaller_than(self.settings.votes)

    def observed_role(self, node: Mariadb) -> Literal["primary", "replica", "down"]:
        if not self._synced(node):
            return "down"
        able = [other for other in self.nodes if self._synced(other)]
        return "primary" if self.writer(able) is node else "replica"

    def rejoin(self, node: Mariadb) -> None:
        if not any(other.alive for other in self.nodes):
            self._begin_again()
            if node.alive:
                return
        # Without this file the node takes all data from a donor.
        known = node.host.data.exists(_STATE)
        position = node.recover_position() if known else ""
        node.start(*([f"--wsrep-start-position={position}"] if position else []))
        # A state transfer may replace the whole data directory first.
        node.wait_ready(120.0)

    def remediate(self) -> list[str]:
        """Bootstrap the most advanced survivor when no node has had a majority for long."""
        if self.settings.bootstrap_after is None:
            return []
        answers = {node.name: node.galera() for node in self.nodes if node.alive and not node.frozen}
        left = {name: state for name, state in answers.items() if state is not None}
        majority = any(state[1] == "Primary" for state in left.values())
        if not self.blocked_for_long(majority or not left):
            return []
        chosen = max((self.node(name) for name in left), key=_committed)
        chosen.sql.execute("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'")
        return [f"{chosen.name}: pc.bootstrap=YES, as no node had a majority"]

    def stall(self, node: Mariadb) -> str:
        # The provider is paused and desynchronised: the node applies nothing, and slows down no other node.
        done = super().stall(node)
        state = node.galera()
        if state is None or state[2] == "Synced":
            raise FiveninesError(f"{node.name}: it is still {state}")
        return f"{done}; it is {state[2]}"

    def _begin_again(self) -> None:
        """Start a new cluster from the most advanced node, as all nodes are dead (galera_new_cluster)."""
        positions = {node.name: node.recover_position() for node in self.nodes}
        first = max(self.nodes, key=lambda node: sequence_number(positions[node.name]))
        self._allow_bootstrap(first)
        position = positions[first.name]
        first.start("--wsrep-new-cluster", *([f"--wsrep-start-position={position}"] if position else []))
        first.wait_ready()
        if self.arbiter is not None:
            # Its knowledge of the former group does not apply to the new one.
            self.arbiter.restart()

    def _allow_bootstrap(self, node: Mariadb) -> None:
        data = node.host.data
        state = data.read_text(_STATE)
        data.write_text(_STATE, state.replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))

    def not_joined_reason(self, node: Mariadb) -> str:
        return "" if self._synced(node) else f"{node.name} is not Synced"

    def unexpected_primary_reason(self, node: Mariadb) -> str:
        # After a failed state transfer the server runs outside the group, and must be restarted.
        if not node.answers() or node.sql.status("wsrep_connected").get("wsrep_connected") != "OFF":
            return ""
        return f"{node.name} has left the group"

    def lag_reason(self, node: Mariadb) -> str:
        queue = node.sql.status("wsrep_local_recv_queue").get("wsrep_local_recv_queue", "0")
        return "" if queue == "0" else f"{node.name} has {queue} write sets to apply"

    def _synced(self, node: Mariadb) -> bool:
        state = node.galera() if node.alive else None
        return state is not None and state[1:] == ("Primary", "Synced")

    def _await_member(self, node: Mariadb, size: int) -> None:
        try:
            wait_until(partial(self._unjoined, node, size), 30.0, f"{node.name} did not join")
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{node.last_words()}") from error

    def _unjoined(self, node: Mariadb, size: int) -> str:
        if not node.alive:
            raise FiveninesError(f"{node.name} ended instead of joining")
        return self._smaller_than(size)

    def _smaller_than(self, size: int) -> str:
        state = self.nodes[0].galera()
        return "" if state is not None and state[0] == str(size) else f"the cluster is {state}"

    def _incomplete(self, node: Mariadb) -> str:
        state = node.galera()
        if state == (str(self.settings.votes), "Primary", "Synced"):
            return ""
        return f"{node.name} is {state}"


def _committed(node: Mariadb) -> int:
    return int(node.sql.status("wsrep_last_committed").get("wsrep_last_committed", "-1"))
