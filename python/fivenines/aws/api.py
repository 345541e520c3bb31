"""Every call of boto3. Its errors become one sentence each; throttled calls are tried again by botocore.

Sources: Amazon RDS API reference (2014-10-31), "Common Errors"; botocore user guide, "Retries".
"""

# ruff: noqa: PLC0415  (boto3 is an extra, and is imported when it is needed)

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from fivenines.errors import FiveninesError, UsageError, brief

ATTEMPTS = 10
"""How often a call is tried that is throttled, or not answered."""

_PRICES_IN = "us-east-1"
"""Where the Price List API is, for all regions."""

_REFUSED = (
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "RequestExpired",
)
_THROTTLED = ("Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled")
_FORBIDDEN = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
_THERE = ("DBClusterAlreadyExistsFault", "DBInstanceAlreadyExists")
_GONE = ("DBClusterNotFoundFault", "DBInstanceNotFound")
_RULE_IS_THERE = "InvalidPermission.Duplicate"


class NoClusterError(UsageError):
    """There is no cluster of this name: the API was asked, and has said so."""


@dataclass(frozen=True)
class Access:
    """Whose account, and where.

    Attributes:
        region: as eu-central-1; empty: as the profile or the environment says.
        profile: of ~/.aws; empty: the default chain of credentials.
        endpoint_url: of a stand-in for all of the API; empty: Amazon's own.
    """

    region: str = ""
    profile: str = ""
    endpoint_url: str = ""

    @property
    def costs_money(self) -> bool:
        """Whether what is made there is paid for: a stand-in on this machine is free."""
        host = urlsplit(self.endpoint_url).hostname or ""
        return not (host == "localhost" or host.startswith("127.") or host == "::1")


@dataclass(frozen=True)
class Instance:
    """A member of a cluster, as the API describes it; without an address while it is being made."""

    name: str
    status: str
    writer: bool
    host: str = ""
    port: int = 0
    kind: str = ""
    zone: str = ""


@dataclass(frozen=True)
class Described:
    """A cluster as the API describes it now."""

    name: str
    engine: str
    version: str
    status: str
    writer: str
    reader: str
    port: int
    instances: tuple[Instance, ...]
    groups: tuple[str, ...] = ()
    arn: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RdsEvent:
    """What RDS tells: `moment` by Amazon's clock, of which instance or cluster, in its words."""

    moment: datetime
    source: str
    message: str
    categories: tuple[str, ...] = ()


def require_boto3() -> None:
    """Make sure that the extra is there.

    Raises:
        UsageError: it is not.
    """
    try:
        import boto3  # noqa: F401
    except ImportError:
        raise UsageError(
            "boto3 is not installed, which speaks to AWS: pip install 'fivenines[aws]'"
        ) from None


class Api:
    """The calls; each tells what it could not do, and why."""

    def __init__(self, access: Access) -> None:
        require_boto3()
        self.access = access

    # clusters

    def cluster(self, name: str) -> Described:
        """A cluster with its instances.

        Raises:
            NoClusterError: there is none of this name.
            FiveninesError: the API could not be asked.
        """
        with self._words(f"describe the cluster {name}"):
            try:
                answer = self._rds.describe_db_clusters(DBClusterIdentifier=name)
            except self._rds.exceptions.DBClusterNotFoundFault:
                raise NoClusterError(
                    f"{self._where} has no cluster {name!r}: its identifier is what the RDS console shows, "
                    "and region and profile must be those of its account"
                ) from None
            return self._described(answer["DBClusters"][0])

    def clusters(self) -> list[Described]:
        """All clusters of the region, without addresses of their instances."""
        with self._words("list the clusters"):
            pages = self._rds.get_paginator("describe_db_clusters").paginate()
            return [self._described(one, False) for page in pages for one in page["DBClusters"]]

    def instances(self) -> dict[str, Mapping[str, str]]:
        """The tags of all instances of the region, by identifier."""
        with self._words("list the instances"):
            pages = self._rds.get_paginator("describe_db_instances").paginate()
            return {
                one["DBInstanceIdentifier"]: _tags(one.get("TagList", ()))
                for page in pages
                for one in page["DBInstances"]
            }

    def create_cluster(self, name: str, values: Mapping[str, Any], tags: Mapping[str, str]) -> None:
        """Make a cluster; it takes minutes until it is available."""
        with self._words(f"create the cluster {name}", given=_THERE):
            self._rds.create_db_cluster(DBClusterIdentifier=name, Tags=_pairs(tags), **values)

    def create_instance(
        self, name: str, cluster: str, values: Mapping[str, Any], tags: Mapping[str, str]
    ) -> None:
        """Make an instance of a cluster."""
        with self._words(f"create the instance {name}", given=_THERE):
            self._rds.create_db_instance(
                DBInstanceIdentifier=name, DBClusterIdentifier=cluster, Tags=_pairs(tags), **values
            )

    def delete_instance(self, name: str) -> None:
        """Let an instance be deleted; one that is gone already is no error."""
        with self._words(f"delete the instance {name}", given=_GONE):
            self._rds.delete_db_instance(DBInstanceIdentifier=name, SkipFinalSnapshot=True)

    def delete_cluster(self, name: str) -> None:
        """Let a cluster be deleted, without a last snapshot; its instances must be on their way out."""
        with self._words(f"delete the cluster {name}", given=_GONE):
            self._rds.delete_db_cluster(DBClusterIdentifier=name, SkipFinalSnapshot=True)

    def failover(self, name: str, target: str = "") -> None:
        """Ask for another writer: FailoverDBCluster."""
        chosen = {"TargetDBInstanceIdentifier": target} if target else {}
        with self._words(f"fail {name} over"):
            self._rds.failover_db_cluster(DBClusterIdentifier=name, **chosen)

    def reboot(self, instance: str) -> None:
        """Restart an instance: RebootDBInstance."""
        with self._words(f"reboot {instance}"):
            self._rds.reboot_db_instance(DBInstanceIdentifier=instance)

    def events(self, since: datetime) -> list[RdsEvent]:
        """What RDS has told of everything in the region since a moment by Amazon's clock."""
        with self._words("read the events of RDS"):
            pages = self._rds.get_paginator("describe_events").paginate(StartTime=since)
            return [
                RdsEvent(
                    one["Date"],
                    one.get("SourceIdentifier", ""),
                    one.get("Message", ""),
                    tuple(one.get("EventCategories", ())),
                )
                for page in pages
                for one in page["Events"]
            ]

    # security groups

    def rules(self, group: str, port: int) -> list[dict[str, Any]]:
        """The rules of a security group that let connections to a port in, as EC2 takes them back."""
        with self._words(f"read the security group {group}"):
            answer = self._ec2.describe_security_groups(GroupIds=[group])
            every: list[dict[str, Any]] = answer["SecurityGroups"][0]["IpPermissions"]
            return [one for one in every if _lets_in(one, port)]

    def revoke(self, group: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Take rules out of a security group: no new connection comes in by them."""
        with self._words(f"revoke rules of the security group {group}"):
            self._ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=list(rules))

    def give_back(self, group: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Put rules into a security group; those that are there already are no error."""
        # one source at a time: EC2 refuses a whole request of which one rule is there already
        for rule in (single for one in rules for single in _singles(one)):
            with self._words(f"give the security group {group} its rules back", given=(_RULE_IS_THERE,)):
                self._ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])

    # prices

    def price_list(self, filters: Mapping[str, str]) -> list[str]:
        """Products of RDS with these attributes, each as JSON."""
        with self._words("read the price list"):
            answer = self._client("pricing", _PRICES_IN).get_products(
                ServiceCode="AmazonRDS",
                Filters=[
                    {"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in filters.items()
                ],
            )
            found: list[str] = answer["PriceList"]
            return found

    @property
    def region(self) -> str:
        """The region in use."""
        with self._words("find the region"):
            name: str = self._rds.meta.region_name
            return name

    @property
    def _where(self) -> str:
        return f"the region {self._rds.meta.region_name}"

    @cached_property
    def _rds(self) -> Any:
        return self._client("rds")

    @cached_property
    def _ec2(self) -> Any:
        return self._client("ec2")

    def _client(self, service: str, region: str = "") -> Any:
        import boto3
        from botocore.config import Config

        session = boto3.session.Session(
            profile_name=self.access.profile or None, region_name=self.access.region or None
        )
        return session.client(
            service,
            region_name=region or None,
            endpoint_url=self.access.endpoint_url or None,
            config=Config(
                connect_timeout=5,
                read_timeout=20,
                retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            ),
        )

    @contextmanager
    def _words(self, doing: str, given: Sequence[str] = ()) -> Iterator[None]:
        """Errors of boto3 in words; those whose code is in `given` are none."""
        from botocore import exceptions

        try:
            yield
        except exceptions.ClientError as error:
            if error.response.get("Error", {}).get("Code", "") not in given:
                raise said_by_aws(doing, error.response.get("Error", {})) from error
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise UsageError(
                f"cannot {doing}: there are no AWS credentials here. Name a profile (`profile:`, or "
                "AWS_PROFILE), or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            ) from error
        except exceptions.ProfileNotFound as error:
            raise UsageError(f"cannot {doing}: ~/.aws has no profile {self.access.profile!r}") from error
        except exceptions.NoRegionError as error:
            raise UsageError(
                f"cannot {doing}: no region is named. Set `region:`, or AWS_DEFAULT_REGION"
            ) from error
        except exceptions.BotoCoreError as error:
            raise FiveninesError(f"cannot {doing}: {brief(error)}") from error

    def _described(self, one: Mapping[str, Any], addresses: bool = True) -> Described:
        name = one["DBClusterIdentifier"]
        members = one.get("DBClusterMembers", ())
        writing = {each["DBInstanceIdentifier"]: each["IsClusterWriter"] for each in members}
        found = {each: Instance(each, "", writer) for each, writer in writing.items()}
        if addresses:
            answer = self._rds.describe_db_instances(Filters=[{"Name": "db-cluster-id", "Values": [name]}])
            found |= {each.name: each for each in (_instance(two, writing) for two in answer["DBInstances"])}
        return Described(
            name,
            one["Engine"],
            one.get("EngineVersion", ""),
            one["Status"],
            one.get("Endpoint", ""),
            one.get("ReaderEndpoint", ""),
            int(one.get("Port") or 0),
            tuple(sorted(found.values(), key=lambda each: each.name)),
            tuple(each["VpcSecurityGroupId"] for each in one.get("VpcSecurityGroups", ())),
            one.get("DBClusterArn", ""),
            _tags(one.get("TagList", ())),
        )


def said_by_aws(doing: str, error: Mapping[str, str]) -> FiveninesError:
    """An answer of the API that is an error, in words."""
    code, message = error.get("Code", ""), " ".join(error.get("Message", "").split())
    if code in _THROTTLED:
        return FiveninesError(
            f"cannot {doing}: AWS throttles this account ({code}), {ATTEMPTS} times in a row. Others use its "
            "API, too: try again later"
        )
    if code in _REFUSED:
        return UsageError(f"cannot {doing}: AWS refuses the credentials ({code}): {message}")
    if code in _FORBIDDEN:
        return UsageError(f"cannot {doing}: these credentials may not do that ({code}): {message}")
    if "Quota" in code or "LimitExceeded" in code:
        return FiveninesError(
            f"cannot {doing}: a quota of the account is used up ({code}): {message} Raise it by Service "
            "Quotas, or delete what is not needed (`fivenines aws sweep`)"
        )
    if code.startswith("Insufficient"):
        return FiveninesError(
            f"cannot {doing}: AWS has no capacity for it now ({code}): {message} Choose another class or zone"
        )
    return FiveninesError(f"cannot {doing}: {code}: {message}")


def _instance(one: Mapping[str, Any], writing: Mapping[str, bool]) -> Instance:
    name, endpoint = one["DBInstanceIdentifier"], one.get("Endpoint") or {}
    return Instance(
        name,
        one["DBInstanceStatus"],
        writing.get(name, False),
        endpoint.get("Address", ""),
        int(endpoint.get("Port") or 0),
        one.get("DBInstanceClass", ""),
        one.get("AvailabilityZone", ""),
    )


def _lets_in(rule: Mapping[str, Any], port: int) -> bool:
    """Without ports it is for all of them: EC2 API reference, IpPermission."""
    if rule.get("IpProtocol") not in ("tcp", "-1"):
        return False
    first, last = int(rule.get("FromPort", -1)), int(rule.get("ToPort", -1))
    return first == -1 or first <= port <= last


def _singles(rule: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A rule as rules of one source each: EC2 API reference, IpPermission."""
    sources = ("IpRanges", "Ipv6Ranges", "PrefixListIds", "UserIdGroupPairs")
    what = {name: value for name, value in rule.items() if name not in sources}
    for name in sources:
        for one in rule.get(name, ()):
            yield {**what, name: [one]}


def was_refused(error: FiveninesError) -> bool:
    """Whether the API has answered that it does not do it; else it may have done it."""
    from botocore.exceptions import ClientError

    return isinstance(error.__cause__, ClientError)


def _tags(pairs: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {one["Key"]: one.get("Value", "") for one in pairs}


def _pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": name, "Value": value} for name, value in tags.items()]
