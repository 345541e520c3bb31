"""A cluster that exists for a run alone: made at its beginning, deleted at its end, however that comes."""

import os
import re
import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fivenines.aws import left
from fivenines.aws.api import Api, Described
from fivenines.aws.prices import spent
from fivenines.aws.tags import origin, tags_of
from fivenines.errors import FiveninesError, UsageError
from fivenines.locks import WAITING
from fivenines.software.base import Report
from fivenines.solutions.aurora_settings import AuroraSettings, CreateSettings
from fivenines.waiting import wait_until

PATIENCE = 2400.0
"""Seconds until a cluster must be available."""

_EVERY = 5.0
_RDS_ENGINES = {"rds-mysql": "mysql", "rds-postgres": "postgres"}


@dataclass
class Made:
    """A cluster that this process has made; `price` of an instance per hour, None: not known."""

    name: str
    count: int
    price: float | None
    since: float = field(default_factory=time.monotonic)

    def spent(self, further: float = 0.0) -> float | None:
        """What its instances cost until now, and for `further` seconds more; None: it is not known."""
        if self.price is None:
            return None
        return spent(self.price, self.count, time.monotonic() - self.since + further)


_made: dict[str, Made] = {}
"""By the settings that they were made of."""


def name_of(settings: AuroraSettings) -> str:
    """The identifier of the cluster that settings mean now.

    Raises:
        FiveninesError: it is one that is made for a run, and none is made now.
    """
    if settings.cluster:
        return settings.cluster
    made = _made.get(settings.model_dump_json())
    if made is None:
        raise FiveninesError(f"{settings.name}: its cluster is made by `fivenines run` alone")
    return made.name


def described(settings: AuroraSettings) -> tuple[Api, Described]:
    """The cluster as the API tells of it now.

    Raises:
        UsageError: it is not what the settings say.
        FiveninesError: it is not available.
    """
    api = Api(settings.access_to_aws)
    there = api.cluster(name_of(settings))
    wanted = _RDS_ENGINES.get(settings.engine, settings.engine)
    if there.engine != wanted:
        raise UsageError(
            f"{settings.name}: {there.name} runs {there.engine}, and the file says `engine: "
            f"{settings.engine}`"
        )
    readers = len(there.instances) - 1
    if readers < settings.readers:
        raise UsageError(
            f"{settings.name}: {there.name} has {readers} readers, and the file says `readers: "
            f"{settings.readers}`"
        )
    if reason := not_available(there):
        raise FiveninesError(f"{settings.name}: {reason}")
    return api, there


def not_available(there: Described) -> str:
    """Why a cluster cannot be measured now; empty if it can."""
    if there.status != "available":
        return f"the cluster {there.name} is {there.status}"
    waiting = [
        f"{one.name} is {one.status}" for one in there.instances if one.status != "available"
    ]
    waiting += [f"{one.name} has no address yet" for one in there.instances if not one.host]
    return "; ".join(waiting) or ("" if there.instances else f"{there.name} has no instance")


@contextmanager
def existing_for_a_run(settings: AuroraSettings, report: Report) -> Iterator[None]:
    """The cluster exists inside; one that was made is deleted afterwards.

    Raises:
        FiveninesError: it could not be made; or not be deleted, with the command that does it later.
    """
    create = settings.create
    if create is None:
        described(settings)  # what is wrong with it is said before anything runs
        yield
        return
    api = Api(settings.access_to_aws)
    made = Made(_new_name(settings.name), settings.nodes, settings.price())
    key = settings.model_dump_json()
    try:
        _create(api, made, settings, create, report)
        _made[key] = made
        yield
    finally:
        _made.pop(key, None)
        report(f"{WAITING}the cluster {made.name} to be taken for deletion", None)
        _delete(api, made, report)


def over_budget(settings: AuroraSettings, further: float) -> str:
    """Why a trial that takes `further` seconds may not begin; empty if it may."""
    made = _made.get(settings.model_dump_json())
    amount = made.spent(further) if made is not None else None
    if settings.budget is None or amount is None or amount <= settings.budget:
        return ""
    return (
        f"{settings.name} would have cost {amount:.2f} after one more trial, and its budget is "
        f"{settings.budget:.2f}"
    )


def cluster_values(
    settings: AuroraSettings, create: CreateSettings, password: str
) -> dict[str, Any]:
    """What CreateDBCluster is asked for, beside identifier and tags."""
    values: dict[str, Any] = {
        "Engine": _RDS_ENGINES.get(settings.engine, settings.engine), "MasterUsername": settings.user,
        "MasterUserPassword": password, "DatabaseName": settings.database,
        "BackupRetentionPeriod": 1, "DeletionProtection": False,
        "EngineVersion": create.version, "DBSubnetGroupName": create.subnet_group,
        "VpcSecurityGroupIds": create.security_groups,
        "DBClusterParameterGroupName": create.parameter_group,
    }  # fmt: skip
    if not settings.is_aurora:
        values |= {
            "DBClusterInstanceClass": create.instance_class, "AllocatedStorage": create.storage,
            "Iops": create.iops, "PubliclyAccessible": create.public,
        }  # fmt: skip
    return {name: value for name, value in values.items() if value not in ("", None, [])}


def instance_values(
    settings: AuroraSettings, create: CreateSettings, number: int
) -> dict[str, Any]:
    """What CreateDBInstance is asked for of instance `number` (from 0)."""
    values: dict[str, Any] = {
        "DBInstanceClass": create.instance_class, "Engine": settings.engine,
        "PubliclyAccessible": create.public, "PromotionTier": min(number, 15),
    }  # fmt: skip
    if create.zones:
        values["AvailabilityZone"] = create.zones[number % len(create.zones)]
    return values


def _create(
    api: Api, made: Made, settings: AuroraSettings, create: CreateSettings, report: Report
) -> None:
    report(f"{WAITING}the cluster {made.name} to be created, about ten minutes", None)
    tags = tags_of(made.name.rpartition("-")[2])
    password = os.environ.get(settings.password_env, "")
    api.create_cluster(made.name, cluster_values(settings, create, password), tags)
    if settings.is_aurora:
        for number in range(settings.nodes):
            name = f"{made.name}-{number + 1}"
            api.create_instance(name, made.name, instance_values(settings, create, number), tags)

    def missing() -> str:
        there = api.cluster(made.name)
        if len(there.instances) < made.count:
            return f"{len(there.instances)} of {made.count} instances are there"
        return not_available(there)

    wait_until(missing, PATIENCE, f"the cluster {made.name} is not available", _EVERY)


def _delete(api: Api, made: Made, report: Report) -> None:
    """A first try in spite of Ctrl-C, then as long as it takes; another Ctrl-C ends that."""
    try:
        with _without_ctrl_c():
            reasons = _tried(api, made, 0.0, report)
        if reasons:
            reasons = _tried(api, made, left.PATIENCE, report)
    except KeyboardInterrupt:
        reasons = [f"the cluster {made.name} is not deleted yet"]
    if reasons:
        raise FiveninesError(left.named(reasons, api.access))


def _tried(api: Api, made: Made, patience: float, report: Report) -> list[str]:
    """What could not be deleted of it, with the reason each."""
    try:
        there = api.cluster(made.name)
    except UsageError:
        return []  # it was never made
    except FiveninesError as error:
        return [str(error)]
    whose = origin(there.tags)
    if whose is None:
        return [f"{made.name} does not carry the tags of this run"]
    names = tuple(one.name for one in there.instances)
    one = left.Left(made.name, names, there.status, whose, left.is_whole(there))
    return left.delete(api, one, patience, lambda text: report(f"{WAITING}AWS: {text}", None))


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Requests that end what costs money are sent whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _new_name(name: str) -> str:
    """An identifier that nobody has: of the solution's name and a random number."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:30].strip("-") or "cluster"
    return f"fivenines-{plain}-{secrets.token_hex(4)}"
