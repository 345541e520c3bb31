"""A cluster for one run: created at its beginning, and deleted at its end even if the run fails."""

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from fivenines.base.ending import ended_as_by_ctrl_c, without_ctrl_c
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.base.locks import WAITING
from fivenines.base.waiting import wait_until
from fivenines.software.base import Report
from fivenines.solutions.aurora.aws import left
from fivenines.solutions.aurora.aws.api import Api, Described, NoClusterError, was_refused
from fivenines.solutions.aurora.aws.prices import spent
from fivenines.solutions.aurora.aws.tags import origin, tags_of
from fivenines.solutions.aurora.settings import AuroraSettings, CreateSettings

# Seconds until a cluster must be available.
PATIENCE = 2400.0

# Seconds that a trial waits for a cluster that is not available.
_BACK_SOON = 300.0

# Seconds until a requested cluster is considered missing: the API is eventually consistent.
_APPEARS = 60.0

# States in which clients are served (RDS user guide, "Viewing DB instance status").
_USABLE = ("available", "backing-up", "storage-optimization")

_EVERY = 5.0
_RDS_ENGINES = {"rds-mysql": "mysql", "rds-postgres": "postgres"}


@dataclass
class Made:
    """A cluster that this process has created; `price` of an instance per hour, None if unknown."""

    name: str
    count: int
    price: float | None
    # Whether it may exist: creation was requested, and not refused.
    asked: bool = False
    since: float = field(default_factory=time.monotonic)

    def spent(self, further: float = 0.0) -> float | None:
        """Return the cost of its instances until now plus `further` seconds; None if the price is unknown."""
        if self.price is None:
            return None
        return spent(self.price, self.count, time.monotonic() - self.since + further)


# Created clusters by their settings.
_made: dict[str, Made] = {}


def name_of(settings: AuroraSettings) -> str:
    """Return the identifier of the cluster for these settings.

    Raises:
        FiveninesError: the settings create a cluster for a run, and no run is active.
    """
    if settings.identifier:
        return settings.identifier
    made = _made.get(settings.model_dump_json())
    if made is None:
        raise FiveninesError(
            f"{settings.name}: only `fivenines run` creates its cluster: start a run, or name an "
            "existing cluster"
        )
    return made.name


def described(settings: AuroraSettings) -> tuple[Api, Described]:
    """Return the cluster as the API describes it now.

    Raises:
        UsageError: it does not match the settings.
        FiveninesError: it is not available.
    """
    api = Api(settings.access_to_aws)
    cluster = api.cluster(name_of(settings))
    expected = _RDS_ENGINES.get(settings.engine, settings.engine)
    if cluster.engine != expected:
        raise UsageError(
            f"{settings.name}: {cluster.name} runs {cluster.engine}, but the file has `engine: "
            f"{settings.engine}`"
        )
    readers = len(cluster.instances) - 1
    if readers < settings.readers:
        raise UsageError(
            f"{settings.name}: {cluster.name} has {readers} readers, but the file has `readers: "
            f"{settings.readers}`"
        )
    if not_available(cluster):
        # After a restart or during a backup the state changes soon.
        wait_until(lambda: not_available(api.cluster(cluster.name)), _BACK_SOON, settings.name, _EVERY)
        cluster = api.cluster(cluster.name)
    return api, cluster


def not_available(cluster: Described) -> str:
    """Return why a cluster cannot be measured now; empty if it can."""
    if cluster.status not in _USABLE:
        return f"the cluster {cluster.name} is {cluster.status}"
    waiting = [
        f"{instance.name} is {instance.status}"
        for instance in cluster.instances
        if instance.status not in _USABLE
    ]
    waiting += [f"{instance.name} has no address yet" for instance in cluster.instances if not instance.host]
    return "; ".join(waiting) or ("" if cluster.instances else f"{cluster.name} has no instance")


@contextmanager
def existing_for_a_run(settings: AuroraSettings, report: Report) -> Iterator[None]:
    """Provide the cluster while the context is open; delete a created cluster afterwards.

    Raises:
        FiveninesError: creation or deletion failed; with the command that deletes it later.
    """
    create = settings.create
    if create is None:
        described(settings)  # what is wrong with it is said before anything runs
        yield
        return
    api = Api(settings.access_to_aws)
    price = settings.price()
    if price is None and settings.budget is not None:
        raise UsageError(
            f"{settings.name}: the price list does not answer, so the budget cannot be checked: write "
            "price_per_hour"
        )
    made = Made(_new_name(settings.name), settings.traits.nodes, price)
    key = settings.model_dump_json()
    with ended_as_by_ctrl_c():
        try:
            _create(api, made, settings, create, report)
            _made[key] = made
            yield
        finally:
            _made.pop(key, None)
            _delete(api, made, report)


def over_budget(settings: AuroraSettings, further: float) -> str:
    """Return why a trial of `further` seconds may not begin; empty if it may."""
    made = _made.get(settings.model_dump_json())
    amount = made.spent(further) if made is not None else None
    if settings.budget is None or amount is None or amount <= settings.budget:
        return ""
    return (
        f"{settings.name} would have cost {amount:.2f} after one more trial, but its budget is "
        f"{settings.budget:.2f}"
    )


def cluster_values(settings: AuroraSettings, create: CreateSettings, password: str) -> dict[str, Any]:
    """Return the parameters of CreateDBCluster, except identifier and tags."""
    values: dict[str, Any] = {
        "Engine": _RDS_ENGINES.get(settings.engine, settings.engine),
        "MasterUsername": settings.user,
        "MasterUserPassword": password,
        "DatabaseName": settings.database,
        "BackupRetentionPeriod": 1,
        "DeletionProtection": False,
        "EngineVersion": create.version,
        "DBSubnetGroupName": create.subnet_group,
        "VpcSecurityGroupIds": create.security_groups,
        "DBClusterParameterGroupName": create.parameter_group,
    }
    if not settings.is_aurora:
        values |= {
            "DBClusterInstanceClass": create.instance_class,
            "AllocatedStorage": create.storage,
            "Iops": create.iops,
            "PubliclyAccessible": create.public,
        }
    return {name: value for name, value in values.items() if value not in ("", None, [])}


def instance_values(settings: AuroraSettings, create: CreateSettings, number: int) -> dict[str, Any]:
    """Return the parameters of CreateDBInstance for instance `number` (from 0)."""
    values: dict[str, Any] = {
        "DBInstanceClass": create.instance_class,
        "Engine": settings.engine,
        "PubliclyAccessible": create.public,
        "PromotionTier": min(number, 15),
    }
    if create.zones:
        values["AvailabilityZone"] = create.zones[number % len(create.zones)]
    return values


def _create(api: Api, made: Made, settings: AuroraSettings, create: CreateSettings, report: Report) -> None:
    report(f"{WAITING}the cluster {made.name} to be created, about ten minutes", None)
    tags = tags_of(made.name.rpartition("-")[2])
    password = os.environ.get(settings.password_env, "")
    made.asked = True
    try:
        api.create_cluster(made.name, cluster_values(settings, create, password), tags)
    except FiveninesError as error:
        made.asked = not was_refused(error)
        raise
    if settings.is_aurora:
        for number in range(settings.traits.nodes):
            name = f"{made.name}-{number + 1}"
            api.create_instance(name, made.name, instance_values(settings, create, number), tags)

    def missing() -> str:
        cluster = api.cluster(made.name)
        if len(cluster.instances) < made.count:
            return f"{len(cluster.instances)} of {made.count} instances exist"
        return not_available(cluster)

    wait_until(missing, PATIENCE, f"the cluster {made.name} is not available", _EVERY)


def _delete(api: Api, made: Made, report: Report) -> None:
    """Try to delete once in spite of Ctrl-C, then until it succeeds; another Ctrl-C stops the retries."""
    try:
        with without_ctrl_c():
            reasons = _tried(api, made, 0.0, report)
        _report(report, f"the cluster {made.name} to be accepted for deletion")
        if reasons:
            reasons = _tried(api, made, left.PATIENCE, report)
    except KeyboardInterrupt:
        reasons = [f"the cluster {made.name} is not deleted yet"]
    if reasons:
        raise FiveninesError(left.named(reasons, api.access))


def _tried(api: Api, made: Made, patience: float, report: Report) -> list[str]:
    """Try to delete it; return what could not be deleted, with the reasons."""
    if not made.asked:
        return []
    try:
        cluster = _described(api, made.name, time.monotonic() + _APPEARS)
    except NoClusterError:
        return []
    except FiveninesError as error:
        return [f"{made.name}: {error}"]
    owner = origin(cluster.tags)
    if owner is None:
        return [f"{made.name} does not carry the tags of this run"]
    names = tuple(rest.name for rest in cluster.instances)
    rest = left.Left(made.name, names, cluster.status, owner, left.is_whole(cluster))
    return left.delete(api, rest, patience, lambda text: _report(report, f"AWS: {text}"))


def _described(api: Api, name: str, until: float) -> Described:
    """Return a requested cluster; the API may not know it yet."""
    while True:
        try:
            return api.cluster(name)
        except NoClusterError:
            if time.monotonic() > until:
                raise
            time.sleep(_EVERY)


def _report(report: Report, awaited: str) -> None:
    # A closed terminal must not prevent the deletion.
    with suppress(Exception):
        report(f"{WAITING}{awaited}", None)


def _new_name(name: str) -> str:
    """Return an unused identifier: the solution's name and a random number."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:30].strip("-") or "cluster"
    return f"fivenines-{plain}-{secrets.token_hex(4)}"
