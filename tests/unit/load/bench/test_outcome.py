"""The figures of a load: sums of its record, throughput by the workload's own unit."""

from pathlib import Path
from typing import Any

import pytest

from fivenines.load.bench.outcome import Outcome, read_outcome
from fivenines.load.workloads.mix import Mix, Part
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.load.workloads.tatp import Tatp
from fivenines.load.workloads.tpcc import Tpcc
from fivenines.results.load_summary import LoadSummary

OLTP = Oltp(workload="oltp_read_only")


def record(**changes: Any) -> dict[str, Any]:
    return {
        "transactions": {"ok": 600, "failed": 3, "in_doubt": 1},
        "queries": 6000,
        "duration_s": 2.0,
        "expected": 4,
        "retries": 2,
        "types": [{"name": "new_order", "ok": 270}, {"name": "insert", "ok": 10}],
        "errors": [
            {"class": "timeout", "code": "end", "count": 1, "message": "late", "source": "load"},
            {"class": "deadlock", "code": "1213", "count": 9, "message": "dead", "source": "load"},
            {"class": "refused", "code": "2", "count": 99, "message": "p", "source": "ledger"},
        ],
        "client": {"user_s": 0.02, "system_s": 0.01, "wall_s": 2.0, "bottleneck": False},
        **changes,
    }


def read(tmp_path: Path, workload: WorkloadSettings, **changes: Any) -> Outcome:
    (tmp_path / "latency.hlog").write_text("#[Histogram log format version 1.3]\n")
    return read_outcome(tmp_path, LoadSummary.of(record(**changes)), workload, interrupted=False)


@pytest.mark.parametrize(
    ("workload", "unit", "value"),
    [
        (Tpcc(workload="tpcc"), "tpmC", 8100.0),
        (Tatp(workload="tatp"), "MQTh", 300.0),
        (
            Mix(workload="mix", parts=[Part(workload=OLTP), Part(workload=Tpcc(workload="tpcc"))]),
            "tpmC",
            8100.0,
        ),
    ],
)
def test_each_workload_has_its_unit(
    tmp_path: Path, workload: WorkloadSettings, unit: str, value: float
) -> None:
    found = read(tmp_path, workload).throughput
    assert found == {"transactions/s": 300.0, "queries/s": 3000.0, unit: value}


def test_work_that_is_done_is_measured_over_its_own_time(tmp_path: Path) -> None:
    done = {"done": 600, "completed": True, "cut": False, "total_s": 1.5}
    assert read(tmp_path, OLTP, **done).throughput["transactions/s"] == 400.0
    cut = {**done, "completed": False, "cut": True}
    assert read(tmp_path, OLTP, **cut).throughput["transactions/s"] == 300.0


def test_rows_are_those_that_the_program_counted(tmp_path: Path) -> None:
    found = read(tmp_path, OLTP, rows={"inserted": 5000, "per_second": 2500.0}).throughput
    assert found["rows/s"] == 2500.0
    assert "rows/s" not in read(tmp_path, OLTP, rows=None).throughput


def test_other_workloads_have_transactions_and_queries(tmp_path: Path) -> None:
    assert read(tmp_path, OLTP).throughput == {"transactions/s": 300.0, "queries/s": 3000.0}
    assert read(tmp_path, OLTP, duration_s=0.0).throughput == {}


def test_sums_errors_and_the_generators_own_cost(tmp_path: Path) -> None:
    outcome = read(tmp_path, OLTP)
    total = outcome.total
    assert (total.ok, total.failed, total.in_doubt, total.expected, total.retries) == (600, 3, 1, 4, 2)
    assert [one.kind for one in outcome.errors] == ["deadlock", "timeout"]
    assert outcome.cpu_us_per_query == pytest.approx(5.0)
    assert outcome.latencies == {} and outcome.connect is None


def test_the_generator_says_when_it_was_the_limit(tmp_path: Path) -> None:
    client = record()["client"]
    assert read(tmp_path, OLTP).limit is None
    assert "bottleneck" in str(read(tmp_path, OLTP, client={**client, "bottleneck": True}).limit)
    message = {**client, "bottleneck": True, "limit": "its core was busy"}
    assert read(tmp_path, OLTP, client=message).limit == "its core was busy"


def test_nothing_worked_names_the_commonest_error(tmp_path: Path) -> None:
    none = {"ok": 0, "failed": 3, "in_doubt": 0}
    assert read(tmp_path, OLTP).nothing_worked is None
    assert read(tmp_path, OLTP, transactions=none).nothing_worked is None, "expected ends are ends"
    assert read(tmp_path, OLTP, transactions=none, expected=0).nothing_worked == "dead"
    assert read(tmp_path, OLTP, transactions=none, expected=0, errors=[]).nothing_worked is None


def test_json_has_all_of_it(tmp_path: Path) -> None:
    found = read(tmp_path, OLTP).as_json()
    assert set(found) == {
        "interrupted",
        "throughput",
        "latency_ms",
        "latency_by_type_ms",
        "connect_ms",
        "client",
        "load",
    }
    assert found["latency_ms"] is None
    assert found["client"] == {"cpu_us_per_query": pytest.approx(5.0), "limit": None}
