"""Facts about a pair of clusters from manuals, for given settings."""

from typing import TYPE_CHECKING

from fivenines.results.records import SolutionFacts

if TYPE_CHECKING:
    from fivenines.solutions.cluster_pair.settings import ClusterPairSettings

_SOURCES = {
    "ndb": "MySQL NDB Cluster 9 reference manual: NDB Cluster Replication",
    "galera": "MariaDB documentation: Configuring MariaDB Replication between Two MariaDB Galera Clusters",
}


def cluster_pair_facts(settings: "ClusterPairSettings") -> SolutionFacts:
    """Return its row in the table of solutions."""
    own = settings.a.facts()
    ways = "both ways" if settings.direction == "both" else "one way"
    site = (
        "manual promotion of the other cluster"
        if settings.writes == "a"
        else "clients go to the other cluster, which is writable at any time"
    )
    return SolutionFacts(
        replication=f"in each cluster: {own.replication}; between them asynchronously, {ways}: a commit does "
        "not wait for the other site",
        failover=f"in each cluster: {own.failover}; of a whole site: {site}; of the channel: manual",
        least_servers=f"for each site: {own.least_servers}",
        extra=own.extra,
        write_scaling="no: each cluster applies all changes",
        read_scaling=f"in each cluster: {own.read_scaling}; reads at the other site lag by the channel's "
        "delay",
        one_failure_loses=f"of one server: {own.one_failure_loses}; of a whole site: changes that had not "
        "reached the other "
        "site",
        may_lose=own.may_lose,
        partition="both sides continue; with writes at both, rows that both change differ until they are "
        "reconciled",
        one_down=own.one_down,
        two_down=f"in one cluster: {own.two_down}",
        sources=[*own.sources, _SOURCES[settings.a.solution]],
    )
