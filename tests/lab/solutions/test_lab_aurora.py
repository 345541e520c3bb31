"""Aurora by a stand-in for its API, with real MySQL servers behind the addresses that it reports."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import lab_aws
import lab_external_servers
import pytest
from lab_aws import ADMIN, Amazon, amazon, follow
from lab_external_servers import PASSWORD, ExternalServer, free_port, running
from lab_support import HEAD, LIMIT, PAUSES, fivenines, program, timing

from fivenines.analysis.trials import measure_all
from fivenines.results.store import StoredTrial, open_run
from fivenines.solutions.aurora.aws import cuts
from fivenines.solutions.aurora.aws.api import Access, Api

_OPTIONS = ("--gtid-mode=ON", "--enforce-gtid-consistency=ON")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ExternalServer]]:
    """Provide a MySQL primary with a replica, by GTIDs."""
    folder = tmp_path_factory.mktemp("rds")
    made = [
        lab_external_servers.mysql(folder, f"m{number}", *_OPTIONS, f"--server-id={number}")
        for number in (1, 2)
    ]
    for server in made:
        # Copies of one data set must not have the same server UUID.
        (server.folder / "data" / "auto.cnf").unlink(missing_ok=True)
        with (server.folder / "accounts.sql").open("a") as accounts:
            accounts.write(
                f"CREATE USER IF NOT EXISTS {ADMIN}@'%' IDENTIFIED BY '{ADMIN}';\n"
                f"GRANT ALL ON *.* TO {ADMIN}@'%' WITH GRANT OPTION;\n"
            )
    with running(*made):
        follow(made[1].port, made[0].port)
        yield made


@pytest.fixture
def api(servers: list[ExternalServer], tmp_path: Path) -> Iterator[Amazon]:
    """Provide the API; its cluster's addresses lead to the current writer and reader."""
    primary = [server for server in servers if server.query("SELECT @@global.read_only") == [(0,)]]
    (first,) = primary
    ordered = [first, *(server for server in servers if server is not first)]
    with amazon(tmp_path / "amazon", free_port(), free_port(), ordered) as made:
        yield made


# A cluster that the run creates.
CREATE = "    create: {instance_class: db.r6g.large, zones: [a, b]}\n"


def experiment(folder: Path, api: Amazon, more: str, faults: str = "", steady: float = 1.5) -> Path:
    """Write an experiment file of one trial; its account's password is long enough for RDS."""
    file = folder / "aurora.yaml"
    file.write_text(
        f"{HEAD}solutions:\n  - solution: aurora\n    name: rds\n    engine: aurora-mysql\n"
        f"    endpoint_url: {api.url}\n    region: {lab_aws.REGION}\n    user: {ADMIN}\n"
        f"    password_env: {PASSWORD}\n    database: sbtest\n    existing: reuse\n{more}"
        f"{timing(steady=steady)}{faults}{PAUSES}"
    )
    return file


def environment(api: Amazon) -> dict[str, str]:
    """Return the program's environment: credentials and the password."""
    return {**api.environment, PASSWORD: ADMIN}


def only_trial(run: Path) -> StoredTrial:
    """Return the only trial of a run, which is complete."""
    (trial,) = open_run(run).complete
    return trial


def of_the_shop(folder: Path, api: Amazon, fault: str) -> StoredTrial:
    """Run a trial with this fault on `shop`, an existing cluster."""
    api.add("shop", 2)
    cluster = "    cluster: shop\n    reads: replicas\n"
    # Without a success in the first two seconds, as on a busy machine, the load would get no fault.
    file = experiment(folder, api, cluster, f"faults: [{fault}]\n", steady=3)
    done = fivenines("run", file, "--out", folder / "run", cwd=folder, env=environment(api))
    assert done.returncode == 0, done.stderr
    return only_trial(folder / "run")


@pytest.mark.lasts(35)
def test_a_requested_failover_is_measured_in_phases(api: Amazon, tmp_path: Path) -> None:
    trial = of_the_shop(tmp_path, api, "{fault: switchover, to: shop-2, duration: 1s}")
    record = trial.record
    assert record.fault is not None and record.fault.verified, record.fault
    assert record.fault.detail == "FailoverDBCluster of shop to shop-2"
    assert record.fault.node == "shop-1" and record.fault.rejoined
    assert record.check is not None and record.check.acknowledged > 0
    assert [(node.node, node.lost, node.phantom) for node in record.check.nodes] == [
        ("shop-1", 0, 0),
        ("shop-2", 0, 0),
    ]
    assert record.divergence is not None and record.divergence.differences == []
    events = {event.kind: event for event in record.events}
    assert events["decided"].node == events["promoted"].node == "shop-2"
    assert "RDS at " in events["decided"].detail
    assert events["demoted"].node == "shop-1"
    (fault,) = measure_all([trial])[0].faults
    assert fault.failover.returned
    assert record.fault.at <= events["decided"].t <= events["promoted"].t
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


@pytest.mark.long
def test_the_writer_is_restarted_by_the_api(api: Amazon, tmp_path: Path) -> None:
    trial = of_the_shop(tmp_path, api, "{fault: restart, target: primary}")
    fault, check = trial.record.fault, trial.record.check
    assert fault is not None and fault.verified and fault.rejoined, fault
    assert fault.detail == "RebootDBInstance of shop-1"
    assert check is not None and check.acknowledged > 0
    assert {(node.lost, node.phantom) for node in check.nodes} == {(0, 0)}
    (measured,) = measure_all([trial])[0].faults
    assert measured.failover.returned


@pytest.mark.lasts(20)
def test_a_cluster_is_made_for_the_run_and_deleted(api: Amazon, tmp_path: Path) -> None:
    file = experiment(tmp_path, api, CREATE)
    # AWS throttles occasionally: that only delays requests.
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
    """Start a run that creates its cluster, and wait until the cluster is under load."""
    file = experiment(tmp_path, api, CREATE, steady=60)
    process = subprocess.Popen(
        program("run", file, "--out", tmp_path / "run", "--progress", "plain"),
        cwd=tmp_path,
        env={**os.environ, **environment(api)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + LIMIT
    # The observers' file appears when everything is deployed, just before the load starts.
    while not (tmp_path / "run/trials/.0001.part/observed").exists():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.1)
    return process


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_an_interrupted_run_deletes_its_resources(api: Amazon, tmp_path: Path, how: signal.Signals) -> None:
    process = _begun(api, tmp_path)
    process.send_signal(how)
    _, output = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, output
    assert b"interrupted" in output and b"Traceback" not in output
    assert api.clusters() == []


def test_what_a_killed_run_leaves_is_swept(api: Amazon, tmp_path: Path) -> None:
    api.add("foreign", 1)
    process = _begun(api, tmp_path)
    sweep = ("aws", "sweep", "--region", lab_aws.REGION, "--endpoint-url", api.url, "--json")
    env = environment(api)
    used = json.loads(fivenines(*sweep, cwd=tmp_path, env=env).stdout)
    assert [leftover["in_use"] for leftover in used["left"]] == [True]
    process.kill()
    process.wait()
    listed = fivenines(*sweep, cwd=tmp_path, env=env)
    assert listed.returncode == 1
    (leftover,) = json.loads(listed.stdout)["left"]
    assert leftover["cluster"].startswith("fivenines-rds-") and not leftover["in_use"]
    assert len(leftover["instances"]) == 2 and len(api.clusters()) == 2
    done = fivenines(*sweep, "--yes", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert api.clusters() == ["foreign"]
    assert (
        fivenines(*sweep[:-1], cwd=tmp_path, env=env).stdout
        == "No cluster of fivenines is left in this region.\n"
    )


@pytest.mark.lasts(15)
def test_what_cannot_be_deleted_is_named_with_the_command(api: Amazon, tmp_path: Path) -> None:
    process = _begun(api, tmp_path)
    api.tell(refused={"DeleteDBCluster": "InvalidDBClusterStateFault"})
    process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + LIMIT
    while api.tell().count("DeleteDBCluster") < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, output = process.communicate(timeout=LIMIT)
    assert process.returncode == 1, output
    assert b"It costs money until it is deleted: fivenines aws sweep --region" in output
    assert b"Traceback" not in output


def test_rules_of_a_security_group_are_removed_and_restored(
    api: Amazon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**api.environment, "FIVENINES_CACHE": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    ec2 = api.client("ec2")
    group = ec2.create_security_group(GroupName="shop", Description="of the test")["GroupId"]
    api.add("shop", 2, VpcSecurityGroupIds=[group])
    ours = Api(Access(lab_aws.REGION, "", api.url))
    cluster = ours.cluster("shop")
    port = cluster.port
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
        (security_group,) = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
        return sorted(
            permission["FromPort"]
            for permission in security_group["IpPermissions"]
            for _ in permission["IpRanges"]
        )

    assert cluster.groups == (group,) and open_ports() == [22, port, port]
    made = cuts.cut(ours, cluster.groups, cluster.port)
    assert open_ports() == [22]
    # One of two rules is restored by hand: the other one must still be restored.
    ec2.authorize_security_group_ingress(
        GroupId=group, IpPermissions=[{**rules[1], "IpRanges": [{"CidrIp": "10.1.0.0/16"}]}]
    )
    cuts.heal(ours, made)
    assert open_ports() == [22, port, port]
    # Healing twice changes nothing.
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
def test_a_refusal_of_aws_is_one_message(
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
