"""Error messages of the API, and the account in use."""

import sys

import pytest

from fivenines.base.errors import UsageError
from fivenines.solutions.aurora.aws.api import Access, Api, _lets_in, _singles, aws_error


@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("Throttling", 1, "AWS throttles this account (Throttling), 10 times in a row"),
        ("ExpiredToken", 2, "AWS refuses the credentials (ExpiredToken): because"),
        ("AccessDenied", 2, "these credentials lack the permission (AccessDenied): because"),
        ("DBClusterQuotaExceededFault", 1, "a quota of the account is exhausted"),
        ("InsufficientDBInstanceCapacity", 1, "Choose another class or zone"),
        ("InvalidDBClusterStateFault", 1, "cannot fly: InvalidDBClusterStateFault: because it rains"),
    ],
)
def test_errors_say_what_to_do(code: str, exit_code: int, words: str) -> None:
    error = aws_error("fly", {"Code": code, "Message": "because\n it rains"})
    assert words in str(error) and error.exit_code == exit_code
    assert str(error).startswith("cannot fly: ")


def test_a_missing_boto3_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(UsageError, match=r"pip install 'fivenines\[aws\]'"):
        Api(Access())


def test_a_missing_region_and_an_unknown_profile_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", f"{tmp_path}/none")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", f"{tmp_path}/none")
    with pytest.raises(UsageError, match="no region is set"):
        Api(Access()).cluster("x")
    with pytest.raises(UsageError, match="has no profile 'me'"):
        Api(Access("eu-central-1", "me")).cluster("x")


def test_an_emulator_on_this_machine_is_free() -> None:
    assert Access().costs_money and Access(endpoint_url="https://rds.example.com").costs_money
    assert not Access(endpoint_url="http://127.0.0.1:5000").costs_money
    assert not Access(endpoint_url="http://localhost:5000").costs_money


@pytest.mark.parametrize(
    ("rule", "lets_in"),
    [
        ({"IpProtocol": "tcp", "FromPort": 3306, "ToPort": 3306}, True),
        ({"IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535}, True),
        ({"IpProtocol": "-1"}, True),
        ({"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}, False),
        ({"IpProtocol": "udp", "FromPort": 3306, "ToPort": 3306}, False),
    ],
)
def test_rules_of_a_port(rule: dict[str, object], lets_in: bool) -> None:
    assert _lets_in(rule, 3306) is lets_in


def test_a_rule_is_restored_source_by_source() -> None:
    rule = {
        "IpProtocol": "tcp",
        "FromPort": 3306,
        "ToPort": 3306,
        "IpRanges": [{"CidrIp": "10.0.0.0/8"}, {"CidrIp": "192.0.2.0/24"}],
        "UserIdGroupPairs": [{"GroupId": "sg-9"}],
        "Ipv6Ranges": [],
    }
    what = {"IpProtocol": "tcp", "FromPort": 3306, "ToPort": 3306}
    assert list(_singles(rule)) == [
        {**what, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]},
        {**what, "IpRanges": [{"CidrIp": "192.0.2.0/24"}]},
        {**what, "UserIdGroupPairs": [{"GroupId": "sg-9"}]},
    ]
