"""Settings of a cluster of Amazon Aurora or RDS: which one, or how it is made, and what it may cost."""

import os
import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fivenines.aws.api import Access, Api, Described
from fivenines.aws.prices import AROUND_SECONDS, Charge, per_hour
from fivenines.errors import FiveninesError
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.settings import Settings
from fivenines.software.store import engine
from fivenines.solutions.durability import STRICT
from fivenines.solutions.external_settings import ExternalSettings
from fivenines.solutions.settings import SolutionSettings

_IDENTIFIER = re.compile(r"[A-Za-z](?:-?[A-Za-z0-9])*")
"""Of a cluster: RDS API reference, CreateDBCluster."""

_ANY = ("none", "command", "connection-storm", "long-transaction", "switchover", "partition")
_AURORA = ("kill", "host-kill", "restart", "slow-disk", "stalled-replica", "storage-failure")
"""Faults of single instances, by Aurora's own SQL and by RebootDBInstance: a Multi-AZ cluster has neither."""

_SIMULATED = ("slow-disk", "stalled-replica", "storage-failure")

_READERS_OF_MULTI_AZ = 2

_SHORTEST_PASSWORD = 8
"""Source: RDS API reference, CreateDBCluster."""


class CreateSettings(Settings):
    """A cluster that is made for the run, and deleted at its end with all that is in it."""

    instance_class: str = Field(description="class of its instances, as db.r6g.large")
    version: str = Field("", description="version of its engine; empty: Amazon's default")
    zones: list[str] = Field(
        default_factory=list,
        description="availability zones of its instances, dealt out in turn, as [eu-central-1a, "
        "eu-central-1b]; empty: Amazon chooses",
    )
    subnet_group: str = Field("", description="its DB subnet group; empty: the default VPC's")
    security_groups: list[str] = Field(
        default_factory=list,
        description="ids of its security groups, which must let this machine in; empty: the VPC's default",
    )
    public: bool = Field(False, description="whether its instances have addresses in the internet")
    parameter_group: str = Field("", description="its cluster parameter group; empty: the default")
    storage: Annotated[int, Field(ge=20)] | None = Field(
        None, description="of Multi-AZ clusters: size in GiB; Aurora grows by itself"
    )
    iops: Annotated[int, Field(ge=1)] | None = Field(
        None, description="of Multi-AZ clusters: provisioned IOPS, which AWS may demand"
    )


class AuroraSettings(SolutionSettings):
    """A cluster of Amazon Aurora, or a Multi-AZ cluster of RDS: an existing one, or one made for the run."""

    external = True
    can_be_vms = False
    chooses_successor = True
    storage_can_fail = True

    solution: Literal["aurora"] = Field(description="Amazon Aurora, or a Multi-AZ cluster of Amazon RDS")
    engine: Literal["aurora-mysql", "aurora-postgresql", "rds-mysql", "rds-postgres"] = Field(
        description="what it runs: Aurora MySQL or PostgreSQL; or MySQL or PostgreSQL in a Multi-AZ cluster"
    )
    cluster: str = Field("", description="identifier of an existing cluster; empty: see `create`")
    create: CreateSettings | None = Field(
        None, description="how a cluster is made for the run; null: see `cluster`"
    )
    readers: Annotated[int, Field(ge=0, le=15)] = Field(
        1, description="how many readers it has beside its writer; of an existing one at least"
    )
    connect: Literal["endpoint", "instances"] = Field(
        "endpoint",
        description="how clients find the writer. endpoint: by the cluster's name, whose address moves in "
        "a failover; instances: they try all instances, as drivers made for Aurora do",
    )
    region: str = Field("", description="as eu-central-1; empty: as profile or environment say")
    profile: str = Field("", description="profile of ~/.aws; empty: the default credentials")
    endpoint_url: str = Field("", description="of a stand-in for the API of AWS; empty: AWS")
    user: Annotated[str, Field(min_length=1)] = Field(
        description="the account; of a cluster that is made its master"
    )
    password_env: str = Field(description="the environment variable that holds its password")
    database: Annotated[str, Field(min_length=1)] = Field(description="the database that is written to")
    tls: Literal["disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        "prefer",
        description="encryption of fivenines' own connections; that of the load is `load: {tls: ...}`",
    )
    tls_ca: str | None = Field(None, description="file with the authority that verify-* trusts")
    prepare: bool = Field(
        True, description="whether the workload's tables are made and filled; false: they are there"
    )
    existing: Literal["refuse", "reuse", "replace"] = Field(
        "refuse",
        description="with `prepare`, what becomes of tables that are there already when a run begins: "
        "reuse those that fivenines has loaded whole, or drop and load them again",
    )
    compare: bool = Field(
        True, description="whether all tables are read on all instances after a trial, and compared"
    )
    ledger: Literal["drop", "keep"] = Field(
        "drop", description="what becomes of the tables fivenines_ledger and fivenines_probes after a trial"
    )
    price_per_hour: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="of one instance that is made, in your currency; null: by Amazon's price list, in USD",
    )
    budget: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="what instances that are made may cost: the run ends in good order before a trial that "
        "would exceed it; null: no limit",
    )

    setup_seconds: ClassVar[float] = 5.0
    restart_seconds: ClassVar[float] = 30.0

    def default_name(self) -> str:
        return self.engine

    @property
    def nodes(self) -> int:
        return self.readers + 1

    @property
    def single_writer(self) -> bool:
        return True

    @property
    def access_to_aws(self) -> Access:
        """Whose account, and where."""
        return Access(self.region, self.profile, self.endpoint_url)

    @property
    def is_aurora(self) -> bool:
        """Whether it is Aurora, with a storage that all instances share."""
        return self.engine.startswith("aurora")

    def charge(self, seconds: float) -> Charge | None:
        if self.create is None or not self.access_to_aws.costs_money:
            return None
        return Charge(
            self.name,
            self.create.instance_class,
            self.nodes,
            seconds + AROUND_SECONDS,
            self.price(),
            self.budget,
        )

    def price(self) -> float | None:
        """Of an instance per hour, as it is given or listed; None: it is not known."""
        if self.price_per_hour is not None or self.create is None:
            return self.price_per_hour
        if not self.access_to_aws.costs_money:
            return None
        try:
            return per_hour(Api(self.access_to_aws), self.engine, self.create.instance_class)
        except FiveninesError:
            return None

    def problems(self) -> list[str]:
        """What makes no sense in the settings as a whole."""
        found = self._foreign()
        if bool(self.cluster) == (self.create is not None):
            found.append(
                "cluster: name an existing cluster, or say in `create` how one is made: one of the two"
            )
        if self.cluster and not _IDENTIFIER.fullmatch(self.cluster):
            found.append(f"cluster: {self.cluster!r} is no identifier of a cluster")
        if self.budget is not None and self.create is None:
            found.append("budget: it is for a cluster that `create` makes: leave it out")
        if self.password_env not in os.environ:
            found.append(f"password_env: the environment has no variable {self.password_env}")
        if self.tls_ca and not self.tls.startswith("verify"):
            found.append(f"tls_ca: {self.tls} verifies nothing; set tls to verify-ca or -full")
        return found + (self._problems_with_creation(self.create) if self.create else [])

    def _problems_with_creation(self, create: CreateSettings) -> list[str]:
        found = []
        if 0 < len(os.environ.get(self.password_env, "")) < _SHORTEST_PASSWORD:
            found.append(f"password_env: RDS wants passwords of {_SHORTEST_PASSWORD} characters or more")
        if not create.instance_class.startswith("db."):
            found.append(f"create.instance_class: {create.instance_class!r}: classes begin with db.")
        if self.is_aurora and (create.storage or create.iops):
            found.append("create: storage and iops are for Multi-AZ clusters: Aurora grows by itself")
        if not self.is_aurora and self.readers != _READERS_OF_MULTI_AZ:
            found.append("readers: a Multi-AZ cluster has two readers: write `readers: 2`")
        if not self.is_aurora and create.zones:
            found.append("create.zones: Amazon chooses the zones of a Multi-AZ cluster")
        if not self.is_aurora and not create.storage:
            found.append("create.storage: a Multi-AZ cluster needs its size in GiB")
        return found

    def _foreign(self) -> list[str]:
        """Settings of solutions that fivenines deploys."""
        usual = type(self).model_fields["limits"].get_default(call_default_factory=True)
        given = {
            "server": bool(self.server),
            "limits": self.limits != usual,
            "durability": self.durability != STRICT,
            "access": self.access.kind != "direct",
        }
        return [
            f"{key}: fivenines does not set up the servers of this cluster: leave it out"
            for key, wrong in given.items()
            if wrong
        ]

    def problems_with_fault(self, fault: FaultSettings) -> list[str]:
        kind = fault.fault
        if kind not in (*_ANY, *_AURORA):
            return [f"{kind} takes a lab. `fault: command` runs a command of your own"]
        if kind in _AURORA and not self.is_aurora:
            return [f"{kind} is possible with Aurora alone: a Multi-AZ cluster has no means for it"]
        reasons = {
            "to: who takes over cannot be chosen in a Multi-AZ cluster of MySQL: leave it out": (
                bool(getattr(fault, "to", "")) and self.engine == "rds-mysql"
            ),
            "target: a security group is that of the whole cluster: write `target: all`. No new connection "
            "comes in then, and those that are open go on": (
                kind == "partition" and getattr(fault, "target", "") != "all"
            ),
            "duration: Aurora simulates it for a time that is given in advance: write one": (
                kind in _SIMULATED and fault.lasts is None
            ),
            "duration: how long a reboot takes is Amazon's: leave it out": (
                kind == "restart" and bool(fault.lasts)
            ),
        }
        return [reason for reason, applies in reasons.items() if applies]

    def problems_with_network(self, network: NetworkSettings) -> list[str]:
        if network == NetworkSettings(name=network.name):
            return []
        return ["the network between its servers is not fivenines' own"]

    def problems_with_switchover(self) -> list[str]:
        return ["it has no reader to fail over to"] if self.nodes == 1 else []

    def as_external(self, there: Described) -> ExternalSettings:
        """The cluster as one that others run, with the addresses that the API tells."""
        members = {one.name: f"{one.host}:{one.port}" for one in there.instances}
        write = [f"{there.writer}:{there.port}"]
        family = "postgres" if engine(self.engine).family == "postgresql" else "mysql"
        alike: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "name",
                "user",
                "password_env",
                "database",
                "tls",
                "tls_ca",
                "prepare",
                "existing",
                "compare",
                "ledger",
            )
        }
        return ExternalSettings(
            solution="external",
            engine="external-postgres" if family == "postgres" else "external-mysql",
            members=members,
            write=write if self.connect == "endpoint" else list(members.values()),
            read=[f"{there.reader}:{there.port}"] if self.reads == "replicas" else [],
            **alike,
        )
