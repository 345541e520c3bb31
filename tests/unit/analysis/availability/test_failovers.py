"""Planted failovers come out of the tables again, phase by phase and fault by fault."""

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_failover import PROMOTE, RECONNECT, ROUTE
from synthetic_run import END, MARIADB, STEADY_END, Matrix, Recipe, write_run

from fivenines.analysis.availability.availability import Availability, Gap, Outage, failover_ms
from fivenines.analysis.availability.failovers import since_the_worst
from fivenines.analysis.availability.fault_windows import FaultWindow, Turn, fault_windows
from fivenines.analysis.availability.phases import PHASES
from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.trials import TrialMeasures
from fivenines.results import layout, store
from fivenines.results.records import Event, FaultRecord, TrialRecord
from fivenines.results.store import open_run, table_path

RECIPES = [
    Recipe("manager", outage=4000.0, views=True),
    Recipe("group", outage=3000.0, group=True),
    Recipe("nobody", outage=3000.0, decides=False),
    Recipe("gone", outage=None),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    matrix = Matrix(RECIPES, trials=3)
    return write_run(tmp_path_factory.mktemp("runs") / "failovers", matrix)


@pytest.fixture(scope="module")
def cells(run: Path) -> dict[str, CellResult]:
    return {cell.key.solution: cell for cell in analyse(open_run(run))}


def lengths(trial: TrialMeasures) -> dict[str, float]:
    (fault,) = trial.faults
    return {phase.name: phase.ms for phase in fault.failover.phases}


@pytest.mark.parametrize("solution", ["manager", "group"])
def test_planted_phases_are_found_in_every_trial(cells: dict[str, CellResult], solution: str) -> None:
    for trial in cells[solution].trials:
        result = lengths(trial)
        assert list(result) == [name for name in PHASES if name != "client"]
        assert result["promote"] == pytest.approx(PROMOTE, abs=1)
        assert result["route"] == pytest.approx(ROUTE, abs=25)  # the ledger writes every 20 ms
        assert result["reconnect"] == pytest.approx(RECONNECT, abs=25)
        assert result["catch up"] == pytest.approx(1500, abs=250)
        assert trial.faults[0].failover.notes == ()


def test_the_first_three_are_the_failover_time(cells: dict[str, CellResult]) -> None:
    for trial in cells["manager"].trials:
        result = lengths(trial)
        assert trial.availability
        first = result["detect"] + result["promote"] + result["route"]
        assert first == pytest.approx(trial.availability.failover_ms, abs=layout.SLOT_MS)


def test_nobody_decides_and_the_time_belongs_to_the_next(cells: dict[str, CellResult]) -> None:
    result = cells["nobody"].faults[0]
    assert not result.phase("detect").seen
    assert result.phase("promote").summary.mean == pytest.approx(3000 - ROUTE, rel=0.1)
    assert result.returned.mean == pytest.approx(3000 + RECONNECT, rel=0.1)


def test_means_of_phases_add_up_to_the_mean_of_the_whole(cells: dict[str, CellResult]) -> None:
    for name in ("manager", "group", "nobody"):
        result = cells[name].faults[0]
        means = [phase.summary.mean or 0.0 for phase in result.phases]
        assert sum(means) == pytest.approx(result.whole.mean)
        assert sum(means[:-1]) == pytest.approx(result.returned.mean)


def test_what_never_came_back_is_in_no_phase(cells: dict[str, CellResult]) -> None:
    result = cells["gone"].faults[0]
    assert (result.not_recovered, result.stuck) == (3, {"promote": 3})
    assert result.returned.mean == pytest.approx(END - STEADY_END, abs=70)
    assert all(phase.summary.n == 0 for phase in result.phases)
    assert (result.back.n, result.returned.bounds, result.work_lost.bounds) == (0, 3, 3)


def test_brown_out_and_work_lost(cells: dict[str, CellResult]) -> None:
    result = cells["manager"].faults[0]
    tps = cells["manager"].tps.mean or 0.0
    assert result.brownout.mean == pytest.approx(1500, abs=900)
    # nothing for the outage, then half of the rate
    assert result.work_lost.mean == pytest.approx(tps * (4.06 + 0.75), rel=0.15)
    assert result.failed.mean == pytest.approx(8 * 46, rel=0.2)  # planted once in 100 ms, then every slot
    assert result.steady_below.mean == 0


def test_without_node_states_the_manager_is_believed(run: Path, tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=1))
    folder = open_run(copy).complete[0].folder
    table_path(folder, "nodes").unlink()
    (trial,) = analyse(open_run(copy))[0].trials
    assert lengths(trial)["promote"] == pytest.approx(PROMOTE + 4, abs=1)


def test_without_any_other_table_the_time_line_alone_speaks(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[1:2], trials=1))
    folder = open_run(copy).complete[0].folder
    for table in ("nodes", "ledger"):
        table_path(folder, table).unlink()
    (trial,) = analyse(open_run(copy))[0].trials
    assert list(lengths(trial)) == ["reconnect", "catch up"]


def test_a_damaged_table_is_a_note(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=2))
    folder = open_run(copy).complete[0].folder
    table_path(folder, "nodes").write_bytes(b"no parquet")
    first, second = analyse(open_run(copy))[0].trials
    assert "nodes.parquet cannot be read" in first.notes[0]
    assert second.notes == []


def fault(at: float, node: str = "node1", **more: object) -> FaultRecord:
    values = {"kind": "kill", "role": "primary", "verified": True, "detail": ""} | more
    return FaultRecord.model_validate({"node": node, "at": at, **values})


def with_faults(path: Path, *faults: FaultRecord) -> TrialRecord:
    """Return the first trial of a run, with other faults."""
    stored = open_run(path).complete[0]
    record = stored.record.model_copy(update={"faults": list(faults)})
    store.write_json(stored.folder / layout.TRIAL, record)
    return record


def test_the_window_of_a_fault_ends_at_the_next(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=1))
    at = (open_run(copy).complete[0].record.faults[0]).at
    with_faults(copy, fault(at), fault(at + 2000, "node3", role="replica"))
    (cell,) = analyse(open_run(copy))
    first, second = cell.trials[0].faults
    assert (first.fault_window.until, second.fault_window.until) == (at + 2000, END)
    assert not first.failover.returned
    assert second.failover.return_ms == pytest.approx(2000 + RECONNECT, abs=400)
    assert [result.label for result in cell.faults] == ["kill primary", "kill replica"]
    assert [result.not_recovered for result in cell.faults] == [1, 0]


@pytest.mark.parametrize("decides", [True, False])
def test_a_stall_that_comes_later_is_an_outage_but_no_failover(tmp_path: Path, decides: bool) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=1))
    trial = open_run(copy).complete[0]
    began = trial.record.faults[0].at
    record = with_faults(copy, fault(began - 1000, "node3", role="replica"))
    if not decides:
        quiet = record.model_copy(update={"events": []})
        store.write_json(trial.folder / layout.TRIAL, quiet)
    (cell,) = analyse(open_run(copy))
    (result,) = cell.trials[0].faults
    assert result.failover.interrupted is decides
    assert (result.availability.failover_ms == 0) is not decides
    assert result.availability.writes is not None and result.availability.writes.ms > 500
    assert (result.failover.phase("route") is not None) is decides
    assert (cell.failover.summary.mean == 0) is not decides
    assert (cell.writes.summary.mean or 0) > 500


def test_faults_at_once_are_one(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=1))
    record = with_faults(
        copy,
        fault(5000),
        fault(5100, "node2", role="replica", nodes=["node2", "node3"]),
        fault(9000),
        fault(END + 1),
    )
    both, later = fault_windows(record)
    assert both.hit == {"node1", "node2", "node3"}
    assert both.label == "kill primary and kill replica"
    assert (both.at, both.until, later.until) == (5000, 9000, END)
    assert both.mtbf is None


def test_a_fault_of_its_own_knows_its_rate() -> None:
    assert FaultWindow((fault(1, mtbf=86_400.0),), 2).mtbf == 86_400


def test_no_fault_no_measures(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", replace(MARIADB, faults=["none"], connections=[8], broken=0))
    assert all(cell.faults == [] for cell in analyse(open_run(copy)))


def test_a_load_that_only_reads(tmp_path: Path) -> None:
    """Reads go on, so nothing has to reconnect after the endpoint is back."""
    recipe = Recipe("galera", outage=4000.0, reads_outage=20.0, catch_up=0)
    copy = write_run(tmp_path / "run", Matrix([recipe], workloads=["oltp_read_only"], trials=1))
    (cell,) = analyse(open_run(copy))
    result = lengths(cell.trials[0])
    assert result["reconnect"] <= 30
    assert result["detect"] == pytest.approx(4000, rel=0.15)


def test_a_fault_that_goes_from_server_to_server_has_turns(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=1))
    nodes = ["node2", "node3", "node1"]
    rolling = fault(5_000, "node2", kind="maintenance", role="all", nodes=nodes, ended=9_000)
    moments = [5_000.1, 7_000.0, 8_000.0, 9_000.1]
    events = [
        Event(t=t, kind="maintenance", node=node) for t, node in zip(moments, [*nodes, "node2"], strict=True)
    ]
    record = with_faults(copy, rolling).model_copy(update={"events": events})
    (fault_window,) = fault_windows(record)
    assert fault_window.turns == (
        Turn("node2", 5_000.1, 7_000.0),
        Turn("node3", 7_000.0, 8_000.0),
        Turn("node1", 8_000.0, END),
    )
    alone = fault_window.alone(fault_window.turns[2])
    assert (alone.at, alone.until, list(alone.hit)) == (8_000.0, END, ["node1"])
    assert alone.label == fault_window.label == "maintenance all"
    killed = record.model_copy(update={"faults": [fault(5_000, nodes=nodes)]})
    assert fault_windows(killed)[0].turns == ()


def test_phases_are_those_of_the_turn_with_the_longest_interruption(tmp_path: Path) -> None:
    copy = write_run(tmp_path / "run", Matrix(RECIPES[:1], trials=1))
    result = open_run(copy).complete[0].record
    at, before = result.faults[0].at, STEADY_END - 1000
    # the planted failover belongs to the second turn; the first one interrupted nothing
    rolling = fault(before, "node3", kind="maintenance", role="all", nodes=["node3", "node1"])
    turns = [Event(t=before, kind="maintenance", node="node3"), Event(t=at, kind="maintenance", node="node1")]
    stored = open_run(copy).complete[0]
    record = result.model_copy(update={"faults": [rolling], "events": [*turns, *result.events]})
    store.write_json(stored.folder / layout.TRIAL, record)
    (trial,) = analyse(open_run(copy))[0].trials
    (measures,) = trial.faults
    assert measures.failover.fault == at
    assert lengths(trial)["promote"] == pytest.approx(PROMOTE, abs=1)
    assert trial.availability is not None
    assert trial.availability.failover_ms == measures.availability.failover_ms
    assert trial.availability.failover_ms == pytest.approx(4000, rel=0.2)
    assert trial.interruptions.writes[0].event == "maintenance of node1"


def test_the_failover_time_of_several_faults_is_that_of_the_longest_interruption(tmp_path: Path) -> None:
    for number, (recipe, seconds) in enumerate(((RECIPES[0], 4.0), (RECIPES[3], None))):
        path = write_run(tmp_path / str(number), Matrix([recipe], trials=1))
        killed = open_run(path).complete[0].record.faults[0]
        # a replica that died three seconds earlier interrupted nothing
        with_faults(path, fault(killed.at - 3000, "node3", role="replica"), killed)
        (trial,) = analyse(open_run(path))[0].trials
        assert trial.availability is not None
        assert len(trial.faults) == 2
        last = trial.faults[1].availability
        assert trial.availability.failover == last.failover
        if seconds is not None:
            assert trial.availability.failover_ms == pytest.approx(1000 * seconds, rel=0.2)
        else:
            assert trial.availability.failover == (last.observed_ms, True)
            assert last.writes is not None
            assert last.observed_ms == pytest.approx(last.writes.ms, abs=100)


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        # the first fault led to a stall, the second one to the failover
        ([(5_100, 6_000), (8_000, 12_000)], (4_000, False)),
        # a stall that was over before the fault after which service never returned
        ([(5_100, 6_000), (7_990, 20_000)], (12_000, True)),
        # an interruption that covers both faults belongs to the first one
        ([(5_100, 6_000), (4_900, 12_000)], (7_000, False)),
        ([], (0.0, False)),
    ],
)
def test_an_interruption_belongs_to_the_fault_before_it(
    gaps: list[tuple[float, float]], expected: tuple[float, bool]
) -> None:
    first, second, end = 5_000.0, 8_000.0, 20_000.0
    found = tuple(Gap(low, high, closed=high < end) for low, high in gaps)
    back = all(gap.closed for gap in found)
    longest = max(found, key=lambda gap: gap.ms, default=Gap(first, first))
    writes = Outage(longest, 50.0, 10.0, back, found)
    whole = Availability(first, end - first, writes, None, failover_ms(writes, first))
    assert since_the_worst(whole, [first, second]).failover == expected
