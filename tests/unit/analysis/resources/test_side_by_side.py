"""Resources of solutions: planted flows between hosts are separated, means are over nodes, prices add up."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import SIDE_BY_SIDE, write_run

from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.resources.cost import Prices, per_thousand, prices
from fivenines.analysis.resources.series import Samples, Series
from fivenines.analysis.resources.side_by_side import loaded_results, solution_results
from fivenines.analysis.resources.traffic import Traffic, traffic
from fivenines.results.records import Deployment, HostFacts
from fivenines.results.store import Run, open_run

# Bytes from one host to another in the window.
Flows = dict[tuple[str, str], float]


def host(kind: str, forwards: bool = False) -> HostFacts:
    return HostFacts(kind=kind, address="10.99.0.1", forwards=forwards)


def sampled(flows: Flows, hosts: dict[str, HostFacts]) -> Samples:
    """Return counters of the hosts' interfaces, once a second for ten seconds, as such flows make them."""
    moments = [1000.0 * second for second in range(11)]

    def counter(total: float) -> Series:
        return Series.of(moments, [5000 + total * moment / 10_000 for moment in moments])

    return {
        "net_sent_bytes": {
            name: counter(sum(n for (a, _), n in flows.items() if a == name)) for name in hosts
        },
        "net_received_bytes": {
            name: counter(sum(n for (_, b), n in flows.items() if b == name)) for name in hosts
        },
    }


_BYTES = st.integers(0, 10**9).map(float)
_INSIDE = ("node1", "node2", "manager")


@given(
    st.fixed_dictionaries({(a, b): _BYTES for a in _INSIDE for b in _INSIDE if a != b}),
    st.fixed_dictionaries({"to": _BYTES, "back": _BYTES}),
    st.booleans(),
)
def test_flows_are_told_apart_with_and_without_a_proxy(
    inside: Flows, client: dict[str, float], proxy: bool
) -> None:
    hosts = {
        "node1": host("node"),
        "node2": host("node"),
        "manager": host("manager"),
        "client": host("client"),
    }
    flows = dict(inside)
    if proxy:
        hosts["proxy"] = host("proxy", forwards=True)
        flows |= {
            ("client", "proxy"): client["to"],
            ("proxy", "client"): client["back"],
            ("proxy", "node1"): client["to"],
            ("node1", "proxy"): client["back"],
        }
    else:
        flows |= {("client", "node2"): client["to"], ("node2", "client"): client["back"]}
    result = traffic(sampled(flows, hosts), hosts, 0.0, 10_000.0)
    assert result is not None
    sent = sum(n for (a, _), n in flows.items() if a != "client")
    assert math.isclose(result.sent, sent, abs_tol=1e-3)
    assert math.isclose(result.clients, client["back"], abs_tol=1e-3)
    assert math.isclose(result.between, sum(inside.values()), rel_tol=1e-9, abs_tol=1e-3)


def test_a_host_that_was_not_sampled_leaves_the_traffic_unknown() -> None:
    hosts = {"node1": host("node"), "client": host("client")}
    seen = dict(sampled({("node1", "client"): 100.0}, hosts))
    assert traffic(seen, hosts, 0.0, 10_000.0) == Traffic(100.0, 100.0, 0.0)
    of_client = {figure: {"client": each["client"]} for figure, each in seen.items()}
    assert traffic(of_client, hosts, 0.0, 10_000.0) is None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return open_run(write_run(tmp_path_factory.mktemp("sides") / "run", SIDE_BY_SIDE))


@pytest.fixture(scope="module")
def cells(run: Run) -> list[CellResult]:
    return analyse(run)


def test_idle_hosts_lines_and_rejoins(cells: list[CellResult]) -> None:
    calm, _, unknown = solution_results(cells)
    assert calm.hosts == {"node": 2}
    assert calm.lines == {"node": 24}, "the longest of the nodes"
    assert calm.memory.node.mean == 110_000_000
    assert calm.pss.node.mean == 55_000_000
    assert (calm.memory.node.n, calm.memory.rest.n) == (2, 0), "there are no other hosts"
    assert calm.rejoin.n == 2
    assert calm.rejoin.mean == pytest.approx(2.0)
    assert (unknown.facts, unknown.hosts, unknown.memory.node.n) == (None, {}, 0)


def test_loaded_hosts_and_bytes(run: Run, cells: list[CellResult]) -> None:
    result = {item.key.solution: item for item in loaded_results(run.complete, cells, None)}
    assert set(result) == {"calm", "split"}, "the other was not sampled"
    calm = result["calm"]
    assert calm.memory.node.mean == 150_000_000
    assert calm.cpu.node.mean == pytest.approx(0.5)
    assert calm.sent.mean and calm.clients.mean and calm.between.mean
    # each of the two nodes sends 500 bytes a ms, the client receives 300
    assert calm.sent.mean / calm.clients.mean == pytest.approx(1000 / 300)
    assert calm.between.mean == pytest.approx(calm.sent.mean - calm.clients.mean)
    assert calm.sent.mean == pytest.approx(1_000_000 / 900, rel=0.15)
    assert (calm.hour, calm.thousand) == (None, None)


def test_prices_by_the_kind_of_host(run: Run, cells: list[CellResult]) -> None:
    deployment = Deployment(
        seconds=1,
        phases={},
        roles={},
        settings={},
        manager={},
        access={},
        hosts={
            "node1": host("node"),
            "node2": host("node"),
            "proxy": host("proxy"),
            "etcd1": host("etcd"),
            "client": host("client"),
        },
    )
    assert Prices("EUR", 0.2).hour(deployment) == pytest.approx(0.8)
    assert Prices("EUR", 0.2, {"proxy": 0.05, "etcd": 0}).hour(deployment) == pytest.approx(0.45)
    assert per_thousand(3.6, [1000.0, 0.0]).mean == pytest.approx(0.001)
    priced = {item.key.solution: item for item in loaded_results(run.complete, cells, Prices("EUR", 0.3))}
    assert set(priced) == {"calm", "split"}, "nothing is known of the hosts of the other"
    assert priced["calm"].hour == pytest.approx(0.6)
    assert priced["calm"].thousand and priced["calm"].thousand.n == 2


def test_prices_are_read_from_the_experiment() -> None:
    assert prices({}) is None
    assert prices({"cost": {"currency": "EUR", "server_hour": None, "others": {}}}) is None
    section = {"currency": "CHF", "server_hour": 1, "others": {"proxy": 0.5}}
    assert prices({"cost": section}) == Prices("CHF", 1.0, {"proxy": 0.5})


def test_a_damaged_table_of_hosts_costs_its_figures_only(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", SIDE_BY_SIDE)
    for table in folder.glob("trials/*/hosts.parquet"):
        table.write_bytes(b"no parquet")
    result = open_run(folder)
    assert loaded_results(result.complete, analyse(result), None) == []
