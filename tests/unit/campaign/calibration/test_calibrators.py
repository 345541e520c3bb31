"""Calibrators are found by themselves; what they reckon before and after their measurements."""

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import pytest
from synthetic_run import write_table

from fivenines.analysis.statistics.means import summarise
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.campaign.calibration import run
from fivenines.campaign.calibration.base import CalibrationContext, Calibrator, calibrators, chosen
from fivenines.campaign.calibration.outages import LENGTHS, schedule
from fivenines.campaign.calibration.rows import before_running_reads
from fivenines.campaign.calibration.same import false_alarms, neighbour_sd, noise_share, windows_of
from fivenines.campaign.calibration.throughput import counted, judged
from fivenines.lab.machine import describe
from fivenines.results import calibrations
from fivenines.results.calibration import Line, Step
from fivenines.results.load_parts import Transactions
from fivenines.results.load_summary import LoadSummary
from fivenines.results.store import table_path

NAMES = ["machine", "outages", "rows", "divergence", "links", "throughput", "same"]


def test_all_are_found_in_order_and_in_the_time_that_is_promised() -> None:
    assert [kind.name for kind in calibrators()] == NAMES
    assert 120 <= sum(kind.seconds[False] for kind in calibrators()) <= 240
    assert sum(kind.seconds[True] for kind in calibrators()) <= 100


def test_only_some() -> None:
    assert [kind.name for kind in chosen("links, rows")] == ["rows", "links"]
    assert [kind.name for kind in chosen("")] == NAMES
    with pytest.raises(UsageError, match="unknown step 'link'\n    allowed: machine, outages"):
        chosen("link")


@pytest.mark.parametrize("short", [True, False])
def test_planted_outages_do_not_run_into_each_other(short: bool) -> None:
    result = schedule(random.Random(1), short=short)
    for before, after in pairwise(result):
        # closer than 0.5 s they would be one fault, and without load between them one outage
        assert after.at - (before.at + before.seconds) >= 0.6
    for length, (full, few) in LENGTHS.items():
        ways = [item.how for item in result if item.nominal == length]
        assert len(ways) == (few if short else full) and set(ways) == {"silent", "reset"}
    assert all(0 <= item.seconds - item.nominal <= 0.010 for item in result)
    # their ends are spread over the slots of the time line
    assert len({round((item.at + item.seconds) * 1000) % 10 for item in result}) >= 3


def test_windows_are_cut_from_the_time_line(tmp_path: Path) -> None:
    file = tmp_path / "timeline.csv"
    rows = ["900,load,5", "1000,load,1", "1390,load,2", "1390,ledger,7", "1400,load,4", "1800,load,9"]
    file.write_text("slot_ms,source,transactions_ok\n" + "\n".join(rows) + "\n")
    assert windows_of(file, 800) == [3.0, 4.0]


def test_noise_is_half_of_the_interval_between_two_sides() -> None:
    # cov 0.1, 5 of a side: 2.306 * 0.1 * sqrt(2/5)
    assert noise_share(summarise([90.0, 100.0, 110.0]), 5) == pytest.approx(0.1458, abs=1e-4)


def test_neighbours_are_compared_with_each_other_only() -> None:
    # the machine becomes four times as fast; no two neighbours differ
    assert neighbour_sd([100.0, 100.0, 400.0, 400.0]) == 0.0
    assert neighbour_sd([100.0, 200.0, 200.0, 100.0]) == pytest.approx(0.980, abs=1e-3)
    assert neighbour_sd([0.0, 200.0]) == 0.0


def test_a_difference_between_neighbours_would_be_a_false_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    assert false_alarms([chance.gauss(100, 10) for _ in range(96)], random.Random(1))[1] == 12
    # sides that differ by much more than they scatter are always distinguished: sorted, not dealt
    chance = random.Random(5)
    monkeypatch.setattr(chance, "shuffle", list[float].sort)
    assert false_alarms([1.0, 1.1, 9.0, 9.1, 1.2, 9.2, 1.3, 9.3], chance) == (1, 1)


def load_of(point_select: int = 4000) -> LoadSummary:
    counts = {
        "begin": 400,
        "commit": 400,
        "rollback": 0,
        "point_select": point_select,
        "insert": 400,
        "delete": 400,
        "index_update": 400,
        "non_index_update": 400,
        "sum_range": 400,
    }
    return LoadSummary(statements=counts, transactions=Transactions(ok=400), duration_s=8.0)


def test_a_read_that_runs_when_the_replay_resumes_says_nothing(tmp_path: Path) -> None:
    columns: dict[str, object] = {"kind": "read", "outcome": "ok", "error_class": None}
    rows: list[dict[str, object]] = [
        {"kind": "write", "started_us": 1_000, "completed_us": 9_000_000},
        {"started_us": 2_000_000, "completed_us": 2_001_000},
        # It began before the replay resumed at 3 s, and its server may have executed it afterwards.
        {"started_us": 2_990_000, "completed_us": 3_020_000},
        {"started_us": 2_995_000, "completed_us": None},
        {"started_us": 3_500_000, "completed_us": 3_501_000},
    ]
    write_table(tmp_path, "ledger", [{"id": n, "client": 0, **columns, **row} for n, row in enumerate(rows)])
    assert before_running_reads(table_path(tmp_path, "ledger"), 3000.0) == 2990.0
    assert before_running_reads(table_path(tmp_path, "ledger"), 2500.0) == 2500.0


def test_statements_are_counted_without_begin_and_commit() -> None:
    assert counted(load_of()) == (4400, 1600)
    assert [line.within for line in judged(load_of(), (4400, 1600))] == [True, True, True]
    assert [line.within for line in judged(load_of(4001), (4400, 1600))] == [True, False, True]


class Good(Calibrator):
    name = "links"
    title = "Links"
    order = 1
    seconds: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def measure(self, context: CalibrationContext) -> list[Line]:
        assert context.folder.is_dir()
        return [Line(planted="p", measured="m", error="e", bounds="b", within=True)]


class Bad(Good):
    name = "rows"

    def measure(self, context: CalibrationContext) -> list[Line]:
        (context.folder / "left").touch()
        raise FiveninesError("no room")


class BrokenOff(Good):
    name = "same"

    def measure(self, context: CalibrationContext) -> list[Line]:
        raise KeyboardInterrupt


def calibrated(*kinds: type[Calibrator]) -> list[Step]:
    steps: list[Step] = []
    run.calibrate(kinds, run.Listener(lambda *_: None, lambda _: None, steps.append), short=True)
    return steps


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path))
    return tmp_path / "calibration"


def test_a_failure_is_kept_with_its_reason_and_does_not_stop_the_others(cache: Path) -> None:
    steps = calibrated(Bad, Good)
    assert [(step.name, step.failure) for step in steps] == [("rows", "no room"), ("links", "")]
    kept = calibrations.load(describe())
    assert kept is not None and not kept.sound
    assert [step.name for step in kept.steps] == ["rows", "links"]
    assert [path.suffix for path in cache.iterdir()] == [".json"]  # no scratch folder is left


def test_breaking_off_keeps_what_is_done(cache: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        calibrated(Good, BrokenOff, Bad)
    kept = calibrations.load(describe())
    assert kept is not None and [step.name for step in kept.steps] == ["links"]
    assert [path.suffix for path in cache.iterdir()] == [".json"]


def test_a_later_step_takes_the_place_of_an_earlier_one(cache: Path) -> None:
    calibrated(Good, Bad)
    again = type("Again", (Good,), {"name": "rows"})
    calibrated(again)
    kept = calibrations.load(describe())
    assert kept is not None and kept.sound and [step.name for step in kept.steps] == ["rows", "links"]


def test_steps_of_another_kernel_are_dropped_and_a_damaged_file_is_none(cache: Path) -> None:
    calibrated(Good)
    machine = describe()
    file = calibrations.path_of(machine)
    loads = json.loads(file.read_text())
    loads["machine"]["kernel"] = "Linux 2.4"
    file.write_text(json.dumps(loads))
    assert [step.name for step in (calibrations.load(machine) or pytest.fail()).steps] == ["links"]
    calibrated(Bad)
    assert [step.name for step in (calibrations.load(machine) or pytest.fail()).steps] == ["rows"]
    file.write_text("{")
    assert calibrations.load(machine) is None
