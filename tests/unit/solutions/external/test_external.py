"""An existing cluster: its settings, its refusals, and the meaning of its servers' answers."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError, UsageError
from fivenines.experiment.source import parse_experiment
from fivenines.lab.this_machine import ThisMachine
from fivenines.servers.daemon import daemon
from fivenines.servers.external.kinds import external_server, gtids_missing
from fivenines.servers.external.monitoring import _without_secrets
from fivenines.solutions.external.settings import ExternalSettings
from fivenines.solutions.external.solution import External

BASE: dict[str, Any] = {
    "solution": "external",
    "engine": "external-postgres",
    "name": "ours",
    "user": "app",
    "database": "shop",
    "members": {"db1": "192.0.2.1:5432", "db2": "192.0.2.2"},
}


def external(**given: Any) -> ExternalSettings:
    return ExternalSettings(**{**BASE, **given})


def file(**given: str) -> str:
    lines = {
        "name": "x",
        "workloads": "[oltp_read_only]",
        "solutions": "[{solution: external, engine: external-mariadb, write: ['db:3306', 'db2:3306'], "
        "user: app, database: shop}]",
        **given,
    }
    return "".join(f"{key}: {value}\n" for key, value in lines.items())


def test_members_and_endpoints_are_named() -> None:
    named = external()
    assert {name: str(address) for name, address in named.addresses().items()} == {
        "db1": "192.0.2.1:5432",
        "db2": "192.0.2.2:5432",
    }
    alone = external(members={}, write=["vip:6432"], read=["vip:6433", "vip:6432"])
    assert {name: str(address) for name, address in alone.addresses().items()} == {
        "node1": "vip:6432",
        "node2": "vip:6433",
    }
    assert (named.traits.nodes, alone.traits.nodes) == (2, 2)
    assert named.problems() == alone.problems() == []
    assert named.traits.single_writer and not external(writers="all").traits.single_writer


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"members": {}}, "write: name the endpoints for writes, or the members"),
        ({"members": {"a b": "h:1"}}, "members: 'a b' is not a valid name"),
        ({"members": {"client": "h:1"}}, "members: 'client' is not a valid name"),
        ({"write": ["h:0"]}, "a port is a number from 1 to 65535"),
        ({"write": ["/run/x.sock"]}, "is not host:port"),
        ({"password_env": "NOBODY_HAS_THIS"}, "the environment has no variable NOBODY_HAS_THIS"),
        ({"tls_ca": "ca.pem"}, "prefer verifies no certificate"),
        ({"server": {"work_mem": "1GB"}}, "server: fivenines does not set up this cluster"),
        ({"durability": "relaxed"}, "durability: fivenines does not set up this cluster"),
        ({"access": {"kind": "haproxy"}}, "access: fivenines does not set up this cluster"),
        ({"limits": {"cpus": 1.0}}, "limits: fivenines does not set up this cluster"),
        ({"reads": "replicas"}, "reads: name the endpoints for reads in `read:`"),
    ],
)
def test_invalid_settings_are_reported(given: dict[str, Any], message: str) -> None:
    assert any(message in problem for problem in external(**given).problems())


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("faults", "[{fault: kill}]", "Set `hooks.kill` and `hooks.restart`"),
        ("faults", "[{fault: slow-disk}]", "slow-disk needs a lab"),
        ("faults", "[{fault: repeat, of: {fault: freeze, target: replica}, every: 1s}]", "hooks.thaw"),
        ("network", "[{name: far, sites: [a, b], link: {rtt: 10ms}}]", "'far' is not possible"),
    ],
)
def test_faults_that_need_control_are_refused_with_file_and_line(key: str, value: str, message: str) -> None:
    with pytest.raises(UsageError, match=r"x\.yaml:4:") as refused:
        parse_experiment(file(**{key: value}), "x.yaml")
    assert message in str(refused.value)


def test_a_hook_with_an_unknown_placeholder_is_refused_with_file_and_line() -> None:
    hooks = "{kill: 'ssh {node} halt', restart: 'ssh ${host} boot', heal: 'if'}"
    solution = (
        "[{solution: external, engine: external-mariadb, write: ['db:1'], user: a, database: b,\n"
        f" hooks:\n  {hooks}}}]"
    )
    with pytest.raises(UsageError, match=r"x\.yaml:5:38: ") as refused:
        parse_experiment(file(solutions=solution), "x.yaml")
    assert "hooks.restart: write {host}: ${host} is a variable of the shell" in str(refused.value)
    assert "hooks.heal: line 1: syntax error: " in str(refused.value)


@pytest.mark.parametrize(
    "fault",
    [
        "{fault: command, inject: 'true'}",
        "{fault: connection-storm}",
        "{fault: long-transaction}",
        "{fault: sequence, steps: [{fault: {fault: command, inject: 'true'}}]}",
    ],
)
def test_faults_that_need_no_control_are_accepted(fault: str) -> None:
    parse_experiment(file(faults=f"[{fault}]"), "x.yaml")


BY_ODBC = (
    "[{solution: external, engine: external-mariadb, write: ['db:3306'], user: app, database: shop, "
    "odbc: 'DSN=x;Server={host};Port={port}'}]"
)


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (f"{{tls: verify-full, tls_ca: {__file__}}}", r"load\.tls and load\.tls_ca: no effect"),
        ("{rate: 10, keepalive: null}", r"load\.keepalive: no effect"),
        ("{keepalive: {idle: 3s}, tcp_user_timeout: 5s}", r"load\.keepalive and load\.tcp_user_"),
    ],
)
def test_settings_that_odbc_drivers_ignore_are_refused_with_file_and_line(load: str, message: str) -> None:
    with pytest.raises(UsageError, match=rf"x\.yaml:4:\d+: {message}") as refused:
        parse_experiment(file(solutions=BY_ODBC, load=load), "x.yaml")
    said_once = str(refused.value)
    assert "keyword of the driver in `odbc`" in said_once and said_once.count("x.yaml:") == 1
    if "tls_ca" not in load:
        parse_experiment(file(load=load), "x.yaml")


ANY: dict[str, Any] = {
    "engine": "external-odbc",
    "odbc": "DSN={host}",
    "members": {},
    "write": ["one", "two"],
}


def test_a_cluster_of_any_dbms_is_named_by_data_sources_or_ports() -> None:
    assert external(**ANY).problems() == []
    assert [str(one) for one in external(**ANY).addresses().values()] == ["one:0", "two:0"]
    with_port = external(**{**ANY, "odbc": "Driver=x;Host={host},{port}", "write": ["one:1521"]})
    assert with_port.problems() == []
    assert with_port.connection_string(with_port.addresses()["node1"]) == "Driver=x;Host=one,1521"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"odbc": ""}, "odbc: external-odbc needs a connection string"),
        ({"odbc": "DSN=x"}, r"odbc: it must contain {host}"),
        ({"odbc": "Server={host}:{port}"}, "write: 'one' has no port, but `odbc` contains {port}"),
        ({"tls": "require"}, "tls: an ODBC driver controls TLS"),
        ({"dialect": "oracle"}, "find: fivenines has no query for the role in oracle"),
    ],
)
def test_invalid_settings_of_odbc_are_reported(given: dict[str, Any], message: str) -> None:
    assert message in "; ".join(external(**{**ANY, **given}).problems())


def test_a_dialect_without_roles_works_with_find_any() -> None:
    assert external(**{**ANY, "dialect": "oracle", "find": "any"}).problems() == []
    assert external(**{**ANY, "dialect": "oracle", "write": ["vip"]}).problems() == []
    assert external(**{**ANY, "dialect": "soliddb"}).problems() == []
    observed = external(dialect="oracle").problems()
    assert observed == ["dialect: external-postgres has a fixed dialect: leave it out"]


def test_unsupported_workloads_alongside_the_load_are_refused() -> None:
    section = (
        "[{solution: external, engine: external-odbc, dialect: DIALECT, odbc: 'DSN={host}', write: [db], "
        "user: app, database: shop}]"
    )
    ledger = "{bank: {rate: 5}}"
    with pytest.raises(UsageError, match=r"ledger\.bank: not possible with .*the SQL of soliddb"):
        parse_experiment(file(solutions=section.replace("DIALECT", "soliddb"), ledger=ledger), "x.yaml")
    parse_experiment(file(solutions=section.replace("DIALECT", "postgres"), ledger=ledger), "x.yaml")


@pytest.mark.parametrize("fault", ["connection-storm", "long-transaction"])
def test_faults_in_the_sql_of_other_dbms_are_refused(fault: str) -> None:
    section = (
        "[{solution: external, engine: external-odbc, odbc: 'DSN={host}', write: [db], user: app, "
        "database: shop}]"
    )
    with pytest.raises(UsageError, match="it exists only for PostgreSQL, MariaDB and MySQL"):
        parse_experiment(file(solutions=section, faults=f"[{{fault: {fault}}}]"), "x.yaml")


def test_a_default_load_uses_odbc() -> None:
    parse_experiment(file(solutions=BY_ODBC, load="{rate: 10, tls: disable}"), "x.yaml")


def test_hooks_allow_the_faults_that_they_are_for() -> None:
    hooks = "hooks: {kill: 'ssh {node} kill', restart: 'ssh {node} start'}"
    solutions = (
        "[{solution: external, engine: external-mysql, write: ['db:3306', 'db2:3306'], user: app, "
        f"database: shop, {hooks}}}]"
    )
    parse_experiment(file(solutions=solutions, faults="[{fault: kill}]"), "x.yaml")
    with pytest.raises(UsageError, match=r"Set `hooks\.stop`"):
        parse_experiment(file(solutions=solutions, faults="[{fault: stop}]"), "x.yaml")


def test_secrets_are_not_written_down() -> None:
    observed = {
        "primary_conninfo": "host=a password=hidden",
        "archive_command": "aws s3 cp %p",
        "wsrep_sst_auth": "u:p",
        "anything": "PASSWORD=x",
        "max_connections": "100",
        "archive_mode": "",
    }
    kept = _without_secrets(observed)
    assert [name for name, value in kept.items() if value == "***"] == list(observed)[:4]
    assert kept["max_connections"] == "100"


@pytest.mark.parametrize(
    ("written", "applied", "missing"),
    [
        ("0-1-5", "0-1-5", False),
        ("0-1-5", "0-2-6", False),
        ("0-1-5", "0-1-4", True),
        ("0-1-5,7-1-2", "0-1-5", True),
        ("", "", False),
        ("0-1-5", "", True),
    ],
)
def test_gtid_positions_are_compared_by_domain(written: str, applied: str, missing: bool) -> None:
    assert gtids_missing(written, applied) is missing


class _Observed:
    """A cluster whose servers give the test's answers."""

    def __init__(self, folder: Path, **given: Any) -> None:
        settings = external(**given)
        engine: Any = SimpleNamespace(family="postgresql", name="external-postgres")
        self.solution = External(settings, ThisMachine(folder / "here"), engine, Path())
        self.writing: set[str] = set()
        for name, address in settings.addresses().items():
            node: Any = self.solution._server(name, address)
            node.accepts_writes = lambda name=name: name in self.writing
            node.answers = lambda: True
            self.solution.nodes.append(node)


def test_the_primary_is_the_writable_member(tmp_path: Path) -> None:
    observed = _Observed(tmp_path)
    observed.writing = {"db1"}
    assert observed.solution.roles.by_name() == {"db1": "primary", "db2": "replica"}
    observed.writing = {"db2"}
    assert observed.solution.roles.by_name() == {"db1": "replica", "db2": "primary"}
    observed.writing = {"db1", "db2"}
    assert observed.solution.roles.by_name() == {"db1": "unexpected-primary", "db2": "primary"}


def test_with_all_writable_there_is_no_unexpected_primary(tmp_path: Path) -> None:
    observed = _Observed(tmp_path, writers="all")
    observed.writing = {"db1", "db2"}
    assert observed.solution.roles.by_name() == {"db1": "primary", "db2": "replica"}


def test_endpoints_come_from_the_settings(tmp_path: Path) -> None:
    direct = _Observed(tmp_path).solution.endpoints()
    assert (direct.write, direct.find) == (["192.0.2.1:5432", "192.0.2.2:5432"], "writable")
    proxied = _Observed(tmp_path, write=["vip:1"], read=["vip:2"]).solution.endpoints()
    assert (proxied.write, proxied.read, proxied.find) == (["vip:1"], ["vip:2"], "any")


def test_a_failing_hook_is_reported_with_its_output(tmp_path: Path) -> None:
    solution = _Observed(tmp_path, hooks={"kill": "echo {node} {host} {port}; exit 7"}).solution
    with pytest.raises(FiveninesError, match=r"hook `kill` for db1 failed: exit code 7 .*db1 192.0.2.1 5432"):
        solution.hook("kill", solution.nodes[0])
    log = solution.nodes[0].host.node / "log" / "hook-kill.log"
    assert "db1 192.0.2.1 5432" in log.read_text()
    with pytest.raises(FiveninesError, match="has no hook `freeze`"):
        solution.hook("freeze", solution.nodes[0])


def test_servers_elsewhere_are_neither_configured_nor_started(tmp_path: Path) -> None:
    node = _Observed(tmp_path).solution.nodes[0]
    for action in (lambda: node.setup, lambda: daemon(node)):
        with pytest.raises(
            FiveninesError, match="is an external server: fivenines neither starts nor stops it"
        ):
            action()
    assert node.watched_at == "192.0.2.1:5432"
    assert node.tls_flags() == ["--tls", "prefer"]


@pytest.mark.parametrize("family", ["postgresql", "mariadb", "mysql"])
def test_every_family_has_its_servers(family: str, tmp_path: Path) -> None:
    engine: Any = SimpleNamespace(family=family)
    target: Any = SimpleNamespace(
        host="::1", port=3, user="u", password="p", database="d", tls="require", tls_ca=""
    )
    one = external_server(ThisMachine(tmp_path / "h").add_external("a", "::1"), engine, target)
    assert (one.endpoint, one.watched_at, one.database) == ("[::1]:3", "", "d")
