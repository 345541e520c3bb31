"""MySQL Router: configuration, supported solutions, and the metadata about members."""

import configparser
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.experiment.validation.checks import problems
from fivenines.failover.proxies import router_metadata
from fivenines.failover.proxies.mysql_router import MysqlRouter, MysqlRouterSettings
from fivenines.lab.disks.data_folder import Folder
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.secrets import Passwords
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.group_replication.configuration import GROUP_NAME
from fivenines.solutions.group_replication.innodb_cluster import InnodbClusterSettings
from fivenines.solutions.group_replication.settings import GroupReplicationSettings


def router(folder: Path, reads: tuple[str, ...] = (), **given: Any) -> MysqlRouter:
    settings = MysqlRouterSettings(**{"kind": "mysql-router", **given})
    found = Endpoints(write=("a:1",), read=reads, find="writable", spread="first")
    behind: Any = SimpleNamespace(endpoints=lambda: found, passwords=Passwords(), group_name=GROUP_NAME)
    layer = MysqlRouter(settings, behind)
    (folder / "data").mkdir()
    data = Folder(folder / "data")
    layer.host = SimpleNamespace(node=folder, data=data, address="10.99.0.14", name="proxy")  # type: ignore[assignment]
    for part in ("conf", "run", "log"):
        (folder / part).mkdir()
    return layer


def members(folder: Path) -> list[Mysql]:
    found = []
    for number in (1, 2, 3):
        node = folder / f"node{number}"
        (node / "data").mkdir(parents=True)
        for name in ("server-cert.pem", "server-key.pem"):
            (node / "data" / name).write_text(name)
        host: Any = SimpleNamespace(
            name=node.name, address=f"10.99.0.{10 + number}", node=node, data=Folder(node / "data")
        )
        found.append(Mysql(host, None))  # type: ignore[arg-type]
    return found


def written(folder: Path, **given: Any) -> configparser.ConfigParser:
    (folder / "proxy").mkdir()
    layer, servers = router(folder / "proxy", **given), members(folder)
    layer._write_files(servers)
    layer._take_certificate(servers[0])
    parser = configparser.ConfigParser(default_section="none")
    parser.read(folder / "proxy" / "conf" / "mysqlrouter.conf")
    return parser


def test_the_configuration_file_contains_the_settings(tmp_path: Path) -> None:
    written_settings = written(
        tmp_path,
        ttl=0.2,
        connect_timeout=2,
        read_timeout=3,
        quarantine_threshold=4,
        quarantine_interval=5,
        use_gr_notifications=True,
        split=True,
    )
    cache = written_settings["metadata_cache:group"]
    assert (cache["ttl"], cache["connect_timeout"], cache["read_timeout"]) == ("0.2", "2", "3")
    assert cache["use_gr_notifications"] == "1"
    quarantine = written_settings["destination_status"]
    assert quarantine["error_quarantine_threshold"] == "4"
    assert quarantine["error_quarantine_interval"] == "5"
    ports = {name: written_settings[f"routing:{name}"]["bind_port"] for name in ("write", "read", "split")}
    assert ports == {"write": "6446", "read": "6447", "split": "6450"}
    assert written_settings["routing:split"]["access_mode"] == "auto"
    assert (tmp_path / "proxy/secret/server-key.pem").read_text() == "server-key.pem"
    state = json.loads((tmp_path / "proxy/data/state.json").read_text())["metadata-cache"]
    assert state["group-replication-id"] == GROUP_NAME
    assert state["cluster-metadata-servers"][2] == "mysql://10.99.0.13:3306"


@pytest.mark.parametrize(
    ("mode", "client", "server", "certificate"),
    [
        ("preferred", "PREFERRED", "PREFERRED", True),
        ("passthrough", "PASSTHROUGH", "AS_CLIENT", False),
        ("disabled", "DISABLED", "DISABLED", False),
    ],
)
def test_modes_of_tls(tmp_path: Path, mode: str, client: str, server: str, certificate: bool) -> None:
    written_settings = written(tmp_path, tls=mode)["DEFAULT"]
    assert (written_settings["client_ssl_mode"], written_settings["server_ssl_mode"]) == (client, server)
    assert ("client_ssl_cert" in written_settings) == certificate
    assert (tmp_path / "proxy/secret/server-cert.pem").exists() == certificate


def test_endpoints_use_the_ports_of_router(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    found = router(tmp_path / "a", reads=("b:2",)).endpoints()
    assert (found.write, found.read) == (("10.99.0.14:6446",), ("10.99.0.14:6447",))
    (tmp_path / "b").mkdir()
    found = router(tmp_path / "b", reads=("b:2",), split=True).endpoints()
    assert (found.write, found.read, found.find) == (("10.99.0.14:6450",), (), "any")


def test_members_enable_x_protocol_for_notifications() -> None:
    for notify in (True, False):
        settings = MysqlRouterSettings(kind="mysql-router", use_gr_notifications=notify)
        assert settings.server_settings == {"mysqlx": notify}


def test_metadata_contain_every_members_uuid(tmp_path: Path) -> None:
    text = router_metadata.statements(members(tmp_path), GROUP_NAME)
    rows = next(one for one in text if "INTO mysql_innodb_cluster_metadata.v2_instances" in one)
    for node in members(tmp_path / "again"):
        assert f"'{node.uuid}', '{node.endpoint}'" in rows
    assert any(GROUP_NAME in one for one in text if "v2_gr_clusters VALUES" in one)


def test_invalid_settings_are_reported() -> None:
    access: Any = {"kind": "mysql-router"}
    (problem,) = problems(GaleraSettings(solution="galera", access=access))
    assert problem.startswith("access: mysql-router needs a group")
    assert problems(GroupReplicationSettings(solution="group-replication", access=access)) == []
    (problem,) = problems(
        InnodbClusterSettings(solution="innodb-cluster", access={**access, "connect_timeout": 1.5})
    )
    assert problem.startswith("connect_timeout must be whole seconds")
    split = MysqlRouterSettings(kind="mysql-router", split=True, tls="passthrough")
    assert "split needs tls" in split.problems()[0]


def test_innodb_cluster_is_a_group_behind_router() -> None:
    plain = InnodbClusterSettings(solution="innodb-cluster")
    assert (plain.access.kind, plain.default_name()) == ("mysql-router", "innodb cluster")
    direct = InnodbClusterSettings(solution="innodb-cluster", access="direct")
    assert direct.default_name() == "innodb cluster + direct"


def test_errors_quote_the_log_if_router_ends_or_finds_no_member(tmp_path: Path) -> None:
    (tmp_path / "proxy").mkdir()
    layer = router(tmp_path / "proxy")
    layer._process = SimpleNamespace(alive=False, log_tail=lambda: "it fell over")  # type: ignore[assignment]
    with pytest.raises(FiveninesError, match=r"did not start:\n  it fell over"):
        layer._not_ready()
    log = tmp_path / "proxy/log/mysqlrouter.log"
    log.write_text("10:00 metadata_cache INFO [7f] fine\n10:01 metadata_cache ERROR [7f] nobody\n")
    layer._process.alive = True  # type: ignore[misc]
    assert "it finds no primary that answers" in layer._not_ready()
    assert layer.last_words() == "  10:01 metadata_cache ERROR [7f] nobody"
