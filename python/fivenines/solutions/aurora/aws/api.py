"""All calls of boto3. Errors become one sentence each; botocore retries throttled calls.

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

from fivenines.base.errors import FiveninesError, UsageError, brief

# Number of attempts for a call that is throttled, or not answered.
ATTEMPTS = 10

# Region of the Price List API, which covers all regions.
_PRICES_IN = "us-east-1"

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
_EXISTS = ("DBClusterAlreadyExistsFault", "DBInstanceAlreadyExists")
_DELETED = ("DBClusterNotFoundFault", "DBInstanceNotFound")
_RULE_EXISTS = "InvalidPermission.Duplicate"


class NoClusterError(UsageError):
    """The API has answered that there is no cluster of this name."""


@dataclass(frozen=True)
class Access:
    """The account and the region.

    Attributes:
        region: as eu-central-1; empty: from the profile or the environment.
        profile: of ~/.aws; empty: the default chain of credentials.
        endpoint_url: of an emulator of the whole API; empty: AWS.
    """

    region: str = ""
    profile: str = ""
    endpoint_url: str = ""

    @property
    def costs_money(self) -> bool:
        """Return whether resources cost money there; an emulator on this machine is free."""
        host = urlsplit(self.endpoint_url).hostname or ""
        return not (host == "localhost" or host.startswith("127.") or host == "::1")


@dataclass(frozen=True)
class Instance:
    """A member of a cluster, as the API describes it; without an address during its creation."""

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
    """An event of RDS: `moment` by Amazon's clock, instance or cluster, and message."""

    moment: datetime
    source: str
    message: str
    categories: tuple[str, ...] = ()


def require_boto3() -> None:
    """Check that boto3 is installed.

    Raises:
        UsageError: it is not.
    """
    try:
        import boto3  # noqa: F401
    except ImportError:
        raise UsageError(
            "boto3, the client library of AWS, is not installed: run pip install 'fivenines[aws]'"
        ) from None


class Api:
    """The calls; each error names the failed call and the reason."""

    def __init__(self, access: Access) -> None:
        require_boto3()
        self.access = access

    # clusters

    def cluster(self, name: str) -> Described:
        """Return a cluster with its instances.

        Raises:
            NoClusterError: there is no cluster of this name.
            FiveninesError: the call failed.
        """
        with self._errors(f"describe the cluster {name}"):
            try:
                answer = self._rds.describe_db_clusters(DBClusterIdentifier=name)
            except self._rds.exceptions.DBClusterNotFoundFault:
                raise NoClusterError(
                    f"{self._where} has no cluster {name!r}: check its identifier in the RDS console, and "
                    "that region and profile are those of its account"
                ) from None
            return self._described(answer["DBClusters"][0])

    def clusters(self) -> list[Described]:
        """Return all clusters of the region, without addresses of their instances."""
        with self._errors("list the clusters"):
            pages = self._rds.get_paginator("describe_db_clusters").paginate()
            return [self._described(cluster, False) for page in pages for cluster in page["DBClusters"]]

    def instances(self) -> dict[str, Mapping[str, str]]:
        """Return the tags of all instances of the region, by identifier."""
        with self._errors("list the instances"):
            pages = self._rds.get_paginator("describe_db_instances").paginate()
            return {
                instance["DBInstanceIdentifier"]: _tags(instance.get("TagList", ()))
                for page in pages
                for instance in page["DBInstances"]
            }

    def create_cluster(self, name: str, values: Mapping[str, Any], tags: Mapping[str, str]) -> None:
        """Create a cluster; it takes minutes until it is available."""
        with self._errors(f"create the cluster {name}", given=_EXISTS):
            self._rds.create_db_cluster(DBClusterIdentifier=name, Tags=_pairs(tags), **values)

    def create_instance(
        self, name: str, cluster: str, values: Mapping[str, Any], tags: Mapping[str, str]
    ) -> None:
        """Create an instance of a cluster."""
        with self._errors(f"create the instance {name}", given=_EXISTS):
            self._rds.create_db_instance(
                DBInstanceIdentifier=name, DBClusterIdentifier=cluster, Tags=_pairs(tags), **values
            )

    def delete_instance(self, name: str) -> None:
        """Delete an instance; a deleted one is no error."""
        with self._errors(f"delete the instance {name}", given=_DELETED):
            self._rds.delete_db_instance(DBInstanceIdentifier=name, SkipFinalSnapshot=True)

    def delete_cluster(self, name: str) -> None:
        """Delete a cluster without a final snapshot; its instances must be deleted, or be in deletion."""
        with self._errors(f"delete the cluster {name}", given=_DELETED):
            self._rds.delete_db_cluster(DBClusterIdentifier=name, SkipFinalSnapshot=True)

    def failover(self, name: str, target: str = "") -> None:
        """Fail over to another writer: FailoverDBCluster."""
        chosen = {"TargetDBInstanceIdentifier": target} if target else {}
        with self._errors(f"fail {name} over"):
            self._rds.failover_db_cluster(DBClusterIdentifier=name, **chosen)

    def reboot(self, instance: str) -> None:
        """Restart an instance: RebootDBInstance."""
        with self._errors(f"reboot {instance}"):
            self._rds.reboot_db_instance(DBInstanceIdentifier=instance)

    def events(self, since: datetime) -> list[RdsEvent]:
        """Return the events of RDS in the region since a moment by Amazon's clock."""
        with self._errors("read the events of RDS"):
            pages = self._rds.get_paginator("describe_events").paginate(StartTime=since)
            return [
                RdsEvent(
                    event["Date"],
                    event.get("SourceIdentifier", ""),
                    event.get("Message", ""),
                    tuple(event.get("EventCategories", ())),
                )
                for page in pages
                for event in page["Events"]
            ]

    # security groups

    def rules(self, group: str, port: int) -> list[dict[str, Any]]:
        """Return the rules of a security group that admit connections to a port, for `revoke`."""
        with self._errors(f"read the security group {group}"):
            answer = self._ec2.describe_security_groups(GroupIds=[group])
            every: list[dict[str, Any]] = answer["SecurityGroups"][0]["IpPermissions"]
            return [rule for rule in every if _lets_in(rule, port)]

    def revoke(self, group: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Remove rules from a security group, so that it admits no new connections by them."""
        with self._errors(f"revoke rules of the security group {group}"):
            self._ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=list(rules))

    def give_back(self, group: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Restore rules of a security group; existing ones are no error."""
        # One source at a time: EC2 refuses a whole request if one of its rules exists.
        for rule in (single for grouped in rules for single in _singles(grouped)):
            with self._errors(f"restore the rules of the security group {group}", given=(_RULE_EXISTS,)):
                self._ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])

    # prices

    def price_list(self, filters: Mapping[str, str]) -> list[str]:
        """Return products of RDS with these attributes, each as JSON."""
        with self._errors("read the price list"):
            answer = self._client("pricing", _PRICES_IN).get_products(
                ServiceCode="AmazonRDS",
                Filters=[
                    {"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in filters.items()
                ],
            )
            products: list[str] = answer["PriceList"]
            return products

    @property
    def region(self) -> str:
        """Return the region in use."""
        with self._errors("find the region"):
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
    def _errors(self, doing: str, given: Sequence[str] = ()) -> Iterator[None]:
        """Translate errors of boto3 into sentences; codes in `given` are no errors."""
        from botocore import exceptions

        try:
            yield
        except exceptions.ClientError as error:
            if error.response.get("Error", {}).get("Code", "") not in given:
                raise aws_error(doing, error.response.get("Error", {})) from error
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise UsageError(
                f"cannot {doing}: there are no AWS credentials. Set `profile:` or AWS_PROFILE, or set "
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            ) from error
        except exceptions.ProfileNotFound as error:
            raise UsageError(
                f"cannot {doing}: ~/.aws has no profile {self.access.profile!r}: check `profile:`"
            ) from error
        except exceptions.NoRegionError as error:
            raise UsageError(
                f"cannot {doing}: no region is set. Set `region:`, or AWS_DEFAULT_REGION"
            ) from error
        except exceptions.BotoCoreError as error:
            raise FiveninesError(f"cannot {doing}: {brief(error)}") from error

    def _described(self, cluster: Mapping[str, Any], addresses: bool = True) -> Described:
        name = cluster["DBClusterIdentifier"]
        members = cluster.get("DBClusterMembers", ())
        writing = {each["DBInstanceIdentifier"]: each["IsClusterWriter"] for each in members}
        found = {each: Instance(each, "", writer) for each, writer in writing.items()}
        if addresses:
            answer = self._rds.describe_db_instances(Filters=[{"Name": "db-cluster-id", "Values": [name]}])
            found |= {each.name: each for each in (_instance(two, writing) for two in answer["DBInstances"])}
        return Described(
            name,
            cluster["Engine"],
            cluster.get("EngineVersion", ""),
            cluster["Status"],
            cluster.get("Endpoint", ""),
            cluster.get("ReaderEndpoint", ""),
            int(cluster.get("Port") or 0),
            tuple(sorted(found.values(), key=lambda each: each.name)),
            tuple(each["VpcSecurityGroupId"] for each in cluster.get("VpcSecurityGroups", ())),
            cluster.get("DBClusterArn", ""),
            _tags(cluster.get("TagList", ())),
        )


def aws_error(doing: str, error: Mapping[str, str]) -> FiveninesError:
    """Return the error for an error answer of the API."""
    code, message = error.get("Code", ""), " ".join(error.get("Message", "").split())
    if code in _THROTTLED:
        return FiveninesError(
            f"cannot {doing}: AWS throttles this account ({code}), {ATTEMPTS} times in a row. Other programs "
            "use its API, too: try again later"
        )
    if code in _REFUSED:
        return UsageError(f"cannot {doing}: AWS refuses the credentials ({code}): {message}")
    if code in _FORBIDDEN:
        return UsageError(f"cannot {doing}: these credentials lack the permission ({code}): {message}")
    if "Quota" in code or "LimitExceeded" in code:
        return FiveninesError(
            f"cannot {doing}: a quota of the account is exhausted ({code}): {message} Raise it with Service "
            "Quotas, or delete unused resources (`fivenines aws sweep`)"
        )
    if code.startswith("Insufficient"):
        return FiveninesError(
            f"cannot {doing}: AWS has no capacity for it now ({code}): {message} Choose another class or zone"
        )
    return FiveninesError(f"cannot {doing}: {code}: {message}")


def _instance(answer: Mapping[str, Any], writing: Mapping[str, bool]) -> Instance:
    name, endpoint = answer["DBInstanceIdentifier"], answer.get("Endpoint") or {}
    return Instance(
        name,
        answer["DBInstanceStatus"],
        writing.get(name, False),
        endpoint.get("Address", ""),
        int(endpoint.get("Port") or 0),
        answer.get("DBInstanceClass", ""),
        answer.get("AvailabilityZone", ""),
    )


def _lets_in(rule: Mapping[str, Any], port: int) -> bool:
    """Return whether a rule admits a port; without ports it admits all (EC2 API reference, IpPermission)."""
    if rule.get("IpProtocol") not in ("tcp", "-1"):
        return False
    first, last = int(rule.get("FromPort", -1)), int(rule.get("ToPort", -1))
    return first == -1 or first <= port <= last


def _singles(rule: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Split a rule into rules with one source each (EC2 API reference, IpPermission)."""
    sources = ("IpRanges", "Ipv6Ranges", "PrefixListIds", "UserIdGroupPairs")
    what = {name: value for name, value in rule.items() if name not in sources}
    for name in sources:
        for source in rule.get(name, ()):
            yield {**what, name: [source]}


def was_refused(error: FiveninesError) -> bool:
    """Return whether the API has refused the call; otherwise it may have executed it."""
    from botocore.exceptions import ClientError

    return isinstance(error.__cause__, ClientError)


def _tags(pairs: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {pair["Key"]: pair.get("Value", "") for pair in pairs}


def _pairs(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": name, "Value": value} for name, value in tags.items()]
