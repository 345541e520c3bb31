"""Settings of a cluster of Amazon Aurora or RDS: an existing one, or how to create it, and its budget."""

import os
import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.settings import Settings
from fivenines.software.store import engine
from fivenines.solutions.aurora.aws.api import Access, Api, Described
from fivenines.solutions.aurora.aws.prices import AROUND_SECONDS, Charge, per_hour
from fivenines.solutions.aurora.checks import AuroraChecks
from fivenines.solutions.durability import STRICT
from fivenines.solutions.external.settings import ExternalSettings
from fivenines.solutions.settings import SolutionSettings
from fivenines.solutions.traits import Traits

# Syntax of a cluster identifier: RDS API reference, CreateDBCluster.
_IDENTIFIER = re.compile(r"[A-Za-z](?:-?[A-Za-z0-9])*")

_READERS_OF_MULTI_AZ = 2

# Source: RDS API reference, CreateDBCluster.
_SHORTEST_PASSWORD = 8


class CreateSettings(Settings):
    """A cluster that is created for the run, and deleted at its end with all its data."""

    instance_class: str = Field(description="instance class, as db.r6g.large")
    version: str = Field("", description="engine version; empty: Amazon's default")
    zones: list[str] = Field(
        default_factory=list,
        description="availability zones of the instances, assigned in turn, as [eu-central-1a, "
        "eu-central-1b]; empty: Amazon chooses",
    )
    subnet_group: str = Field("", description="DB subnet group; empty: the default VPC's")
    security_groups: list[str] = Field(
        default_factory=list,
        description="ids of the security groups, which must admit this machine; empty: the VPC's default",
    )
    public: bool = Field(False, description="whether the instances get public addresses")
    parameter_group: str = Field("", description="cluster parameter group; empty: the default")
    storage: Annotated[int, Field(ge=20)] | None = Field(
        None, description="Multi-AZ clusters only: size in GiB; Aurora's storage grows by itself"
    )
    iops: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Multi-AZ clusters only: provisioned IOPS, which AWS may require"
    )


class AuroraSettings(SolutionSettings):
    """A cluster of Amazon Aurora, or a Multi-AZ cluster of RDS: existing, or created for the run."""

    checks_type = AuroraChecks

    external = True
    can_be_vms = False
    chooses_successor = True
    storage_can_fail = True

    solution: Literal["aurora"] = Field(description="Amazon Aurora, or a Multi-AZ cluster of Amazon RDS")
    engine: Literal["aurora-mysql", "aurora-postgresql", "rds-mysql", "rds-postgres"] = Field(
        description="engine: Aurora MySQL or PostgreSQL; or MySQL or PostgreSQL in a Multi-AZ cluster"
    )
    cluster: str = Field("", description="identifier of an existing cluster; empty: see `create`")
    cluster_env: str = Field(
        "",
        description="environment variable with the identifier of an existing cluster, for files that others "
        "run: it may be missing until then; empty: see `cluster`",
    )
    create: CreateSettings | None = Field(
        None, description="parameters of a cluster that is created for the run; null: see `cluster`"
    )
    readers: Annotated[int, Field(ge=0, le=15)] = Field(
        1, description="number of readers in addition to the writer; the minimum for an existing cluster"
    )
    connect: Literal["endpoint", "instances"] = Field(
        "endpoint",
        description="how clients find the writer. endpoint: by the cluster endpoint, whose address moves in "
        "a failover; instances: they try all instances, as drivers for Aurora do",
    )
    region: str = Field(
        "", description="AWS region, as eu-central-1; empty: from the profile or the environment"
    )
    profile: str = Field("", description="profile in ~/.aws; empty: the default credentials")
    endpoint_url: str = Field("", description="URL of an emulator of the AWS API; empty: AWS")
    user: Annotated[str, Field(min_length=1)] = Field(
        description="database account; the master account if the cluster is created"
    )
    password_env: str = Field(description="environment variable with its password")
    database: Annotated[str, Field(min_length=1)] = Field(description="database that is written to")
    tls: Literal["disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        "prefer", description="TLS of fivenines' own connections; for the load see `load: {tls: ...}`"
    )
    tls_ca: str | None = Field(None, description="file with the certificate authority for verify-*")
    prepare: bool = Field(
        True, description="whether to create and fill the workload's tables; false: they exist"
    )
    existing: Literal["refuse", "reuse", "replace"] = Field(
        "refuse",
        description="with `prepare`, what to do with tables that exist when a run begins. refuse: end with "
        "an error; reuse: use tables that fivenines has loaded completely; replace: drop and load them again",
    )
    compare: bool = Field(
        True, description="whether to compare all tables between the instances after a trial"
    )
    ledger: Literal["drop", "keep"] = Field(
        "drop",
        description="whether to drop or keep the tables fivenines_ledger and fivenines_probes after a trial",
    )
    price_per_hour: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="price of a created instance per hour, in your currency; null: from Amazon's price list, "
        "in USD",
    )
    budget: Annotated[float, Field(gt=0)] | None = Field(
        None,
        description="cost limit for created instances: the run ends in good order before a trial that would "
        "exceed it; null: no limit",
    )

    setup_seconds: ClassVar[float] = 5.0
    restart_seconds: ClassVar[float] = 30.0

    def default_name(self) -> str:
        return self.engine

    @property
    def traits(self) -> Traits:
        return Traits(nodes=self.readers + 1, single_writer=True)

    @property
    def access_to_aws(self) -> Access:
        """Return the account and the region."""
        return Access(self.region, self.profile, self.endpoint_url)

    @property
    def is_aurora(self) -> bool:
        """Return whether it is Aurora, whose instances share their storage."""
        return self.engine.startswith("aurora")

    @property
    def identifier(self) -> str:
        """Return the identifier of the existing cluster; empty if it is created, or not known yet."""
        return self.cluster or os.environ.get(self.cluster_env, "")

    def machine_problem(self) -> str:
        """Return which variable of the environment is missing; empty: none."""
        if not self.cluster_env:
            return ""
        names = {"cluster_env": self.cluster_env, "password_env": self.password_env}
        missing = {key: name for key, name in names.items() if not os.environ.get(name)}
        if missing:
            key, listed = next(iter(missing)), " and ".join(missing.values())
            return (
                f"{key}: Amazon Aurora needs an account of a cloud: set {listed} to the identifier of your "
                "cluster and its password"
            )
        if not _IDENTIFIER.fullmatch(self.identifier):
            return (
                f"cluster_env: {self.cluster_env} is {self.identifier!r}, which is not a cluster identifier"
            )
        return ""

    def charge(self, seconds: float) -> Charge | None:
        if self.create is None or not self.access_to_aws.costs_money:
            return None
        return Charge(
            self.name,
            self.create.instance_class,
            self.traits.nodes,
            seconds + AROUND_SECONDS,
            self.price(),
            self.budget,
        )

    def price(self) -> float | None:
        """Return the price of an instance per hour, as set or listed; None if unknown."""
        if self.price_per_hour is not None or self.create is None:
            return self.price_per_hour
        if not self.access_to_aws.costs_money:
            return None
        try:
            return per_hour(Api(self.access_to_aws), self.engine, self.create.instance_class)
        except FiveninesError:
            return None

    def problems(self) -> list[str]:
        """Return what is invalid in the settings as a whole."""
        problems = self._foreign()
        if bool(self.cluster) + bool(self.cluster_env) + (self.create is not None) != 1:
            problems.append(
                "cluster: name an existing cluster, or set `create` to create one; exactly one of the two "
                "(or `cluster_env`, a variable with its name)"
            )
        if self.cluster and not _IDENTIFIER.fullmatch(self.cluster):
            problems.append(f"cluster: {self.cluster!r} is not a cluster identifier")
        if self.budget is not None and self.create is None:
            problems.append("budget: it applies only to a cluster that `create` creates: leave it out")
        if not self.cluster_env and self.password_env not in os.environ:
            problems.append(
                f"password_env: the environment has no variable {self.password_env}: set it to the password"
            )
        if self.tls_ca and not self.tls.startswith("verify"):
            problems.append(
                f"tls_ca: tls: {self.tls} verifies no certificate; set tls to verify-ca or verify-full"
            )
        return problems + (self._problems_with_creation(self.create) if self.create else [])

    def _problems_with_creation(self, create: CreateSettings) -> list[str]:
        problems = []
        if 0 < len(os.environ.get(self.password_env, "")) < _SHORTEST_PASSWORD:
            problems.append(
                f"password_env: RDS requires passwords of {_SHORTEST_PASSWORD} characters or more"
            )
        if not create.instance_class.startswith("db."):
            problems.append(
                f"create.instance_class: {create.instance_class!r} is not a class: classes begin with db."
            )
        if self.is_aurora and (create.storage or create.iops):
            problems.append(
                "create: storage and iops are for Multi-AZ clusters, as Aurora's storage grows by "
                "itself: leave them out"
            )
        if not self.is_aurora and self.readers != _READERS_OF_MULTI_AZ:
            problems.append("readers: a Multi-AZ cluster has two readers: write `readers: 2`")
        if not self.is_aurora and create.zones:
            problems.append("create.zones: Amazon chooses the zones of a Multi-AZ cluster: leave it out")
        if not self.is_aurora and not create.storage:
            problems.append("create.storage: a Multi-AZ cluster needs a size in GiB: set it")
        return problems

    def _foreign(self) -> list[str]:
        """Return settings that apply only to solutions that fivenines deploys."""
        default = type(self).model_fields["limits"].get_default(call_default_factory=True)
        given = {
            "server": bool(self.server),
            "limits": self.limits != default,
            "durability": self.durability != STRICT,
            "access": self.access.kind != "direct",
        }
        return [
            f"{key}: fivenines does not set up the servers of this cluster: leave it out"
            for key, wrong in given.items()
            if wrong
        ]

    def as_external(self, cluster: Described) -> ExternalSettings:
        """Return the settings of an external cluster with the addresses from the API."""
        members = {instance.name: f"{instance.host}:{instance.port}" for instance in cluster.instances}
        write = [f"{cluster.writer}:{cluster.port}"]
        family = "postgres" if engine(self.engine).family == "postgresql" else "mysql"
        common: dict[str, Any] = {
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
            read=[f"{cluster.reader}:{cluster.port}"] if self.reads == "replicas" else [],
            **common,
        )
