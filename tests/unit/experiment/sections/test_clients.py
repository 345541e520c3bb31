"""Several clients: whose connections are whose, where they are, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import UsageError
from fivenines.experiment.plan import cells
from fivenines.experiment.sections.clients import (
    ClientSettings,
    clients_of,
    connections_of,
    with_clients,
    works_of,
)
from fivenines.experiment.source import parse_experiment
from fivenines.experiment.spec import Experiment
from fivenines.lab.settings import NetworkSettings
from fivenines.load.settings import LoadSettings
from fivenines.load.work import WorkSettings
from fivenines.load.workloads.oltp import Oltp

GALERA = """\
name: x
solutions: [{solution: galera, engine: mariadb-10.11, size: 3}]
workloads: [oltp_read_write]
network: [{name: wan, sites: [east, west], link: {rtt: 10ms}}]
"""


def _experiment(clients: str, more: str = "") -> Experiment:
    return parse_experiment(f"{GALERA}clients: {clients}\n{more}", "x.yaml")


def _refusal(text: str) -> str:
    with pytest.raises(UsageError) as refused:
        parse_experiment(text, "x.yaml")
    return str(refused.value)


def _client(name: str = "a", **settings: object) -> ClientSettings:
    return ClientSettings.model_validate({"name": name, **settings})


def test_without_the_section_one_client_has_all() -> None:
    workload = Oltp(workload="oltp_read_write")
    (only,) = clients_of([], workload, 8, LoadSettings(rate=100))
    assert (only.name, only.connections, only.load.rate) == ("client", 8, 100)
    assert only.workload is workload
    network = NetworkSettings(sites={"east": [], "west": []})
    assert with_clients(network, []) is network


@given(st.lists(st.one_of(st.none(), st.floats(0.01, 100)), min_size=1, max_size=8), st.integers(1, 500))
def test_shares_add_up_to_the_cells_connections(shares: list[float | None], total: int) -> None:
    clients = [_client(share=share) for share in shares]
    found = connections_of(clients, total)
    assert sum(found) == total
    weights = [share or 1.0 for share in shares]
    for own, weight in zip(found, weights, strict=True):
        assert abs(own - total * weight / sum(weights)) < 1


def test_own_numbers_come_first_and_shares_have_the_rest() -> None:
    clients = [_client(connections=10), _client(share=3), _client()]
    assert connections_of(clients, 30) == [10, 15, 5]
    assert connections_of([_client(connections=2), _client(connections=3)], 5) == [2, 3]


def test_a_rate_of_all_is_shared_out_and_an_own_load_is_not() -> None:
    clients = [_client(share=3), _client("b"), _client("c", load={"rate": 7}, connections=4)]
    load = LoadSettings(rate=100, retries=2)
    first, second, third = clients_of(clients, Oltp(workload="oltp_read_write"), 12, load)
    assert [first.connections, second.connections, third.connections] == [6, 2, 4]
    assert first.load.rate == pytest.approx(50)
    assert second.load.rate == pytest.approx(100 / 6)
    assert (first.load.retries, third.load.rate, third.load.retries) == (2, 7, 0)
    stepped = LoadSettings(steps=["100@5s", "40@10s"])
    (one, _) = clients_of([_client(), _client("b")], Oltp(workload="oltp_read_write"), 8, stepped)
    assert one.load.steps == ["50@5s", "20@10s"]


def test_work_of_all_is_shared_out_and_that_of_each_is_not() -> None:
    clients = [_client(share=2), _client("b"), _client("c", load={"transactions": 7}, connections=3)]

    def works(work: object) -> list[WorkSettings | None]:
        load = LoadSettings.model_validate({"transactions": work})
        found = clients_of(clients, Oltp(workload="oltp_read_write"), 12, load)
        return [one.load.transactions for one in found]

    assert works(100) == [WorkSettings(together=n) for n in (50, 25, 7)]
    assert works({"each": 5}) == [WorkSettings(each=5), WorkSettings(each=5), WorkSettings(together=7)]


@given(st.lists(st.integers(1, 99), min_size=1, max_size=9), st.integers(900, 10**6))
def test_the_parts_of_the_work_are_all_of_it(numbers: list[int], work: int) -> None:
    clients = [_client(connections=number) for number in numbers]
    found = works_of(clients, numbers, WorkSettings(together=work))
    assert sum(one.together or 0 for one in found if one) == work


def test_own_numbers_alone_are_the_cells_number() -> None:
    experiment = _experiment("[{name: a, connections: 3}, {name: b, connections: 4}]")
    assert experiment.connections == [7]
    assert [cell.key.connections for cell in cells(experiment)] == [7]


def test_one_client_of_many_addresses_may_come_in_steps() -> None:
    steps = "connections: [40000]\nload: {connection_steps: [4000@3s, 40000@10s], storm: true}\n"
    experiment = _experiment("[{name: a, addresses: 4}]", steps)
    (one,) = clients_of(
        experiment.clients, experiment.workloads[0], experiment.connections[0], experiment.load
    )
    assert (one.connections, one.addresses, one.load.storm) == (40000, 4, True)
    assert one.load.connection_steps == ["4000@3s", "40000@10s"]


def test_clients_are_in_their_sites() -> None:
    experiment = _experiment("[{name: a, site: west}, {name: b}]")
    placed = with_clients(experiment.network[0], experiment.clients)
    assert placed.sites == {"east": [], "west": ["a"]}
    assert placed.link == experiment.network[0].link


def test_faults_may_name_a_client_and_not_the_one_that_is_not_there() -> None:
    fault = "faults: [{fault: degrade, target: %s, latency: 5ms, duration: 5s}]\n"
    clients = "[{name: ann, site: west}, {name: bob}]"
    assert _experiment(clients, fault % "ann").faults[0].fault == "degrade"
    with pytest.raises(UsageError, match=r"client: unknown target.*ann, bob"):
        _experiment(clients, fault % "client")
    text = GALERA.replace("sites: [east, west]", "sites: {east: [bob], west: [node2]}")
    assert parse_experiment(f"{text}clients: {clients}\n", "x.yaml").network[0].named_hosts["bob"]


MISTAKES = [
    ("[{name: Ann}]", "x.yaml:5:18: clients[0].name: found 'Ann'; a client's name has at most"),
    ("[{name: node2}]", "x.yaml:5:18: clients[0].name: 'node2' is the name of another host of the lab"),
    ("[{name: a}, {name: a}]", "x.yaml:5:29: clients[1].name: another client has the name 'a': choose"),
    (
        "[{name: a, site: north}]",
        "x.yaml:5:27: clients[0].site: the network 'wan' has no site 'north'; its sites: east, west",
    ),
    (
        "[{name: a, endpoint: node4}]",
        "x.yaml:5:31: clients[0].endpoint: 'galera' has no node4; it has node1 to node3",
    ),
    ("[{name: a, endpoint: near}]", "x.yaml:5:31: clients[0].endpoint: found 'near'; write a node"),
    (
        "[{name: a, connections: 2, share: 1}]",
        "x.yaml:5:44: clients[0].share: the client also has `connections`",
    ),
    (
        "[{name: a, workload: {workload: tatp}}]",
        "x.yaml:5:31: clients[0].workload: its data set differs from that of 'oltp_read_write'",
    ),
    (
        "[{name: a, connections: 2}, {name: b, connections: 3}]\nconnections: [5, 6]",
        "x.yaml:6:18: connections[1]: found 6, but the clients have 5 connections in total",
    ),
    (
        "[{name: a, connections: 8}, {name: b}]",
        "x.yaml:1:1: connections[0]: 8 connections leave none for the client 'b'",
    ),
    (
        "[{name: a}, {name: b}]\nledger: {clients: 40}",
        "x.yaml:6:19: ledger.clients: 40 for each of 2 clients exceeds 64 in total: set it to 32 or less",
    ),
    (
        "[{name: a}]\ndesign: interleaved",
        "x.yaml:5:10: clients: an interleaved comparison loads each solution from one client",
    ),
    (
        "[{name: a, adresses: 2}]",
        "x.yaml:5:21: unknown key 'adresses' in clients[0]; did you mean 'addresses'?",
    ),
    (
        "[{name: a, load: {transactions: 5}}]",
        "x.yaml:5:27: clients[0].load: transactions: either all clients",
    ),
    ("[{name: a, load: {cap: 5s}}]", "x.yaml:5:27: clients[0].load: cap: applies to all clients"),
    (
        "[{name: a, load: {connection_steps: [1@3s, 2@10s]}}]",
        "clients[0].load: connection_steps: requires a single client",
    ),
    (
        "[{name: a}, {name: b}]\nconnections: [2]\nload: {connection_steps: [1@3s, 2@10s]}",
        "load.connection_steps: requires a single client: leave it out, or list one client",
    ),
    (
        "[{name: a, load: {rate: 5}}]\nload: {transactions: 5}",
        "x.yaml:5:27: clients[0].load: rate and steps: not possible with fixed work",
    ),
    (
        "[{name: a}, {name: b}]\nload: {transactions: 1}",
        "load.transactions: 1 for 2 clients leave some without work",
    ),
    ("[{name: a, load: {rate: 1, steps: [1@2s]}}]", "x.yaml:5:27: clients[0].load: rate and steps"),
]


@pytest.mark.parametrize(("clients", "message"), MISTAKES)
def test_a_mistake_is_reported_with_its_place(clients: str, message: str) -> None:
    assert message in _refusal(f"{GALERA}clients: {clients}\n")


def test_a_node_that_is_custom_is_for_clusters_that_write_everywhere() -> None:
    text = "name: x\nsolutions: [%s]\nworkloads: [oltp_read_write]\nclients: [{name: a, endpoint: %s}]\n"
    refused = _refusal(text % ("hot-standby", "node2"))
    assert "x.yaml:4:31: clients[0].endpoint: 'hot-standby on' has one writable node at a time" in refused
    assert parse_experiment(text % ("hot-standby", "local"), "x.yaml").clients
    proxied = "{solution: galera, engine: mariadb-10.11, size: 3, access: {kind: haproxy}}"
    assert "through haproxy, which chooses the node" in _refusal(text % (proxied, "local"))


def test_work_that_is_shared_out_by_one_generator_has_one_client() -> None:
    text = "name: x\nsolutions: [standalone]\nworkloads: [bulkload]\nclients: [{name: a}, {name: b}]\n"
    assert "x.yaml:3:13: workloads[0]: 'bulkload' divides its work" in _refusal(text)


def test_a_workload_that_is_custom_leaves_the_data_as_the_others_do() -> None:
    text = (
        "name: x\nsolutions: [standalone]\nworkloads: [{workload: crud, batch: 10}]\n"
        "clients: [{name: a}, {name: b, workload: {workload: crud, %s}}]\n"
    )
    refused = _refusal(text % "batch: 20")
    assert "x.yaml:4:42: clients[1].workload: its invariants differ from those of 'crud'" in refused
    assert "those of 'crud'" in refused
    others = "batch: 10, select: 100, insert: 0, update: 0, delete: 0"
    assert len(parse_experiment(text % others, "x.yaml").clients) == 2


def test_files_of_a_client_are_found_alongside_the_experiment(tmp_path: Path) -> None:
    text = (
        "name: x\nsolutions: [standalone]\nworkloads: [{workload: script, files: [a.sql]}]\n"
        "clients: [{name: a, workload: {workload: script, files: [b.sql]}}]\n"
    )
    (tmp_path / "a.sql").write_text("SELECT 1;\n")
    with pytest.raises(UsageError, match=r"4:31: clients\[0\]\.workload: .*b\.sql"):
        parse_experiment(text, str(tmp_path / "x.yaml"))
    (tmp_path / "b.sql").write_text("SELECT 2;\n")
    (client,) = parse_experiment(text, str(tmp_path / "x.yaml")).clients
    assert client.workload is not None
    assert client.workload.document()["files"][0]["path"] == str(tmp_path / "b.sql")


def test_a_network_that_begins_with_the_load_does_something() -> None:
    text = "name: x\nsolutions: [standalone]\nworkloads: [oltp_read_write]\nnetwork: [%s]\n"
    (network,) = parse_experiment(text % "{from: load, bandwidth: 57kbit/s}", "x.yaml").network
    assert network.begins == "load"
    assert network.plain().bandwidth is None
    (later,) = parse_experiment(text % "{from: steady, bandwidth: 57kbit/s}", "x.yaml").network
    assert later.begins == "steady" and later.begins_late and network.begins_late
    assert "x.yaml:4:11: network[0]: from: has no effect without a limit" in _refusal(text % "{from: load}")
    assert "x.yaml:4:18: network[0].from: found 'start'" in _refusal(text % "{from: start}")
