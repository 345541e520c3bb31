"""A member of etcd: its configuration, and the report of a group without quorum."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.network.http import Answer
from fivenines.solutions.patroni import etcd
from fivenines.solutions.patroni.etcd import Etcd, Pace, configuration

_MEMBERS = {"node1": "10.99.0.11", "node2": "10.99.0.12", "node3": "10.99.0.13"}


def test_a_member_knows_its_peers_and_its_pace() -> None:
    options = configuration("node2", _MEMBERS, Pace(0.1, 1.5))
    assert options["listen-peer-urls"] == "http://10.99.0.12:2380"
    assert options["advertise-client-urls"] == "http://10.99.0.12:2379"
    assert str(options["initial-cluster"]).split(",")[2] == "node3=http://10.99.0.13:2380"
    assert (options["heartbeat-interval"], options["election-timeout"]) == (100, 1500)
    assert options["enable-grpc-gateway"] is True
    with pytest.raises(
        FiveninesError, match="there is no member node4 of etcd: the members are node1, node2, node3"
    ):
        configuration("node4", _MEMBERS, Pace(0.1, 1.0))


def _group(monkeypatch: pytest.MonkeyPatch, dead: set[str], well: set[str]) -> Etcd:
    hosts: Any = [SimpleNamespace(name=name, address=at) for name, at in _MEMBERS.items()]
    group = Etcd(hosts, Pace(0.1, 1.0))
    for name in _MEMBERS:
        process: Any = SimpleNamespace(alive=name not in dead)
        group._processes[name] = process

    def ask(host: Any, method: str, url: str) -> Answer:
        assert (method, url) == ("GET", f"http://{host.address}:2379/health")
        return Answer(200, '{"health":"true"}') if host.name in well else Answer(503, "no leader")

    monkeypatch.setattr(etcd, "ask", ask)
    return group


def test_two_of_three_members_are_a_quorum(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _group(monkeypatch, {"node1"}, {"node2", "node3"}).trouble() == ""


def test_without_a_quorum_each_member_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    group = _group(monkeypatch, {"node1", "node2"}, set())
    assert group.endpoints == [f"{address}:2379" for address in _MEMBERS.values()]
    assert group.trouble() == (
        "etcd has no quorum (0 of 3 members have a leader; node1: it does not run, "
        "node2: it does not run, node3: no leader)"
    )
