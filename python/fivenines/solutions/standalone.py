"""A single server: the baseline of every comparison with an HA solution."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from fivenines.results.records import SolutionFacts
from fivenines.servers.base import Value
from fivenines.servers.cluster.membership import Membership
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed
from fivenines.servers.local import LocalServer
from fivenines.solutions.base import Solution
from fivenines.solutions.configuration import Configuration
from fivenines.solutions.durability import STRICT
from fivenines.solutions.engines import engine_type
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

if TYPE_CHECKING:
    AnyEngine = str
else:
    AnyEngine = engine_type(
        ("postgres-18", "mariadb-10.11", "mysql-9.7", "host-postgres", "host-mariadb"),
        "postgresql",
        "mariadb",
        "mysql",
    )


class StandaloneSettings(SolutionSettings):
    """One PostgreSQL, MariaDB or MySQL server; after a kill the service is unavailable until a restart."""

    setup_seconds: ClassVar[float] = 2.0

    solution: Literal["standalone"] = Field(description="a single server")
    engine: AnyEngine = Field("postgres-18", description="the database server")

    def default_name(self) -> str:
        return "standalone" if self.durability == STRICT else "standalone (relaxed)"

    @property
    def traits(self) -> Traits:
        return Traits(nodes=1)

    @property
    def reserved(self) -> Mapping[str, str]:
        return {"synchronous_standby_names": "each commit would wait, as there is no standby"}

    def facts(self) -> SolutionFacts:
        strict = self.durability == STRICT
        outage = "unavailable until it is started again"
        return SolutionFacts(
            replication="none",
            failover="none",
            least_servers="1, which tolerates no failure",
            write_scaling="no",
            read_scaling="no",
            one_failure_loses="everything if its disk is lost; otherwise nothing that was acknowledged"
            if strict
            else "everything if its disk is lost; the last moments after a power loss",
            may_lose="" if strict else "a commit does not wait for the disk",
            partition="clients on the other side are refused",
            one_down=outage,
            two_down=outage,
            sources=["Manuals: PostgreSQL 19.5 (synchronous_commit); innodb_flush_log_at_trx_commit"],
        )


class StandaloneRoles(Roles[LocalServer]):
    """The server is the primary if it is writable."""

    def observed(self, node: LocalServer) -> Observed:
        observed = super().observed(node)
        return "down" if observed == "replica" else observed


class StandaloneMembership(Membership[LocalServer]):
    """The only member works if it is writable."""

    def rejoin(self, node: LocalServer) -> None:
        node.start()
        node.wait_ready()

    def not_joined_reason(self, node: LocalServer) -> str:
        return "" if node.writable() else "it is not writable"

    def lag_reason(self, node: LocalServer) -> str:
        return ""


class StandaloneConfiguration(Configuration[StandaloneSettings, LocalServer]):
    """Nothing but the durability."""

    def own(self, node: LocalServer) -> dict[str, Value]:
        return node.durability(self.settings.durability.at_start)


class Standalone(Solution[StandaloneSettings, LocalServer]):
    """A single server; its faults are outages of the service."""

    settings_type = StandaloneSettings
    roles_type = StandaloneRoles
    membership_type = StandaloneMembership
    configuration_type = StandaloneConfiguration

    def start(self) -> None:
        self.nodes[0].start()
        self.nodes[0].wait_ready()
