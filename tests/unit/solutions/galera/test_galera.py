"""Galera: settings, configuration of nodes, roles, and rejoining."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noting_servers import deployed, galera

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import Folder
from fivenines.solutions.galera.settings import GaleraSettings


def _options(one: GaleraSettings) -> dict[str, str]:
    solution = deployed(one)
    text = solution.configuration.own(solution.nodes[0])["wsrep_provider_options"]
    assert text[0] == text[-1] == '"'
    return dict(part.split("=") for part in text[1:-1].split("; "))


def test_all_problems_are_reported_at_once() -> None:
    assert len(galera(size=2, suspect_timeout=6, inactive_timeout=5).problems()) == 2


def test_galeras_provider_options() -> None:
    assert _options(galera()) == {
        "gcache.size": "128M",
        "evs.suspect_timeout": "PT5S",
        "evs.inactive_timeout": "PT15S",
        "evs.keepalive_period": "PT1S",
        "evs.inactive_check_period": "PT0.5S",
    }
    more = _options(
        galera(
            keepalive_period=0.5,
            join_retrans_period=0.25,
            install_timeout=4,
            send_window=512,
            user_send_window=256,
            fc_limit=100,
            fc_factor=0.8,
            fc_single_primary=True,
        )
    )
    assert more["evs.keepalive_period"] == "PT0.5S"
    assert more["evs.join_retrans_period"] == "PT0.25S"
    assert more["evs.install_timeout"] == "PT4S"
    assert (more["evs.send_window"], more["evs.user_send_window"]) == ("512", "256")
    assert (more["gcs.fc_limit"], more["gcs.fc_factor"]) == ("100", "0.8")
    assert more["gcs.fc_single_primary"] == "YES"


def test_each_site_is_a_segment() -> None:
    solution = deployed(galera(segments=True))
    sites = {"node1": "east", "node2": "west", "node3": "east"}
    solution.lab = SimpleNamespace(
        network=SimpleNamespace(settings=SimpleNamespace(site_names=["east", "west"])),
        sites=SimpleNamespace(of=sites.__getitem__),
    )
    message = [solution.configuration.own(node)["wsrep_provider_options"] for node in solution.nodes]
    assert [text.rpartition("gmcast.segment=")[2] for text in message] == ['0"', '1"', '0"']


def test_how_a_galera_node_takes_all_data_and_which_reads_wait() -> None:
    plain, chosen = deployed(galera()), deployed(galera(sst="mariabackup", sync_wait=3))
    found = plain.configuration.own(plain.nodes[0])
    assert found["wsrep_sst_method"] == "rsync"
    assert "wsrep_sst_auth" not in found and "init_connect" not in found
    found = chosen.configuration.own(chosen.nodes[0])
    assert found["wsrep_sst_method"] == "mariabackup"
    assert found["init_connect"] == "'SET SESSION wsrep_sync_wait = 3'"


def test_facts_of_a_galera_cluster() -> None:
    three, five = galera().facts(), galera(size=4, arbiter=True, sync_wait=1).facts()
    assert "continue" in three.one_down and "no majority" in three.two_down
    assert "continue" in five.two_down and five.extra == "garbd on a separate host"
    assert "slightly stale" in three.read_scaling and "waits" in five.read_scaling
    assert "last second" in galera(durability="relaxed").facts().one_failure_loses


@settings(max_examples=50, deadline=None)
@given(st.floats(0.5, 600.0), st.floats(1.0, 10.0))
def test_galera_probes_silent_peers_before_it_suspects_them(suspect: float, times: float) -> None:
    options = _options(galera(suspect_timeout=suspect, inactive_timeout=suspect * times))
    seconds = {
        name.removeprefix("evs."): float(re.fullmatch(r"PT([\d.]+)S", value)[1])  # type: ignore[index]
        for name, value in options.items()
        if name.startswith("evs.")
    }
    assert seconds["suspect_timeout"] == pytest.approx(suspect, rel=1e-5)
    assert seconds["suspect_timeout"] <= seconds["inactive_timeout"]
    # The server's own bounds: it does not start beyond them.
    assert 0.1 <= seconds["keepalive_period"] < seconds["suspect_timeout"] / 3
    assert seconds["inactive_check_period"] >= 0.1
    assert seconds["inactive_check_period"] < seconds["keepalive_period"] * 1.01


def test_every_galera_node_knows_the_whole_cluster_and_itself() -> None:
    solution = deployed(galera(appliers=7, durability="relaxed"))
    found = [solution.configuration.own(node) for node in solution.nodes]
    assert {one["wsrep_cluster_address"] for one in found} == {"gcomm://10.99.0.11,10.99.0.12,10.99.0.13"}
    assert [one["wsrep_node_name"] for one in found] == ["node1", "node2", "node3"]
    assert found[1]["wsrep_node_address"] == "10.99.0.12"
    assert {one["wsrep_slave_threads"] for one in found} == {7}
    assert {one["innodb_flush_log_at_trx_commit"] for one in found} == {2}
    assert all(one["binlog_format"] == "ROW" for one in found if "binlog_format" in one)


@pytest.mark.parametrize(("writes", "spread"), [("one", "first"), ("all", "all")])
@pytest.mark.parametrize(("reads", "read"), [("primary", 0), ("replicas", 2)])
def test_where_clients_find_galera(writes: str, spread: str, reads: str, read: int) -> None:
    solution = deployed(galera(writes=writes, reads=reads))
    found = solution.endpoints()
    assert found.write == ("10.99.0.11:3306", "10.99.0.12:3306", "10.99.0.13:3306")
    assert found.read == found.write[3 - read :] if read else found.read == ()
    assert (found.find, found.spread) == ("writable", spread)
    assert solution.health == "synced" and solution.settings.failover_manager is None


SYNCED = ("3", "Primary", "Synced")


def test_the_first_synced_galera_node_is_the_primary() -> None:
    solution = deployed(galera())
    for node, state in zip(
        solution.nodes, [("3", "non-Primary", "Initialized"), SYNCED, SYNCED], strict=True
    ):
        node.answering, node.state = True, state
    assert solution.roles.by_name() == {"node1": "down", "node2": "primary", "node3": "replica"}
    assert solution.membership.not_joined_reason(solution.nodes[0]) == "node1 is not Synced"
    assert solution.membership.not_joined_reason(solution.nodes[2]) == ""
    solution.nodes[1].answering = False
    assert solution.roles.primary().name == solution.roles.target("primary").name == "node3"
    with pytest.raises(FiveninesError, match="no node has the role replica now"):
        solution.roles.target("replica")


def test_no_other_galera_node_stands_for_a_writer_that_is_late() -> None:
    solution = deployed(galera())
    for node in solution.nodes:
        node.answering, node.state = True, SYNCED
    late, second, third = solution.nodes
    late.state = None
    assert solution.roles.primary() is None
    assert solution.roles.all_observed() == {"node1": "silent", "node2": "replica", "node3": "replica"}
    assert solution.roles.target("replica") is second
    late.answering = False
    assert solution.roles.certain_primary() is second
    second.state = None
    assert solution.roles.target("replica") is third


@pytest.mark.parametrize(
    ("position", "done"), [("abc:42", "start --wsrep-start-position=abc:42"), ("", "start")]
)
def test_a_galera_node_rejoins_where_it_was(position: str, done: str, tmp_path: Any) -> None:
    solution = deployed(galera())
    node = solution.nodes[1]
    node.host.node, node.host.data = tmp_path, Folder(tmp_path / "data")
    (tmp_path / "data").mkdir()
    if position:
        (tmp_path / "data" / "grastate.dat").touch()
    solution.nodes[0].answering = True
    node.state = position
    solution.membership.rejoin(node)
    assert node.done == [done]


def test_the_most_advanced_of_all_dead_galera_nodes_begins_a_new_cluster(tmp_path: Any) -> None:
    solution = deployed(galera())
    for number, node in enumerate(solution.nodes):
        node.host.node = tmp_path / node.name
        (node.host.node / "data").mkdir(parents=True)
        node.host.data = Folder(node.host.node / "data")
        (node.host.node / "data" / "grastate.dat").write_text("safe_to_bootstrap: 0\n")
        node.state = f"uuid:{[5, 9, 7][number]}"
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[1].done == ["start --wsrep-new-cluster --wsrep-start-position=uuid:9"]
    assert solution.nodes[0].done == ["start --wsrep-start-position=uuid:5"]
    written = [(node.data / "grastate.dat").read_text() for node in solution.nodes]
    assert [text.strip()[-1] for text in written] == ["0", "1", "0"]


def test_remediation_bootstraps_the_most_advanced_survivor_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solution = deployed(galera(bootstrap_after=3.0))
    clock = [100.0]
    monkeypatch.setattr("fivenines.solutions.quorum.time.monotonic", lambda: clock[0])
    _, second, third = solution.nodes
    second.answering = third.answering = True
    second.state = third.state = ("2", "Primary", "Synced")
    monkeypatch.setattr("fivenines.solutions.galera.membership._committed", {second: 5, third: 9}.get)
    assert solution.membership.remediate() == []
    second.state = third.state = ("1", "non-Primary", "Initialized")
    assert solution.membership.remediate() == []
    clock[0] += 2.9
    assert solution.membership.remediate() == []
    clock[0] += 0.2
    assert solution.membership.remediate() == ["node3: pc.bootstrap=YES, as no node had a majority"]
    assert third.done == ["SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'"]
    assert second.done == []
    nobody = deployed(galera(bootstrap_after=None))
    assert nobody.membership.remediate() == []


def test_a_galera_node_that_does_not_join_is_reported_with_the_reason() -> None:
    solution = deployed(galera())
    first, second, _ = solution.nodes
    first.answering, first.state = True, ("1", "Primary", "Synced")
    second.last_words = lambda: "  [ERROR] WSREP: failed to open gcomm backend"
    with pytest.raises(FiveninesError) as message:
        solution._await_member(second, 2)
    assert str(message.value) == (
        "node2 ended instead of joining\n  [ERROR] WSREP: failed to open gcomm backend"
    )
    second.answering, first.state = True, ("2", "Primary", "Synced")
    solution._await_member(second, 2)
