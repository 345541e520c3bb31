"""Facts about an NDB cluster from manuals, for given settings."""

from typing import TYPE_CHECKING

from fivenines.results.records import SolutionFacts

if TYPE_CHECKING:
    from fivenines.solutions.ndb.settings import NdbSettings


def ndb_facts(settings: "NdbSettings") -> SolutionFacts:
    """Return its row in the table of solutions."""
    spare = settings.replicas - 1
    return SolutionFacts(
        replication=f"each row in {settings.replicas} data nodes of a node group, by two-phase commit; "
        "answered when all have it in memory"
        if spare
        else "none: each row is in one data node",
        failover="built in: the others of a node group have the rows, and any SQL node takes writes",
        least_servers="2 data nodes and an arbitrator on a third host (a management node)",
        extra=f"{settings.management_nodes} management node" + ("s" if settings.management_nodes > 1 else ""),
        write_scaling="yes: rows are partitioned over node groups"
        if settings.data_nodes > settings.replicas
        else "by more node groups; there is one",
        read_scaling="yes: by SQL nodes, and by copies of a row (read_backup)"
        if settings.read_backup
        else "yes: by SQL nodes and node groups",
        one_failure_loses="nothing that was acknowledged; a power loss of a whole node group loses what no "
        f"global checkpoint has, up to {settings.global_checkpoint:g} s",
        may_lose="" if spare else "each row is in one data node only",
        partition="the half that the arbitrator chooses continues; the other half shuts its data nodes down",
        one_down="writes continue" if spare else "the cluster ends, as a node group has no member left",
        two_down="writes continue while each node group has a member left",
        sources=[
            "MySQL NDB Cluster 9 reference manual: NDB Cluster Nodes, Node Groups, Fragment Replicas, and "
            "Partitions; Arbitration; Defining NDB Cluster Data Nodes"
        ],
    )
