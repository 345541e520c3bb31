"""Base of the parts of a `Cluster`, one for each group of questions that callers ask it."""

from typing import TYPE_CHECKING, Generic, TypeVar

from fivenines.servers.base import Server

if TYPE_CHECKING:
    from fivenines.servers.cluster.cluster import Cluster

# Type of the servers.
N = TypeVar("N", bound=Server)


class Aspect(Generic[N]):
    """One aspect of a deployed cluster, such as the roles of its nodes.

    A solution that differs in an aspect names its own subclass, as in `roles_type = GaleraRoles`, which may
    narrow `cluster` to the type of the solution.

    Args:
        cluster: the cluster; it may have no nodes yet.
    """

    def __init__(self, cluster: "Cluster[N]") -> None:
        self.cluster = cluster
