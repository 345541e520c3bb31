"""The configuration of every solution, rendered without starting anything."""

import re
from typing import Any

import pytest

from fivenines.base import plugins
from fivenines.experiment.source import solution_from
from fivenines.lab.settings import NetworkSettings
from fivenines.results.configuration import MARK, Configuration
from fivenines.software.stand_in import StandIn
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.deployment import rendering
from fivenines.trial.deployment.rendering import rendered

_KINDS = plugins.kinds("fivenines.solutions", SolutionSettings, "solution")
_DEPLOYED = sorted(name for name, kind in _KINDS.items() if not kind.external)

# Settings that a solution cannot do without.
_NEEDED: dict[str, dict[str, Any]] = {
    "cluster-pair": {"a": {"solution": "galera"}, "b": {"solution": "galera"}}
}

# Further access layers and managers, each with a solution that can have it, and the file that it adds.
_PARTS: list[tuple[str, dict[str, Any], str]] = [
    ("galera", {"access": {"kind": "haproxy"}}, "haproxy.cfg"),
    ("galera", {"arbiter": True, "size": 2}, "garbd.cnf"),
    ("patroni", {}, "patroni.yml"),
    ("patroni", {}, "etcd.yml"),
    ("innodb-cluster", {}, "mysqlrouter.conf"),
    ("innodb-cluster", {}, "state.json"),
    ("drbd", {}, "r0.res"),
    ("drbd", {}, "cib.xml"),
    ("drbd", {}, "resources.xml"),
    ("ndb", {}, "config.ini"),
    ("hot-standby", {}, "postgresql.auto.conf"),
    ("hot-standby", {}, "standby.signal"),
    ("hot-standby", {}, "operator.json"),
    ("replication", {}, "join.sql"),
    ("group-replication", {}, "join.sql"),
    ("replication", {"manager": {"kind": "mha"}}, "mha.cnf"),
    (
        "replication",
        {"mode": "after_sync", "manager": {"kind": "pacemaker"}, "access": {"kind": "virtual-address"}},
        "corosync.conf",
    ),
]


def _of(name: str, **given: Any) -> Configuration:
    return rendered(solution_from({"solution": name, **_NEEDED.get(name, {}), **given}, "test"))


def _require_marked(configuration: Configuration) -> None:
    """Require that no line with a path or an address of the lab lacks its comment."""
    for file in configuration.files:
        if file.commentable:
            for number, line in enumerate(file.text.splitlines(), start=1):
                if "/run/node/" in line or re.search(r"\b10\.99\.0\.\d+", line):
                    assert number in file.marks, f"{file.path}: {line}"
            assert file.annotated().count(MARK) == len(file.marks)


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("name", _DEPLOYED)
def test_each_solution_has_files_with_or_without_its_engine(
    monkeypatch: pytest.MonkeyPatch, name: str, installed: bool
) -> None:
    if not installed:
        monkeypatch.setattr(rendering, "installed_or_stand_in", StandIn)
    configuration = _of(name)
    servers = [file for file in configuration.files if file.name in ("my.cnf", "postgresql.conf")]
    assert servers and all(file.text for file in servers)
    assert not re.search(r"(?<![0-9a-f-])[0-9a-f]{32}(?![0-9a-f-])", configuration.model_dump_json()), (
        "passwords are 32 hexadecimal digits"
    )
    _require_marked(configuration)


@pytest.mark.parametrize("name", sorted(set(_KINDS) - set(_DEPLOYED)))
def test_nothing_is_written_for_external_clusters(name: str) -> None:
    kind: Any = _KINDS[name]
    assert rendered(kind.model_construct(solution=name)) == Configuration(files=[])


@pytest.mark.parametrize(("name", "given", "file"), _PARTS)
def test_parts_of_a_deployment_add_their_files(name: str, given: dict[str, Any], file: str) -> None:
    configuration = _of(name, **given)
    assert file in [one.name for one in configuration.files]
    _require_marked(configuration)


def test_a_standby_knows_its_primary() -> None:
    configuration = _of("hot-standby", standbys=2)
    (first, second, third) = [one for one in configuration.files if one.name == "postgresql.auto.conf"]
    assert "primary_conninfo" not in first.text and "ANY 1 (node2, node3)" in first.text
    assert "host=10.99.0.11 " in second.text and "application_name=node3" in third.text
    assert [one.host for one in configuration.files if one.name == "standby.signal"] == ["node2", "node3"]


def test_sql_that_joins_a_node_has_no_password() -> None:
    texts = [one.text for one in _of("replication").files if one.name == "join.sql"]
    assert len(texts) == 2 and all("MASTER_PASSWORD='***'" in text for text in texts)


def test_what_the_user_sets_is_not_marked() -> None:
    def marked(**server: object) -> set[str]:
        (file,) = [one for one in _of("standalone", server=server).files if one.name == "postgresql.conf"]
        lines = file.text.splitlines()
        return {lines[number - 1].split()[0] for number in file.marks}

    usual = marked()
    assert {"shared_buffers", "log_line_prefix", "unix_socket_directories"} <= usual
    assert usual - marked(shared_buffers="1GB") == {"shared_buffers"}


def test_passwords_in_settings_and_templates_are_hidden() -> None:
    server = {"archive_command": "copy --password=hunter2 %p", "archive_mode": "on"}
    (file,) = [one for one in _of("standalone", server=server).files if one.name == "postgresql.conf"]
    assert "hunter2" not in file.text and "--password=***" in file.text
    quoted = {"archive_command": "copy password='it is' user=y", "archive_mode": "on"}
    (file,) = [one for one in _of("standalone", server=quoted).files if one.name == "postgresql.conf"]
    assert "it is" not in file.text and "user=y" in file.text
    program = {
        "kind": "program",
        "root": "/",
        "command": ["proxy"],
        "write_port": 6432,
        "files": {"proxy.ini": "user = {{ application.user }}\nkey {{ application.password }}\n"},
    }
    (own,) = _of("hot-standby", access=program).of("proxy").files
    assert own.text == "user = app\nkey ***\n"


def test_sites_determine_the_segments_of_galera() -> None:
    settings = solution_from({"solution": "galera", "segments": True}, "test")
    network = NetworkSettings.model_validate({"sites": ["east", "west"], "link": {"rtt": "10ms"}})
    files = rendered(settings, network).files
    assert ["gmcast.segment=1" in file.text for file in files] == [False, True, False]
