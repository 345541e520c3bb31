"""Aurora by a stand-in for its API, with real MySQL servers behind the addresses that it tells."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import lab_aws
import lab_elsewhere
import pytest
from lab_aws import ADMIN, Amazon, amazon, follow
from lab_elsewhere import PASSWORD, Alien, free_port, running
from lab_support import HEAD, PAUSES, fivenines, program, timing

from fivenines.analysis.trials import measure_all
from fivenines.aws import cuts
from fivenines.aws.api import Access, Api
from fivenines.results.store import StoredTrial, open_run

_OPTIONS = ("--gtid-mode=ON", "--enforce-gtid-consistency=ON")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Alien]]:
    """A MySQL primary with a replica, by GTIDs."""
    folder = tmp_path_factory.mktemp("rds")
    made = [
        lab_elsewhere.mysql(folder, f"m{number}", *_OPTIONS, f"--server-id={number}") for number in (1, 2)
    ]
    for one in made:
        # copies of one data set must not take themselves for the same server
        (one.folder / "data" / "auto.cnf").unlink(missing_ok=True)
        with (one.folder / "accounts.sql").open("a") as accounts:
            accounts.write(
                f"CREATE USER IF NOT EXISTS {ADMIN}@'%' IDENTIFIED BY '{ADMIN}';\n"
                f"GRANT ALL ON *.* TO {ADMIN}@'%' WITH GRANT OPTION;\n"
            )
    with running(*made):
        follow(made[1].port, made[0].port)
        yield made


@pytest.fixture
def api(servers: list[Alien], tmp_path: Path) -> Iterator[Amazon]:
    """The API, whose cluster's addresses lead to whoever of these servers writes now."""
    primary = [one for one in servers if one.query("SELECT @@global.read_only") == [(0,)]]
    (first,) = primary
    ordered = [first, *(one for one in servers if one is not first)]
    with amazon(tmp_path / "amazon", free_port(), free_port(), ordered) as made:
        yield made


CREATE = "    create: {instance_class: db.r6g.large, zones: [a, b]}\n"
"""A cluster of the run's own."""


def experiment(
    folder: Path, api: Amazon, more: str, faults: str = "", steady: float = 1.5, recovery: float = 6
) -> Path:
    """An experiment file of one trial, by an account whose password is long enough for RDS."""
    file = folder / "aurora.yaml"
    file.write_text(
        f"{HEAD}solutions:\n  - solution: aurora\n    name: rds\n    engine: aurora-mysql\n"
        f"    endpoint_url: {api.url}\n    region: {lab_aws.REGION}\n    user: {ADMIN}\n"
        f"    password_env: {PASSWORD}\n    database: sbtest\n    existing: reuse\n{more}"
        f"{timing(recovery, steady)}{faults}{PAUSES}"
    )
    return file


def environment(api: Amazon) -> dict[str, str]:
    """Of the program: credentials, and the password."""
    return {**api.environment, PASSWORD: ADMIN}


def only_trial(run: Path) -> StoredTrial:
    """The trial of a run, which is complete."""
    (trial,) = open_run(run).complete
    return trial


def of_the_shop(folder: Path, api: Amazon, fault: str, recovery: float) -> StoredTrial:
    """A trial with this fault on a cluster that is there already, `shop`."""
    api.add("shop", 2)
    cluster = "    cluster: shop\n    reads: replicas\n"
    file = experiment(folder, api, cluster, f"faults: [{fault}]\n", recovery=recovery)
    done = fivenines("run", file, "--out", folder / "run", cwd=folder, env=environment(api))
    assert done.returncode == 0, done.stderr
    return only_trial(folder / "run")


def test_a_failover_is_asked_for_measured_and_told_in_phases(api: Amazon, tmp_path: Path) -> None:
    trial = of_the_shop(tmp_path, api, "{fault: switchover, to: shop-2, duration: 1s}", recovery=12)
    record = trial.record
    assert record.fault is not None and record.fault.verified, record.fault
    assert record.fault.detail == "FailoverDBCluster of shop to shop-2"
    assert record.fault.node == "shop-1" and record.fault.rejoined
    assert record.check is not None and record.check.acknowledged > 0
    assert [(one.node, one.lost, one.phantom) for one in record.check.nodes] == [
        ("shop-1", 0, 0),
        ("shop-2", 0, 0),
    ]
    assert record.divergence is not None and record.divergence.differences == []
    told = {event.kind: event for event in record.events}
    assert told["decided"].node == told["promoted"].node == "shop-2"
    assert "RDS at " in told["decided"].detail
    assert told["demoted"].node == "shop-1"
    (fault,) = measure_all([trial])[0].faults
    assert fault.failover.returned
    assert record.fault.at <= told["decided"].t <= told["promoted"].t
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


@pytest.mark.long
def test_the_writer_is_restarted_by_the_api(api: Amazon, tmp_path: Path) -> None:
    trial = of_the_shop(tmp_path, api, "{fault: restart, target: primary}", recovery=20)
    fault, check = trial.record.fault, trial.record.check
    assert fault is not None and fault.verified and fault.rejoined, fault
    assert fault.detail == "RebootDBInstance of shop-1"
    assert check is not None and check.acknowledged > 0
    assert {(one.lost, one.phantom) for one in check.nodes} == {(0, 0)}
    (measured,) = measure_all([trial])[0].faults
    assert measured.failover.returned


def test_a_cluster_is_made_for_the_run_and_deleted(api: Amazon, tmp_path: Path) -> None:
    file = experiment(tmp_path, api, CREATE)
    # AWS throttles now and then: that delays, and nothing else
    api.tell(throttled=3)
    done = fivenines("run", file, "--out", tmp_path / "run", cwd=tmp_path, env=environment(api))
    assert done.returncode == 0, done.stderr
    actions = api.tell()
    assert actions.count("CreateDBCluster") >= 1 and actions.count("DeleteDBInstance") == 2
    assert actions[-1] == "DeleteDBCluster" and api.clusters() == []
    record = only_trial(tmp_path / "run").record
    assert record.deployment is not None
    assert sorted(record.deployment.roles.values()) == ["primary", "replica"]


def _begun(api: Amazon, tmp_path: Path) -> subprocess.Popen[bytes]:
    """A run with a cluster of its own that is being loaded, for as long as it is let."""
    file = experiment(tmp_path, api, CREATE, steady=60)
    process = subprocess.Popen(
        program("run", file, "--out", tmp_path / "run", "--progress", "plain"),
        cwd=tmp_path,
        env={**os.environ, **environment(api)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 200
    # what the observers write to: it is there when all is deployed, just before the load starts
    while not (tmp_path / "run/trials/.0001.part/observed").exists():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.1)
    return process


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_whoever_ends_a_run_lets_it_delete_what_it_made(
    api: Amazon, tmp_path: Path, how: signal.Signals
) -> None:
    process = _begun(api, tmp_path)
    process.send_signal(how)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 130, said
    assert b"interrupted" in said and b"Traceback" not in said
    assert api.clusters() == []


def test_what_a_killed_run_leaves_is_swept(api: Amazon, tmp_path: Path) -> None:
    api.add("foreign", 1)
    process = _begun(api, tmp_path)
    sweep = ("aws", "sweep", "--region", lab_aws.REGION, "--endpoint-url", api.url, "--json")
    env = environment(api)
    used = json.loads(fivenines(*sweep, cwd=tmp_path, env=env).stdout)
    assert [one["in_use"] for one in used["left"]] == [True]
    process.kill()
    process.wait()
    listed = fivenines(*sweep, cwd=tmp_path, env=env)
    assert listed.returncode == 1
    (one,) = json.loads(listed.stdout)["left"]
    assert one["cluster"].startswith("fivenines-rds-") and not one["in_use"]
    assert len(one["instances"]) == 2 and len(api.clusters()) == 2
    done = fivenines(*sweep, "--yes", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert api.clusters() == ["foreign"]
    assert fivenines(*sweep[:-1], cwd=tmp_path, env=env).stdout == "No cluster of fivenines is left here.\n"


def test_what_cannot_be_deleted_is_named_with_the_command(api: Amazon, tmp_path: Path) -> None:
    process = _begun(api, tmp_path)
    api.tell(refused={"DeleteDBCluster": "InvalidDBClusterStateFault"})
    process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + 200
    while api.tell().count("DeleteDBCluster") < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 1, said
    assert b"It costs money until it is deleted: fivenines aws sweep --region" in said
    assert b"Traceback" not in said


def test_rules_of_a_security_group_go_and_come_back(
    api: Amazon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**api.environment, "FIVENINES_CACHE": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    ec2 = api.client("ec2")
    group = ec2.create_security_group(GroupName="shop", Description="of the test")["GroupId"]
    api.add("shop", 2, VpcSecurityGroupIds=[group])
    ours = Api(Access(lab_aws.REGION, "", api.url))
    there = ours.cluster("shop")
    port = there.port
    rules = [
        {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]},
        {
            "IpProtocol": "tcp",
            "FromPort": port,
            "ToPort": port,
            "IpRanges": [{"CidrIp": "10.1.0.0/16"}, {"CidrIp": "10.2.0.0/16"}],
        },
    ]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=rules)

    def open_ports() -> list[int]:
        (found,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
        return sorted(one["FromPort"] for one in found["IpPermissions"] for _ in one["IpRanges"])

    assert there.groups == (group,) and open_ports() == [22, port, port]
    made = cuts.cut(ours, there.groups, there.port)
    assert open_ports() == [22]
    # one of two is put back by hand: the other one comes back all the same
    ec2.authorize_security_group_ingress(
        GroupId=group, IpPermissions=[{**rules[1], "IpRanges": [{"CidrIp": "10.1.0.0/16"}]}]
    )
    cuts.heal(ours, made)
    assert open_ports() == [22, port, port]
    # whoever heals twice changes nothing
    cuts.heal(ours, made)
    assert open_ports() == [22, port, port]


@pytest.mark.parametrize(
    ("more", "refused", "credentials", "code", "words"),
    [
        ("    cluster: shop\n", {}, False, 2, "there are no AWS credentials"),
        ("    cluster: shap\n", {}, True, 2, "region eu-central-1 has no cluster 'shap'"),
        pytest.param(
            "    cluster: shop\n    readers: 4\n",
            {},
            True,
            2,
            "shop has 1 readers, but the file has",
            marks=pytest.mark.long,
        ),
        pytest.param(
            CREATE,
            {"CreateDBInstance": "InstanceQuotaExceeded"},
            True,
            1,
            "a quota of the account is exhausted",
            marks=pytest.mark.long,
        ),
        pytest.param(
            CREATE,
            {"CreateDBCluster": "AccessDenied"},
            True,
            2,
            "these credentials lack the permission",
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_aws_refuses_is_one_message(
    api: Amazon, tmp_path: Path, more: str, refused: dict[str, str], credentials: bool, code: int, words: str
) -> None:
    api.add("shop", 2)
    api.tell(refused=refused)
    env = environment(api)
    if not credentials:
        env |= {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": str(tmp_path)}
        env |= {"FIVENINES_CACHE": str(tmp_path / "cache")}
    done = fivenines("run", experiment(tmp_path, api, more), cwd=tmp_path, env=env)
    assert done.returncode == code, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr
    assert api.clusters() == ["shop"]
