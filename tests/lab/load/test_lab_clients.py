"""Several clients, each at its site with a separate node, and a network that begins with the load."""

from pathlib import Path

import duckdb
import pytest
from lab_support import HEAD, Outcome, run_trial, timing

from fivenines.analysis.consistency.isolation.check import judge
from fivenines.analysis.performance.clients import client_measures
from fivenines.analysis.performance.latency import read_latencies
from fivenines.results import layout
from fivenines.servers.base import DATABASE
from fivenines.trial.deployment.deployed import Deployed

TWO_SITES = """\
solutions: [{solution: galera, engine: mariadb-10.11, size: 2, arbiter: true}]
network: [{name: wan, sites: {east: [node1], west: [node2], third: [arbiter]}, link: {rtt: 5ms}}]
ledger: {clients: 2, append: {rate: 40, isolation: repeatable_read}}
clients:
  - {name: ann, site: east, endpoint: local, connections: 1}
  - {name: bob, site: west, endpoint: local, connections: 3,
     workload: {workload: oltp_write_only, tables: 2, table_size: 500}}
"""
PLANTED: list[int] = []


def _take_a_row_of_bob(deployed: Deployed) -> None:
    """Delete a row on all nodes though it was acknowledged to the second client."""
    ledger = layout.client_folder(deployed.lab.folder.parent, "bob") / "ledger.parquet"
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT id FROM read_parquet(?) WHERE kind = 'write' AND outcome = 'ok' ORDER BY id "
            "LIMIT 1 OFFSET 20",
            [str(ledger)],
        ).fetchall()
    PLANTED[:] = [int(identifier) for (identifier,) in rows]
    deployed.solution.nodes[0].sql.execute(f"DELETE FROM {DATABASE}.fivenines_ledger WHERE id = {PLANTED[0]}")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    head = HEAD.replace("connections: [4]\n", "")
    folder = tmp_path_factory.mktemp("clients")
    return run_trial(folder, TWO_SITES + timing(1, 3), {"checking": _take_a_row_of_bob}, head)


def test_both_clients_write_through_the_node_of_their_site(outcome: Outcome) -> None:
    ann, bob = outcome.record.clients
    assert [(client.name, client.site, client.connections) for client in (ann, bob)] == [
        ("ann", "east", 1),
        ("bob", "west", 3),
    ]
    assert outcome.record.cell.connections == 4
    hosts = outcome.record.deployment.hosts if outcome.record.deployment else {}
    assert [hosts[name].kind for name in ("ann", "bob")] == ["client", "client"]
    for client, node in ((ann, "node1"), (bob, "node2")):
        used = {where for where, counts in client.load.document["endpoints"].items() if counts["ok"]}
        assert used == {f"{hosts[node].address}:3306"}
    # Both clients share a clock and a start.
    assert ann.load.started_monotonic_ns == bob.load.started_monotonic_ns
    assert outcome.record.load.started_monotonic_ns == ann.load.started_monotonic_ns


def test_a_lost_row_of_the_second_client_is_found_and_named_and_nothing_else(outcome: Outcome) -> None:
    check = outcome.record.check
    assert check is not None and len(PLANTED) == 1
    assert [node.lost_ids for node in check.nodes] == [PLANTED, PLANTED]
    assert [node.phantom + node.duplicate for node in check.nodes] == [0, 0]
    written = {
        result.name: result.load.document["ledger"]["writes"]["ok"] for result in outcome.record.clients
    }
    assert check.acknowledged == sum(written.values())
    assert min(written.values()) > 20
    # Ids identify a row's client: the ledger has two clients each.
    rows = outcome.rows("ledger", "SELECT id, client FROM rows WHERE kind = 'write'")
    assert len({identifier for identifier, _ in rows}) == len(rows)
    assert {client for _, client in rows} == {0, 1, 2, 3}
    assert (PLANTED[0] - 1) % 4 in (2, 3)


def test_the_reads_of_each_client_show_the_rows_of_all(outcome: Outcome) -> None:
    for name in ("ann", "bob"):
        own = Outcome(outcome.record, layout.client_folder(outcome.folder, name))
        seen = "SELECT list_min(seen), len(seen) FROM rows WHERE kind = 'read' AND outcome = 'ok'"
        rows = own.rows("ledger", f"{seen} ORDER BY started_us DESC LIMIT 5")
        assert len(rows) == 5
        assert all(least is not None and width == 4 for least, width in rows), name


def _recorded(folder: Path) -> int:
    """Return the response times in a latency log."""
    return read_latencies(folder / layout.LATENCY, "transaction", 0.0, 1e9)["transaction"].n


def test_the_total_is_the_sum_and_each_client_can_be_asked(outcome: Outcome) -> None:
    total = outcome.measures()
    each = [client_measures(outcome.stored(), name) for name in ("ann", "bob")]
    assert total.throughput and all(item.throughput for item in each)
    rates = [item.throughput.tps for item in each if item.throughput]
    assert total.throughput.tps == pytest.approx(sum(rates)) and min(rates) > 0
    assert total.latency and all(item.latency for item in each)
    # Of the whole load, because each client's timer decides which part of a second belongs to the window.
    assert _recorded(outcome.folder) == sum(
        _recorded(layout.client_folder(outcome.folder, name)) for name in ("ann", "bob")
    )
    assert total.transactions == sum(item.transactions for item in each)
    # Types of both clients, each with separate times.
    assert {item.counts.name for item in total.types} == {"oltp_read_write", "oltp_write_only"}
    assert all(item.latency and item.rate > 0 for item in total.types)


def test_both_clients_share_one_history(outcome: Outcome) -> None:
    rows = outcome.rows("history", "SELECT count(DISTINCT txn) FROM rows WHERE source = 'lists'")
    own = [
        Outcome(outcome.record, layout.client_folder(outcome.folder, name)).rows(
            "history", "SELECT count(DISTINCT txn) FROM rows WHERE source = 'lists'"
        )
        for name in ("ann", "bob")
    ]
    assert rows[0][0] == sum(int(str(row[0][0])) for row in own)
    sql = "SELECT count(*) - count(DISTINCT value), count(*) FROM rows WHERE kind = 'append'"
    ((twice, appended),) = outcome.rows("history", sql)
    assert twice == 0 and int(str(appended)) > 5
    (verdict,) = judge(outcome.folder)
    assert verdict.transactions == rows[0][0]


SLOW = """\
solutions: [{solution: hot-standby, engine: postgres-18, standbys: 1}]
network: [{name: modem, from: load, sites: {east: [node1, client], west: [node2]},
           link: {bandwidth: 500kbit/s, rtt: 20ms}}]
ledger: {rate: 20, read_rate: 20, clients: 2}
"""


def test_a_network_that_begins_with_the_load_is_fast_before_and_after(tmp_path: Path) -> None:
    outcome = run_trial(tmp_path, SLOW + timing(1, 3), head=HEAD.replace("read_write", "point_select"))
    record = outcome.record
    network = [event for event in record.events if event.kind == "network"]
    # On a busy machine a check of a live server may be late.
    assert [event for event in record.events if event.kind != "missed"] == network
    began, ended = network
    # The network is set after the deployment, when all are connected, before t = 0; it is removed after
    # settling.
    assert -2000 < began.t <= 0 and record.windows is not None and ended.t > record.windows.end
    sent = outcome.rows(
        "links", "SELECT max(bytes), max(t_ms) FROM rows WHERE from_site = 'east' AND to_site = 'west'"
    )
    bytes_sent, until = (float(str(value)) for value in sent[0])
    # The link was never faster than specified, and it was used.
    assert 5_000 < bytes_sent < 500_000 / 8 * (until / 1000 + 1)
    assert record.check is not None and record.check.acknowledged > 20
    assert [node.lost for node in record.check.nodes] == [0, 0]


LATER = """\
solutions: [{solution: standalone, engine: mariadb-10.11}]
network: [{name: far, from: steady, sites: {east: [node1], west: [client]}, link: {rtt: 60ms}}]
ledger: {rate: 0}
timing: {warmup: 3s, steady: 2s}
"""


def test_a_network_that_begins_with_the_steady_window_lets_the_warm_up_pass(tmp_path: Path) -> None:
    outcome = run_trial(tmp_path, LATER, head=HEAD.replace("read_write", "point_select"))
    began, ended = [event.t for event in outcome.record.events if event.kind == "network"]
    assert began >= 1000 and outcome.record.windows is not None
    assert ended > outcome.record.windows.end
    trial = outcome.measures()
    # Packets in flight when the delay grew may have been faster.
    assert trial.latency is not None and trial.latency.p50 >= 60
    (fast,) = outcome.rows("timeline", f"SELECT sum(transactions_ok) FROM rows WHERE slot_ms < {began}")
    assert int(str(fast[0])) > 0
