"""The summary of a run on the terminal."""

from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, SIDE_BY_SIDE, Matrix, Recipe, write_run

from fivenines.analysis.wording import NOTHING
from fivenines.report import failover_rows
from fivenines.report.terminal.terminal import blocks
from fivenines.results.layout import TRIAL
from fivenines.results.store import open_run, write_json

FAILOVERS = Matrix(
    [
        Recipe("managed", outage=4000.0, views=True),
        Recipe("alone", outage=3000.0, decides=False),
        Recipe("gone", outage=None),
        Recipe("slow", outage=8000.0, catch_up=9000.0),
    ]
)


def test_common_conditions_are_one_line_above_the_summary(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", QUICKSTART)
    (summary, failovers) = [block for block in blocks(run, 80, wide=True) if block.columns]
    assert summary.lines == ["workload oltp_read_write, connections 8"]
    assert summary.columns[:3] == ["Solution", "Trials", "Transactions/s"]
    assert "Outage, reads" in summary.columns
    assert [row[0] for row in summary.rows] == ["1-safe (local)", "2-safe (on)"]
    assert failovers.lines[-1].startswith("Failover phases")
    assert failovers.columns[1] == "Detect"


def test_a_split_brain_is_an_alarm(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", SIDE_BY_SIDE)
    (line,) = [line for block in blocks(run, 160) if block.alarm for line in block.lines]
    assert line.startswith("SPLIT BRAIN: split had a split brain in 2 of 2 trials")


def test_a_fault_without_effect_is_an_alarm_with_its_reason(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("calm"), Recipe("other")], trials=2))
    for stored in open_run(run).complete[:3]:
        (fault,) = stored.record.faults
        update = {"verified": False, "detail": "nft is missing"}
        record = stored.record.model_copy(update={"faults": [fault.model_copy(update=update)]})
        write_json(stored.folder / TRIAL, record)
    (line,) = [line for block in blocks(run, 160) if block.alarm for line in block.lines]
    assert line == f"FAULT DID NOT WORK in 3 of 4 trials: {fault.kind}: nft is missing"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "failovers", FAILOVERS)


def test_a_row_for_each_failover(broken: Path) -> None:
    managed, alone, gone, slow = failover_rows(broken)
    assert managed["Promote"] == "120 ms"
    assert alone["Detect"] == NOTHING
    assert (gone["Not recovered"], gone["Reconnect"]) == ("3 of 3", NOTHING)
    assert gone["Nines"].startswith("at most ")
    assert gone["Downtime per year"].startswith("at least ")
    assert slow["Catch up"].startswith("at least ")
    assert "Conditions" not in managed


def test_without_faults_there_are_no_failovers(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("calm")], faults=["none"], trials=2))
    assert failover_rows(run) == []
    assert len([block for block in blocks(run, 160) if block.columns]) == 1
