"""Aurora: settings, refusals, and requests to Amazon and to servers."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.validation.checks import machine_problem
from fivenines.faults.disks.slow_disk import SlowDiskSettings
from fivenines.faults.disks.storage_failure import StorageFailureSettings
from fivenines.faults.nodes.kill import KillSettings
from fivenines.faults.nodes.restart import RestartSettings
from fivenines.faults.nodes.switchover import SwitchoverSettings
from fivenines.faults.services.stalled_replica import StalledReplicaSettings
from fivenines.servers.external.aurora import OF_MYSQL, WRITER, AuroraLag, AuroraMysql, AuroraPostgres
from fivenines.solutions.aurora import cluster as aurora_cluster
from fivenines.solutions.aurora.aws.api import Described, Instance
from fivenines.solutions.aurora.cluster import (
    Made,
    cluster_values,
    instance_values,
    not_available,
    over_budget,
)
from fivenines.solutions.aurora.faults import crash, run, simulation
from fivenines.solutions.aurora.settings import AuroraSettings

PASSWORD = "AURORA_TEST_PASSWORD"
BASE: dict[str, Any] = {
    "solution": "aurora",
    "engine": "aurora-mysql",
    "name": "shop",
    "user": "app",
    "database": "shop",
    "password_env": PASSWORD,
    "cluster": "shop-1",
}
CREATE: dict[str, Any] = {"cluster": "", "create": {"instance_class": "db.r6g.large"}, "price_per_hour": 0.3}
THERE = Described(
    "shop-1",
    "aurora-mysql",
    "8.0",
    "available",
    "w.example",
    "r.example",
    3306,
    (
        Instance("a", "available", True, "a.example", 3306),
        Instance("b", "available", False, "b.example", 3306),
    ),
)


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "secret-secret")


def aurora(**given: Any) -> AuroraSettings:
    return AuroraSettings(**{**BASE, **given})


def parsed(text: str) -> Any:
    return parse_experiment(text, "x.yaml")


def file(solution: str = "cluster: shop-1", **given: str) -> str:
    lines = {
        "name": "x",
        "workloads": "[oltp_read_only]",
        "solutions": f"[{{solution: aurora, engine: aurora-mysql, {solution}, user: app, database: shop, "
        f"password_env: {PASSWORD}}}]",
        **given,
    }
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cluster": ""}, "cluster: name an existing cluster, or set `create`"),
        ({"create": CREATE["create"]}, "cluster: name an existing cluster, or set `create`"),
        ({"cluster": "-x"}, "cluster: '-x' is not a cluster identifier"),
        ({"password_env": "NOBODY_HAS_THIS"}, "the environment has no variable NOBODY_HAS_THIS"),
        ({"budget": 5}, "budget: it applies only to a cluster that `create` creates"),
        ({"tls_ca": "ca.pem"}, "prefer verifies no certificate"),
        ({"durability": "relaxed"}, "durability: fivenines does not set up"),
        ({**CREATE, "create": {"instance_class": "large"}}, "classes begin with db."),
        (
            {**CREATE, "create": {"instance_class": "db.x", "storage": 100}},
            "Aurora's storage grows by itself",
        ),
        ({**CREATE, "engine": "rds-mysql"}, "a Multi-AZ cluster has two readers"),
        ({**CREATE, "engine": "rds-mysql", "readers": 2}, "a Multi-AZ cluster needs a size in GiB"),
    ],
)
def test_invalid_settings_are_reported(given: dict[str, Any], message: str) -> None:
    assert any(message in problem for problem in aurora(**given).problems())


def test_a_cluster_from_the_environment_may_be_missing_until_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = aurora(cluster="", cluster_env="AURORA_TEST_CLUSTER", password_env="NOBODY_HAS_THIS")
    assert settings.problems() == []
    assert "set AURORA_TEST_CLUSTER and NOBODY_HAS_THIS" in machine_problem(settings)
    monkeypatch.setenv("NOBODY_HAS_THIS", "secret-secret")
    monkeypatch.setenv("AURORA_TEST_CLUSTER", "-x")
    assert "'-x', which is not a cluster identifier" in machine_problem(settings)
    monkeypatch.setenv("AURORA_TEST_CLUSTER", "shop-2")
    assert machine_problem(settings) == ""
    assert aurora_cluster.name_of(settings) == "shop-2"


def test_a_cluster_is_named_in_one_way() -> None:
    settings = aurora(cluster_env="AURORA_TEST_CLUSTER")
    assert any("exactly one of the two" in problem for problem in settings.problems())
    assert machine_problem(aurora()) == ""


def test_a_password_that_rds_refuses_is_reported_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "short")
    assert aurora().problems() == []
    assert "8 characters or more" in aurora(**CREATE).problems()[0]


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ("[{fault: freeze}]", "freeze needs a lab"),
        ("[{fault: partition}]", "a security group applies to the whole cluster"),
        ("[{fault: slow-disk, duration: null}]", "write one"),
        ("[{fault: restart, duration: 2s}]", "Amazon decides how long a reboot takes"),
        ("[{fault: repeat, of: {fault: freeze, target: replica}, every: 1s}]", "freeze needs a lab"),
    ],
)
def test_faults_without_support_of_amazon_are_refused(faults: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parsed(file(faults=faults))


def test_faults_of_aurora_are_refused_for_multi_az_clusters() -> None:
    multi = aurora(engine="rds-postgres", readers=2)
    for fault in (KillSettings(fault="kill"), RestartSettings(fault="restart")):
        assert "Multi-AZ" in multi.checks.problems_with_fault(fault)[0]
    to = SwitchoverSettings(fault="switchover", to="shop-2")
    assert multi.checks.problems_with_fault(to) == []
    assert (
        "does not support choosing" in aurora(engine="rds-mysql", readers=2).checks.problems_with_fault(to)[0]
    )
    assert aurora().checks.problems_with_fault(KillSettings(fault="kill")) == []


def test_faults_with_support_of_amazon_are_accepted() -> None:
    parsed(
        file(
            faults="[{fault: switchover, to: shop-2}, kill, host-kill, restart, slow-disk, stalled-replica, "
            "storage-failure, {fault: partition, target: all}]"
        )
    )


def test_other_solutions_neither_choose_a_successor_nor_have_such_storage() -> None:
    text = file(solutions="[hot-standby]", faults="[{fault: switchover, to: node2}]")
    with pytest.raises(UsageError, match="hot-standby does not let users choose the new primary"):
        parsed(text)
    with pytest.raises(UsageError, match="standalone has no replicated storage"):
        parsed(file(solutions="[standalone]", faults="[storage-failure]"))


def test_it_is_an_external_cluster_at_the_addresses_of_the_api() -> None:
    plain = aurora().as_external(THERE)
    assert plain.write == ["w.example:3306"] and plain.read == []
    assert plain.members == {"a": "a.example:3306", "b": "b.example:3306"}
    smart = aurora(connect="instances", reads="replicas", engine="rds-postgres").as_external(THERE)
    assert smart.write == ["a.example:3306", "b.example:3306"]
    assert smart.read == ["r.example:3306"] and smart.engine == "external-postgres"
    assert plain.problems() == smart.problems() == []


def test_a_cluster_that_is_not_ready_is_reported_with_the_reason() -> None:
    assert not_available(THERE) == ""
    waiting = Instance("b", "creating", False)
    there = Described("x", "", "", "available", "", "", 1, (waiting,))
    assert not_available(there) == "b is creating; b has no address yet"
    assert not_available(Described("x", "", "", "creating", "", "", 1, ())) == "the cluster x is creating"


@pytest.mark.parametrize(
    ("family", "settings", "statement"),
    [
        (
            "mysql",
            SlowDiskSettings(fault="slow-disk", delay=0.25, duration=4.2),
            "ALTER SYSTEM SIMULATE 100 PERCENT DISK CONGESTION BETWEEN 250 AND 250 MILLISECONDS FOR INTERVAL "
            "5 SECOND",
        ),
        (
            "mysql",
            StorageFailureSettings(fault="storage-failure", percent=12.5),
            "ALTER SYSTEM SIMULATE 12.5 PERCENT DISK FAILURE FOR INTERVAL 10 SECOND",
        ),
        (
            "mysql",
            StalledReplicaSettings(fault="stalled-replica"),
            'ALTER SYSTEM SIMULATE 100 PERCENT READ REPLICA FAILURE TO "b" FOR INTERVAL 5 SECOND',
        ),
        (
            "postgresql",
            StalledReplicaSettings(fault="stalled-replica"),
            "SELECT aurora_inject_replica_failure(100, 5, 'b')",
        ),
        (
            "postgresql",
            SlowDiskSettings(fault="slow-disk"),
            "SELECT aurora_inject_disk_congestion(100, disk, true, 5, 100, 100) FROM generate_series(0, "
            "(SELECT disks - 1 FROM aurora_show_volume_status())) AS disk",
        ),
        (
            "postgresql",
            StorageFailureSettings(fault="storage-failure"),
            "SELECT aurora_inject_disk_failure(50, disk, true, 10) FROM generate_series(0, (SELECT disks - 1 "
            "FROM aurora_show_volume_status())) AS disk",
        ),
    ],
)
def test_statements_of_simulations(family: Any, settings: Any, statement: str) -> None:
    assert simulation(family, settings, "b") == statement


def test_statements_of_crashes() -> None:
    assert crash("mysql", "kill") == "ALTER SYSTEM CRASH INSTANCE"
    assert crash("mysql", "host-kill") == "ALTER SYSTEM CRASH NODE"
    assert crash("postgresql", "kill") == "SELECT aurora_inject_crash('instance')"


class Asked:
    """A server with fixed answers."""

    name = "a"
    engine = SimpleNamespace(family="mysql", name="aurora-mysql")

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.sql = self

    def query(self, _sql: str) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_crash_ends_the_connection_that_requested_it() -> None:
    lost = Asked(OSError("(2013, 'Lost connection to MySQL server during query')"))
    assert run(None, "kill", lost) == "ALTER SYSTEM CRASH INSTANCE on a"  # type: ignore[arg-type]
    refused = Asked(OSError("(1064, 'You have an error in your SQL syntax')"))
    with pytest.raises(FiveninesError, match="a refuses ALTER SYSTEM CRASH INSTANCE"):
        run(None, "kill", refused)  # type: ignore[arg-type]


def test_a_reboot_uses_the_api() -> None:
    asked: list[str] = []
    assert run(SimpleNamespace(reboot=asked.append), "restart", Asked([])).endswith("of a")  # type: ignore[arg-type]
    assert asked == ["a"]


def test_requests_of_a_creation() -> None:
    settings = aurora(
        **{
            **CREATE,
            "create": {"instance_class": "db.r6g.large", "zones": ["x", "y"], "security_groups": ["sg-1"]},
        }
    )
    assert settings.create is not None
    values = cluster_values(settings, settings.create, "pw")
    assert values == {
        "Engine": "aurora-mysql",
        "MasterUsername": "app",
        "MasterUserPassword": "pw",
        "DatabaseName": "shop",
        "BackupRetentionPeriod": 1,
        "DeletionProtection": False,
        "VpcSecurityGroupIds": ["sg-1"],
    }
    zones = [instance_values(settings, settings.create, n)["AvailabilityZone"] for n in range(3)]
    assert zones == ["x", "y", "x"]
    multi = aurora(
        **{
            **CREATE,
            "engine": "rds-mysql",
            "readers": 2,
            "create": {"instance_class": "db.m5d.large", "storage": 100, "iops": 3000},
        }
    )
    assert multi.create is not None
    asked = cluster_values(multi, multi.create, "pw")
    assert asked["Engine"] == "mysql" and asked["DBClusterInstanceClass"] == "db.m5d.large"
    assert (asked["AllocatedStorage"], asked["Iops"]) == (100, 3000)


def test_created_clusters_cost_money_and_existing_ones_do_not() -> None:
    made = aurora(**CREATE).charge(3600)
    assert made is not None and made.count == 2 and made.price == 0.3
    assert made.seconds == 3600 + 1500
    assert aurora().charge(3600) is None
    assert aurora(**CREATE, endpoint_url="http://127.0.0.1:1").charge(3600) is None


def test_the_budget_ends_the_run_before_the_trial_that_exceeds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = aurora(**CREATE, budget=0.5)
    assert over_budget(settings, 1e6) == ""  # nothing is made
    made = Made("fivenines-shop-1", 2, 0.3)
    monkeypatch.setitem(aurora_cluster._made, settings.model_dump_json(), made)
    assert over_budget(settings, 60) == ""
    assert over_budget(settings, 3600) == (
        "shop would have cost 0.60 after one more trial, but its budget is 0.50"
    )


class Reported:
    """A session with Aurora."""

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self.rows = list(rows)

    def ask(self, _statement: str) -> Any:
        return self


def test_a_replica_reports_its_own_lag_and_a_writer_none() -> None:
    reported: Any = Reported(("a", WRITER, 0.0), ("b", "5f2a", 17.5), ("c", "77aa", None))

    def read(name: str) -> list[Any]:
        return list(AuroraLag(name, "").read(reported, lambda: 0.0))

    assert read("b") == [("b", "AuroraReplicaLag", 17.5, "ms")]
    assert read("c") == [("c", "AuroraReplicaLag", None, "ms")]
    assert read("a") == []


def _server(kind: type[Any], rows: list[tuple[Any, ...]], writes: bool, name: str = "b") -> Any:
    server = object.__new__(kind)
    server._status = "SELECT"
    server.host = SimpleNamespace(name=name)
    server.sql = SimpleNamespace(query=lambda _sql: rows)
    server.writable = lambda: writes
    return server


@pytest.mark.parametrize("kind", [AuroraMysql, AuroraPostgres])
def test_a_replica_with_little_lag_has_caught_up(kind: type[Any]) -> None:
    def reader(lag: float | None) -> Any:
        return _server(kind, [("a", WRITER, 0), ("b", "s", lag)], False)

    writer = _server(kind, [("a", WRITER, 0), ("b", "s", 20.0)], True, "a")
    assert reader(20.0).behind(writer) == "" and reader(20.0).follows() == ""
    assert reader(None).lags() == {"b": None}
    late = _server(kind, [("a", WRITER, 0), ("b", "s", 900.0)], True, "a")
    assert reader(20.0).behind(late) == "Aurora reports a lag of 900 ms for b"
    unknown = _server(kind, [("a", WRITER, 0)], False)
    assert unknown.follows() == "Aurora does not list b as a replica"
    assert unknown.behind(unknown) == "Aurora reports no lag of b"


def test_the_current_table_is_preferred_to_the_old_one() -> None:
    server: Any = object.__new__(AuroraMysql)
    there = ["ro_replica_status"]
    server.sql = SimpleNamespace(
        query=lambda sql: [(1,)] if any(f"'{name}'" in sql for name in there) else []
    )
    assert server._statement() == (
        "SELECT server_id, session_id, replica_lag_in_msec FROM mysql.ro_replica_status"
    )
    there.append("replica_host_status")
    assert next(iter(OF_MYSQL)) in server._statement()
    there.clear()
    assert server._statement() == ""


def test_the_watch_leaves_aurora_postgresql_out() -> None:
    server: Any = object.__new__(AuroraPostgres)
    server.engine = SimpleNamespace(name="aurora-postgresql")
    assert server.watched_at == ""


def test_the_file_is_found(tmp_path: Path) -> None:
    text = file(solution="create: {instance_class: db.r6g.large}, budget: 3")
    assert parsed(text).solutions[0].name == "aurora-mysql"
