"""Resources of fivenines at Amazon that still exist: found by their tags, and deleted.

Nothing without a tag of fivenines is ever deleted. Instances are deleted before their cluster, which can only
be deleted without instances (RDS API reference, DeleteDBCluster).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws.api import Access, Api, Described
from fivenines.solutions.aurora.aws.tags import Origin, origin

# Seconds until an instance can be deleted, which is not possible during its creation.
PATIENCE = 1200.0

_EVERY = 10.0


@dataclass(frozen=True)
class Left:
    """A cluster of fivenines with its instances; without a name: instances without a cluster.

    `whole`: a Multi-AZ cluster includes its instances, which cannot be deleted by themselves.
    """

    cluster: str
    instances: tuple[str, ...]
    status: str
    origin: Origin
    whole: bool = False

    @property
    def name(self) -> str:
        """Return the name of the cluster, or of its instances."""
        return self.cluster or ", ".join(self.instances)


def find(api: Api) -> list[Left]:
    """Return everything with a tag of fivenines in the region."""
    clusters = api.clusters()
    leftovers = [
        Left(
            cluster.name,
            tuple(each.name for each in cluster.instances),
            cluster.status,
            made,
            is_whole(cluster),
        )
        for cluster in clusters
        if (made := origin(cluster.tags)) is not None
    ]
    members = {each.name for cluster in clusters for each in cluster.instances}
    alone = {
        name: made
        for name, tags in api.instances().items()
        if name not in members and (made := origin(tags)) is not None
    }
    return leftovers + [Left("", (name,), "without a cluster", made) for name, made in alone.items()]


def is_whole(cluster: Described) -> bool:
    """Return whether it is deleted with its instances at once, like Multi-AZ clusters and unlike Aurora."""
    return not cluster.engine.startswith("aurora")


def delete(
    api: Api, left: Left, patience: float = 0.0, tell: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Delete it; return what could not be deleted, with the reasons.

    Args:
        api: the API to call.
        left: the resources to delete.
        patience: seconds during which refused calls are repeated.
        tell: callback for the reasons of repetitions.
    """
    deadline = time.monotonic() + patience
    waiting = [(api.delete_instance, name) for name in left.instances if not left.whole]
    waiting += [(api.delete_cluster, left.cluster)] if left.cluster else []
    while True:
        reasons = [_tried(*item) for item in waiting]
        waiting = [item for item, reason in zip(waiting, reasons, strict=True) if reason]
        if not waiting or time.monotonic() > deadline:
            return [reason for reason in reasons if reason]
        tell(next(reason for reason in reasons if reason))
        time.sleep(_EVERY)


def command(access: Access) -> str:
    """Return the command line that finds and deletes what this account of this machine has left."""
    words = ["fivenines", "aws", "sweep"]
    for name, value in (
        ("region", access.region),
        ("profile", access.profile),
        ("endpoint-url", access.endpoint_url),
    ):
        words += [f"--{name}", value] if value else []
    return " ".join([*words, "--yes"])


def named(reasons: Sequence[str], access: Access) -> str:
    """Return the message about resources that could not be deleted, and cost money."""
    return f"{'; '.join(reasons)}. It costs money until it is deleted: {command(access)}"


def _tried(action: Callable[[str], None], name: str) -> str:
    try:
        action(name)
    except FiveninesError as error:
        return str(error)
    return ""
