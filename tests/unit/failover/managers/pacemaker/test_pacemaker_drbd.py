"""Pacemaker's configuration for a replicated disk, and its settings."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from fivenines.failover.managers.pacemaker.cib import with_resources
from fivenines.failover.managers.pacemaker.drbd_servers import prepare, server_agent, write_client
from fivenines.failover.managers.pacemaker.drbd_settings import PacemakerDrbdSettings
from fivenines.failover.managers.pacemaker.pacemaker_drbd import CLONE, disk, followers
from fivenines.servers.base import Server
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.drbd.settings import DrbdSettings
from fivenines.solutions.standalone import StandaloneSettings


def _settings(**given: Any) -> PacemakerDrbdSettings:
    return PacemakerDrbdSettings(kind="pacemaker-drbd", **given)


def _server(kind: type[Server], node: Path) -> Any:
    host: Any = SimpleNamespace(name="node1", address="10.99.0.11", node=node)
    engine: Any = SimpleNamespace(program=lambda name: f"/run/engine/bin/{name}")
    return kind(host, engine)


def _configuration(
    settings: PacemakerDrbdSettings, agent: str = "", kind: type[Server] = Mariadb, never: str = ""
) -> Xml.Element:
    server = server_agent(settings, _server(kind, Path("/run/node")))
    text = with_resources(
        disk(settings, "r0"),
        followers(settings, "/dev/drbd0", server),
        ["node1", "node2"],
        agent,
        clone=CLONE,
        prefer="node1",
        never=never,
        stickiness=100,
    )
    return Xml.fromstring(text)


def _group(found: Xml.Element) -> list[str | None]:
    return [one.get("type") for one in found.iterfind("resources/group/primitive")]


def test_the_disk_is_promoted_then_mounted_then_the_server_and_the_address() -> None:
    found = _configuration(_settings())
    clone = found.find("resources/clone/primitive")
    assert clone is not None and (clone.get("provider"), clone.get("type")) == ("linbit", "drbd")
    assert _group(found) == ["Filesystem", "mysql", "IPaddr2"]
    assert _group(_configuration(_settings(), kind=Postgres)) == ["Filesystem", "pgsql", "IPaddr2"]
    anything = _configuration(_settings(server_agent="anything"))
    assert _group(anything) == ["Filesystem", "anything", "IPaddr2"]
    together, order = found.find("constraints/rsc_colocation"), found.find("constraints/rsc_order")
    assert together is not None and order is not None
    assert (together.get("with-rsc"), together.get("with-rsc-role")) == (CLONE, "Promoted")
    assert (order.get("first-action"), order.get("then-action")) == ("promote", "start")


def test_it_starts_on_the_first_node_without_preferring_it() -> None:
    rule = _configuration(_settings()).find("constraints/rsc_location/rule")
    assert rule is not None and rule.get("score") == "1", "less than any score of DRBD's agent"
    stays = _configuration(_settings()).find("rsc_defaults/meta_attributes/nvpair")
    assert stays is not None and stays.get("value") == "100", "and more than that: it stays"


def test_a_witness_votes_and_has_no_probes() -> None:
    assert not _banned(_configuration(_settings()))
    banned = _banned(_configuration(_settings(), never="witness"))
    assert banned == {CLONE, "p_files", "p_server", "p_address"}


def _banned(found: Xml.Element) -> set[str | None]:
    return {
        one.get("rsc")
        for one in found.iterfind("constraints/rsc_location")
        if (one.get("node"), one.get("score")) == ("witness", "-INFINITY")
        and one.get("resource-discovery") == "never"
    }


def test_the_monitors_of_disks_have_different_intervals() -> None:
    monitors = [
        (one.role, one.interval)
        for one in disk(_settings(monitor_disk=1.0), "r0").operations
        if one.name == "monitor"
    ]
    assert monitors == [("Promoted", 1.0), ("Unpromoted", 3.0)]
    assert _settings(monitor=1.0, monitor_disk=1.0).watch_period == 3.0


def test_fencing_uses_the_power_switch() -> None:
    switch = _configuration(_settings(fence=True), "fence_x").find("resources/primitive")
    assert switch is not None and switch.get("type") == "fence_x"
    assert _configuration(_settings()).find("resources/primitive") is None


@pytest.mark.parametrize("name", ["drbd", "standalone"])
def test_it_moves_a_disk_and_nothing_else(name: str) -> None:
    settings = DrbdSettings(solution="drbd") if name == "drbd" else StandaloneSettings(solution=name)
    problems = _settings().problems_with(settings.topology())
    assert (problems == []) is (name == "drbd")


def test_the_password_of_postgresql_stays_out_of_the_cluster_configuration(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    node = _server(Postgres, tmp_path)
    ran: list[list[str]] = []
    node.host.commands = SimpleNamespace(run=ran.append)
    write_client(node)
    prepare(node.host, node)
    client = (tmp_path / "conf/psql").read_text()
    assert "PGPASSFILE=" in client and 'exec /run/engine/bin/psql "$@"' in client
    assert ran[0][-2:] == ["postgres", "65534"], "its user, whom the agent becomes"
    parameters = " ".join(server_agent(_settings(), node).parameters.values())
    assert node.passwords.administrator not in parameters


def test_only_mariadb_is_started_by_another_agent() -> None:
    manager = {"kind": "pacemaker-drbd", "server_agent": "anything"}
    fine: Any = {"solution": "drbd", "manager": manager}
    assert DrbdSettings(**fine).checks.problems_with_parts() == []
    (problem,) = DrbdSettings(**fine, engine="postgres-18").checks.problems_with_parts()
    assert "PostgreSQL is started by pgsql" in problem
