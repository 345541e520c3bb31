"""Each of several clients has figures by the same code, and a row in the report."""

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_clients import run_of_two_clients
from synthetic_run import Matrix, Recipe, write_run, write_table, write_timeline

from fivenines.analysis.performance.clients import client_measures, client_results
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.trials import TrialMeasures, measure_all
from fivenines.base.errors import FiveninesError
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance import clients
from fivenines.results import layout
from fivenines.results.load_parts import GeneratorUse, Limit
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import ClientRecord, FaultRecord
from fivenines.results.store import Run, StoredTrial, open_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of_two_clients(tmp_path_factory.mktemp("clients"))


def test_a_client_is_measured_by_its_tables(run: Run) -> None:
    trial = run.complete[0]
    ann, bob = (client_measures(trial, name) for name in ("ann", "bob"))
    assert ann.throughput and bob.throughput and ann.latency and bob.latency
    assert ann.throughput.tps == pytest.approx(400, rel=0.2)
    assert bob.throughput.tps == pytest.approx(100, rel=0.2)
    assert ann.latency.p50 < 10 < bob.latency.p50
    # one of them was cut off for longer: the fault is that of the trial, the outage each one's own
    away = [one.availability.writes for one in (ann, bob) if one.availability]
    assert away[0] and away[1] and 1000 < away[0].ms < 3500 < away[1].ms
    # verdicts are of all together
    assert (ann.lost, ann.record.check) == (None, None)


def test_the_trials_machine_shows_whether_a_client_had_a_cpu(tmp_path: Path) -> None:
    waited = "The load generator was ready to work but had no processor."
    trial = run_of_two_clients(tmp_path).complete[0]
    clients = [
        one.model_copy(
            update={
                "load": replace(
                    one.load,
                    client=GeneratorUse(
                        limit=waited, limits=[Limit(kind="waited", text=waited)], bottleneck=True
                    ),
                )
            }
        )
        for one in trial.record.clients
    ]
    trial = StoredTrial(trial.folder, trial.record.model_copy(update={"clients": clients}))
    assert client_measures(trial, "ann").bottleneck == waited
    used = {"lab_s": 1.8, "others_s": 0.0, "busy_s": 1.8, "steal_s": 0.0, "idle_s": 0.2, "controller_s": 0.0}
    rows = [
        {"t_ms": 1000.0 * second, "name": name, "value": value * second}
        for name, value in used.items()
        for second in range(20)
    ]
    rows += [{"t_ms": 0.0, "name": name, "value": 2.0} for name in ("cores", "machine_cores")]
    write_table(trial.folder, "machine", rows)
    found = client_measures(trial, "ann")
    assert found.sharing is not None and found.sharing.lab == pytest.approx(1.8)
    assert found.bottleneck == "", "it waited for the servers, as in the trial of one client"


def test_a_client_that_finishes_first_has_the_rate_of_its_time(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Matrix([Recipe("galera")], trials=1, faults=["none"]))
    (stored,) = open_run(folder).complete
    own = layout.client_folder(stored.folder, "ann")
    own.mkdir(parents=True)
    # until 3 s it did 4 transactions in each slot of 10 ms, and then it was ready
    write_timeline(
        own,
        [
            {"slot_ms": slot, "source": "load", "writes_ok": 4, "transactions_ok": 4, "queries_ok": 8}
            for slot in range(0, 3000, 10)
        ],
    )
    windows = stored.record.windows
    assert windows is not None and windows.end > 10_000

    def measured(completed: bool, fault_at: float) -> TrialMeasures:
        load = {
            **stored.record.load.document,
            "done": 800,
            "completed": completed,
            "cut": not completed,
            "total_s": 2.0,
            "work": {"transactions": 800, "from_s": 1.0, "to_s": 3.0},
        }
        client = ClientRecord(name="ann", site="", connections=6, load=LoadSummary.of(load))
        fault = FaultRecord(kind="kill", node="node1", role="primary", at=fault_at, verified=True, detail="")
        changed = {"clients": [client], "faults": [fault]}
        record = stored.record.model_copy(update=changed)
        return client_measures(StoredTrial(stored.folder, record), "ann")

    ready = measured(True, 2000.0)
    assert ready.throughput and ready.throughput.tps == pytest.approx(400)
    assert ready.availability and ready.availability.writes
    assert ready.availability.writes.ms <= layout.SLOT_MS and ready.availability.writes.back
    # the fault of the trial came when it was ready: it says nothing about that
    assert measured(True, 5000.0).availability is None
    # Work that was stopped does not count as completed.
    cut = measured(False, 2000.0).availability
    assert cut and cut.writes and not cut.writes.back


def test_an_unknown_client_is_an_error_that_lists_the_clients(run: Run) -> None:
    with pytest.raises(FiveninesError, match=r"trial 0001 has no client 'eve'; it has ann, bob"):
        client_measures(run.complete[0], "eve")


def test_the_chapter_has_a_row_for_each(run: Run) -> None:
    swept = compared(run)
    section = clients.chapter(Data(run, swept))
    (table,) = section.tables
    assert [row[2:5] for row in table.rows] == [["ann", "east", "local"], ["bob", "west", "node2"]]
    places = {name: index for index, name in enumerate(table.columns)}
    rates = [row[places["Transactions per second"]] for row in table.rows]
    assert rates[0].startswith(("39", "40", "41")) and rates[1].startswith(("9", "10", "11"))
    assert "Writes unavailable" in places
    assert "all clients together" in section.texts[0]
    (ann, bob) = client_results(measure_all(run.complete))
    assert (ann.measures["tps"].n, bob.measures["latency_p99"].n) == (2, 2)


def test_the_chart_has_each_client_with_its_trials(run: Run) -> None:
    section = clients.chapter(Data(run, compared(run)))
    assert [figure.title for figure in section.figures] == [
        "Throughput of each client",
        "Response time of each client, 99th percentile",
    ]
    rates, _ = section.figures
    assert [row[0] for row in rates.table.rows] == ["ann", "bob"]
    # ann's trials did 400 a second, bob's 100
    means = [float(row[2].split(" ")[0]) for row in rates.table.rows]
    assert means == pytest.approx([400, 100], rel=0.2)
    assert rates.finding.startswith("ann ") and rates.finding.endswith(" transactions per second.")
    assert rates.valued and sum("one trial" in tip for tip in rates.valued.tips) == 4


def test_one_client_alone_has_no_chapter(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "one", Matrix([Recipe("galera")], trials=1)))
    assert not clients.chapter(Data(run, compared(run))).filled
    with pytest.raises(FiveninesError, match="it has one client alone"):
        client_measures(run.complete[0], "client")
