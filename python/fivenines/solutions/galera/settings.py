"""Settings of a MariaDB Galera cluster, named like the provider's options where these have short names.

Source: Galera Cluster documentation, "Galera Parameters".
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fivenines.base.units import Duration, Size
from fivenines.results.records import SolutionFacts
from fivenines.servers.cluster.timeouts import table
from fivenines.solutions.engines import engine_type
from fivenines.solutions.galera.arbiter import Arbiter
from fivenines.solutions.galera.checks import GaleraChecks
from fivenines.solutions.galera.facts import galera_facts
from fivenines.solutions.galera.options import absorbed, timing_problems
from fivenines.solutions.galera.transfer import Method
from fivenines.solutions.quorum import QuorumSettings
from fivenines.solutions.reserved import by_key
from fivenines.solutions.traits import Traits

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(("mariadb-10.11", "host-mariadb"), "mariadb")


class GaleraSettings(QuorumSettings):
    """An odd number of votes; every node can take writes, a majority must agree."""

    checks_type = GaleraChecks

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

    # suspect_timeout is below inactive_timeout, and above keepalive_period (Galera documentation, Galera
    # parameters).
    own_timeouts = table(
        "suspect_timeout inactive_timeout",
        ("1s", "3s"),
        ("2s", "6s"),
        ("3s", "9s"),
        ("5s", "15s"),
        ("8s", "24s"),
        ("15s", "45s"),
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
    sst: Method = Field(
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
        votes = self.traits.votes
        if votes % 2 == 0:
            problems.append(
                f"a Galera cluster of {votes} votes has no majority when it splits into halves: "
                "set size to 3 or 5, or to 2 or 4 with `arbiter: true`"
            )
        return problems + timing_problems(self)

    @property
    def traits(self) -> Traits:
        return Traits(
            nodes=self.size,
            votes=self.size + self.arbiter,
            hosts=(Arbiter.name,) if self.arbiter else (),
            engines=(Arbiter.software,) if self.arbiter else (),
            # By default evs.keepalive_period is at most 1 s; evs.inactive_check_period is 0.5 s.
            watch_period=max(self.keepalive_period or 1.0, 0.5),
        )

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
        waits_everywhere = f"{by_key('sync_wait')}, which applies to clients but not to observers"
        return {
            **dict.fromkeys(own, "fivenines creates the cluster, and joins each node by its address"),
            "innodb_autoinc_lock_mode": "Galera requires 2",
            "wsrep_slave_threads": by_key("appliers"),
            "wsrep_sst_method": by_key("sst"),
            # Its old name for 1 (MariaDB documentation, "Galera Cluster System Variables").
            **dict.fromkeys(("wsrep_sync_wait", "wsrep_causal_reads"), waits_everywhere),
            **waits,
        }
