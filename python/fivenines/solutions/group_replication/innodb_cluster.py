"""MySQL InnoDB Cluster: Group Replication, and MySQL Router in front of it.

Source: MySQL Shell manual, "MySQL InnoDB Cluster"; fivenines sets up what its commands set up.
"""

from typing import Literal

from pydantic import Field

from fivenines.failover.proxies.mysql_router import MysqlRouterSettings
from fivenines.results.records import SolutionFacts
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.group_replication.solution import GroupReplication
from fivenines.solutions.settings import AnyAccess


class InnodbClusterSettings(GroupReplicationSettings):
    """A group of 3 to 9 members, and MySQL Router, which leads clients to its primary."""

    solution: Literal["innodb-cluster"] = Field(description="MySQL InnoDB Cluster")  # type: ignore[assignment]
    access: AnyAccess = Field(
        default_factory=lambda: MysqlRouterSettings(kind="mysql-router"),
        description="how clients reach the nodes",
    )

    def default_name(self) -> str:
        kind = "innodb cluster" if self.mode == "single-primary" else "innodb cluster multi"
        return kind if self.access.kind == "mysql-router" else f"{kind} + {self.access.kind}"

    def facts(self) -> SolutionFacts:
        of_group = super().facts()
        if self.access.kind != "mysql-router":
            return of_group
        sources = [*of_group.sources, "MySQL Router 9 manual: Metadata Cache, Read/Write Splitting"]
        return of_group.model_copy(
            update={"extra": "MySQL Router, on the clients' hosts or on a separate host", "sources": sources}
        )


class InnodbCluster(GroupReplication):
    """Group Replication that clients reach through MySQL Router."""

    settings_type = InnodbClusterSettings
