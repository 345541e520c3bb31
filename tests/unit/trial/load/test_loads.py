"""Several loads as one: real generators on no server at all."""

import json
import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from plain_host import PlainHost

from fivenines.analysis.performance.latency import read_latencies
from fivenines.base.errors import FiveninesError
from fivenines.experiment.sections.clients import ClientPlan
from fivenines.load.run import LoadPlan
from fivenines.load.settings import LoadSettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.results import layout
from fivenines.results.load_summary import LoadSummary
from fivenines.servers.cluster.endpoints import Endpoints
from fivenines.trial.load.load_tables import keep_measurements, merge_latencies
from fivenines.trial.load.loads import LiveSum, Loads, endpoints_of
from fivenines.trial.load.merged_load import merged

NODES = [
    SimpleNamespace(
        name=f"node{number}",
        endpoint=f"10.0.0.{number}:3306",
        client_endpoint=f"10.0.0.{number}:3306",
        host=SimpleNamespace(name=f"node{number}"),
        driver="noop",
        database="sbtest",
        application=("app", "app"),
    )
    for number in (1, 2, 3)
]
SITES = {"node1": "east", "node2": "west", "node3": "east", "ann": "east", "bob": "west"}
WRITES = Oltp(workload="oltp_write_only", tables=1, table_size=50)
READS = Oltp(workload="oltp_point_select", tables=1, table_size=50)


def _deployed(reads: tuple[str, ...] = ()) -> Any:
    offered = Endpoints(tuple(node.endpoint for node in NODES), reads, find="any", spread="first")
    solution = SimpleNamespace(
        nodes=NODES,
        roles=SimpleNamespace(primary=lambda: NODES[0]),
        node=lambda name: next(item for item in NODES if item.name == name),
    )
    host = PlainHost()
    return SimpleNamespace(
        solution=solution,
        access=SimpleNamespace(endpoints=lambda: offered),
        clients={"ann": host, "bob": host},
        lab=SimpleNamespace(sites=SimpleNamespace(of=SITES.__getitem__)),
    )


def _plans(*workloads: Oltp) -> list[ClientPlan]:
    return [
        ClientPlan(name, workload, 2, LoadSettings(rate=200))
        for name, workload in zip(("ann", "bob"), workloads, strict=True)
    ]


def _common(seconds: float) -> LoadPlan:
    return LoadPlan(WRITES, 4, seconds, 7)


def test_two_loads_begin_at_one_moment_and_their_tables_add_up(tmp_path: Path) -> None:
    lives: list[dict[str, Any]] = []
    done: list[str] = []
    loads = Loads(
        _deployed(),
        _plans(WRITES, READS),
        _common(2.1),
        tmp_path,
        lives.append,
        lambda: done.append("connected"),
    )
    try:
        zero = loads.start()
        assert done == ["connected"]
        assert zero <= time.monotonic_ns()
        results = loads.await_end(20.0)
    finally:
        loads.stop()
    assert loads.ended
    # one clock: not nearly the same moment, but the same
    assert {item.started_monotonic_ns for item in results} == {zero}
    assert [item.document["seed"] for item in results] == [7, 8]
    each = {client.plan.name: item for client, item in zip(loads.clients, results, strict=True)}
    keep_measurements(tmp_path, loads.clients, {})
    merge_latencies(tmp_path, each)
    together = merged(each)
    total = sum(item.transactions.ok for item in results)
    assert together.transactions.ok == total > 0
    assert _transactions(tmp_path) == total
    for name, item in each.items():
        assert _transactions(layout.client_folder(tmp_path, name)) == item.transactions.ok
    assert [live["tps"] for live in lives] and lives[-1]["connected"] == 4
    times = read_latencies(tmp_path / layout.LATENCY, "transaction", 0.0, 10_000.0)
    counted = {counts.name: counts.ok for counts in together.types or ()}
    assert times["transaction"].n == total
    # neither load has a tag for its only type, and all together need both
    assert {name: times[f"transaction.{name}"].n for name in counted} == counted
    assert times["transaction"].seconds == pytest.approx(together.duration_s, abs=0.1)


def _transactions(folder: Path) -> int:
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT sum(transactions_ok), count(*) - count(DISTINCT (slot_ms, source)) FROM read_parquet(?)",
            [str(folder / "timeline.parquet")],
        ).fetchall()
    ((total, twice),) = rows
    assert twice == 0, "a slot stands there once"
    return int(total)


def test_one_load_is_as_it_always_was(tmp_path: Path) -> None:
    (plan, _) = _plans(WRITES, READS)
    lives: list[dict[str, Any]] = []
    loads = Loads(_deployed(), [plan], _common(1.1), tmp_path, lives.append)
    try:
        loads.start()
        (result,) = loads.await_end(20.0)
    finally:
        loads.stop()
    assert loads.clients[0].load.out == tmp_path / layout.LOAD
    written = json.loads((tmp_path / layout.LOAD / "load.json").read_text())
    assert merged({"ann": result}) == result == LoadSummary.of(written)
    keep_measurements(tmp_path, loads.clients, {})
    assert (tmp_path / "timeline.parquet").exists()
    assert not (tmp_path / layout.CLIENTS).exists()
    assert "backlog" in lives[0], "its live lines are passed on unchanged"


def test_a_load_that_fails_is_named(tmp_path: Path) -> None:
    deployed = _deployed()
    deployed.clients["bob"] = PlainHost(lambda _command: ["sh", "-c", "echo all is lost >&2; exit 3"])
    loads = Loads(deployed, _plans(WRITES, READS), _common(5.0), tmp_path, lambda _line: None)
    try:
        with pytest.raises(FiveninesError, match=r"^the load of bob did not start: all is lost$"):
            loads.start()
    finally:
        loads.stop()
    assert loads.ended


@pytest.mark.parametrize("of_the_end", [False, True])
def test_a_load_that_dies_is_noticed_while_another_goes_on(tmp_path: Path, of_the_end: bool) -> None:
    deployed = _deployed()
    dies = '"$@" & sleep 1; kill -9 $!; echo lost >&2; exit 3'
    deployed.clients["bob"] = PlainHost(lambda command: ["sh", "-c", dies, "sh", *command])
    loads = Loads(deployed, _plans(WRITES, READS), _common(60.0), tmp_path, lambda _line: None)
    try:
        began = loads.start() / 1e9
        with pytest.raises(FiveninesError, match=r"^the load of bob .*: lost$"):
            if of_the_end:
                loads.await_end(120.0)
            else:
                loads.await_moment(began + 50.0, or_end=True)
        assert time.monotonic() - began < 30.0
    finally:
        loads.stop()


def line(t: float, tps: float, p95: float) -> dict[str, Any]:
    counts = dict.fromkeys(("errors", "ok", "failed", "in_doubt", "connected"), 3)
    return {"t": t, "tps": tps, "qps": 2 * tps, "p95_ms": p95, **counts}


def test_live_seconds_go_on_when_a_load_has_ended() -> None:
    messages: list[dict[str, Any]] = []
    adder = LiveSum(3, messages.append)
    ann, bob = adder.hearer("ann"), adder.hearer("bob")
    ann(line(1.0, 10.0, 4.0))
    bob(line(1.0, 1.0, 7.0))
    ann(line(2.0, 20.0, 9.0))
    assert messages == []
    adder.ended("eve")  # it never reported anything
    assert [item["tps"] for item in messages] == [11.0]
    ann(line(3.0, 30.0, 5.0))
    adder.ended("bob")
    assert [(item["t"], item["tps"], item["qps"], item["ok"]) for item in messages[1:]] == [
        (2.0, 20.0, 40.0, 6),
        (3.0, 30.0, 60.0, 6),
    ]
    assert (messages[-1]["p95_ms"], messages[-1]["connected"]) == (5.0, 3)
    adder.ended("ann")
    assert len(messages) == 3


def test_live_seconds_are_told_once_all_have_told_them() -> None:
    messages: list[dict[str, Any]] = []
    adder = LiveSum(2, messages.append)
    ann, bob = adder.hearer("ann"), adder.hearer("bob")

    ann(line(1.0, 10.5, 4.0))
    ann(line(2.0, 20.0, 9.0))
    assert messages == []
    bob(line(1.01, 1.0, 7.0))
    assert [(item["t"], item["tps"], item["p95_ms"], item["ok"]) for item in messages] == [
        (1.01, 11.5, 7.0, 6)
    ]
    bob(line(2.0, 2.0, 1.0))
    assert [item["tps"] for item in messages] == [11.5, 22.0]


def test_a_client_writes_where_it_is_told() -> None:
    def where(endpoint: str | None, client: str, reads: tuple[str, ...] = ()) -> Endpoints:
        plan = ClientPlan(client, WRITES, 1, LoadSettings(), endpoint)
        return endpoints_of(_deployed(reads), plan)

    item, two, three = (node.endpoint for node in NODES)
    assert where(None, "bob").write == (item, two, three)
    assert where("local", "bob").write == (two, item, three)
    assert where("local", "ann").write == (item, three, two)
    assert where("node3", "bob") == Endpoints((three,), (), "any", "first")
    assert where("local", "bob", (two, three)).read == (two,)
    assert where("local", "bob", (three,)).read == (three,)
    assert where("node1", "bob", (two, three)).read == (item,)


def test_several_addresses_are_told_to_the_generator(tmp_path: Path) -> None:
    commands: list[list[str]] = []

    def outside(command: list[str]) -> list[str]:
        commands.append(command)
        return ["sh", "-c", "exit 1"]

    deployed = _deployed()
    deployed.clients["ann"] = PlainHost(outside, "10.99.0.13", ["10.99.0.249", "10.99.0.248"])
    loads = Loads(deployed, _plans(WRITES, READS)[:1], _common(1.0), tmp_path, lambda _line: None)
    with pytest.raises(FiveninesError):
        loads.start()
    loads.stop()
    assert re.search(r"--bind 10\.99\.0\.13,10\.99\.0\.249,10\.99\.0\.248$", " ".join(commands[0]))
