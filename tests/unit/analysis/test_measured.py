"""Each measure's value in a trial, by planting what it must show."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import END, STEADY_END, WARMUP, Matrix, Recipe, write_run, write_table, write_timeline

from fivenines.analysis.availability import phases
from fivenines.analysis.availability.availability import timeline
from fivenines.analysis.measured import EVENTS, VALUES, summary_of, values_of
from fivenines.analysis.measures.entries.outages import PHASES
from fivenines.analysis.measures.measures import MEASURES, measure_named
from fivenines.analysis.performance.steadiness import steadiness
from fivenines.analysis.performance.steady import STEADY, lag_course
from fivenines.analysis.resources.series import Series
from fivenines.analysis.trials import TrialMeasures, measures
from fivenines.results import layout, store
from fivenines.results.load_summary import LoadSummary
from fivenines.results.records import TrialRecord, Windows
from fivenines.results.store import open_run

STEADY_S = (STEADY_END - WARMUP) / 1000
PER_SLOT = 9
Plant = Callable[[Path], None]


def _trial(
    folder: Path, plant: Plant | None = None, recipe: Recipe | None = None, fault: str = "none"
) -> TrialMeasures:
    """Return a trial with an even load of 9 transactions a slot, unless something else is planted."""
    matrix = Matrix([recipe or Recipe("a", known=True, sampled="mariadb")], faults=[fault], trials=1)
    run = write_run(folder / "run", matrix)
    path = run / "trials" / "0001"
    if fault == "none":
        write_timeline(path, _line(range(0, int(END), 10)))
    if plant:
        plant(path)
    (result,) = measures(open_run(run).complete)
    return result


def _line(slots: range | list[int], each: Callable[[int], int] = lambda _: PER_SLOT) -> list[dict[str, Any]]:
    return [
        {
            "slot_ms": slot,
            "source": "load",
            "writes_ok": each(slot),
            "transactions_ok": each(slot),
            "queries_ok": 2 * each(slot),
        }
        for slot in slots
    ]


def _value(trial: TrialMeasures, name: str) -> float | None:
    values = VALUES[name](trial)
    assert values is None or values[1] is False
    return values[0] if values else None


def _record(path: Path, change: Callable[[TrialRecord], TrialRecord]) -> None:
    record = TrialRecord.model_validate_json((path / layout.TRIAL).read_text())
    store.write_json(path / layout.TRIAL, change(record))


def _load(**details: Any) -> Plant:
    return lambda path: _record(
        path,
        lambda record: record.model_copy(
            update={"load": LoadSummary.of({**record.load.document, **details})}
        ),
    )


def test_every_listed_measure_has_a_value_or_an_event() -> None:
    of_solutions = {name for name, measure in MEASURES.items() if measure.kind in ("number", "estimate")}
    assert set(MEASURES) == {*VALUES, *EVENTS} | of_solutions
    assert {name for name, measure in MEASURES.items() if measure.kind == "event"} == set(EVENTS)
    assert [phase.replace(" ", "_") for phase in phases.PHASES] == list(PHASES)


def test_an_even_load_has_no_stall_no_variation_and_a_last_quarter_like_the_first(tmp_path: Path) -> None:
    trial = _trial(tmp_path)
    assert _value(trial, "tps") == 100 * PER_SLOT and _value(trial, "qps") == 200 * PER_SLOT
    assert (_value(trial, "stalls"), _value(trial, "stalls_longest")) == (0.0, 0.0)
    assert (_value(trial, "cov_in_time"), _value(trial, "last_quarter")) == (0.0, 1.0)


def test_a_fault_after_the_end_of_the_load_has_no_failover_at_all(tmp_path: Path) -> None:
    def until(end: float) -> Plant:
        return lambda path: _record(
            path,
            lambda record: record.model_copy(
                update={"windows": Windows(warmup_end=WARMUP, steady_end=min(STEADY_END, end), end=end)}
            ),
        )

    met = _trial(tmp_path / "met", fault="kill")
    assert met.availability is not None and met.record.fault is not None
    late = _trial(tmp_path / "late", until(met.record.fault.at), fault="kill")
    assert late.record.fault is not None
    assert (late.availability, late.faults, _value(late, "failover")) == (None, [], None)


def test_a_stall_of_two_seconds_is_one_with_its_length(tmp_path: Path) -> None:
    still = [slot for slot in range(0, int(END), 10) if not 2000 <= slot < 4000]
    trial = _trial(tmp_path, lambda path: write_timeline(path, _line(still)))
    assert _value(trial, "stalls") == 1.0
    assert _value(trial, "stalls_longest") == pytest.approx(2000, abs=20)
    # seconds of 900, 0, 0 and 900
    assert _value(trial, "cov_in_time") == pytest.approx(1.1547, abs=1e-4)
    assert _value(trial, "last_quarter") == 1.0


def test_a_load_that_becomes_slower_shows_in_its_last_quarter(tmp_path: Path) -> None:
    def each(slot: int) -> int:
        return 10 if slot < 4000 else 4

    line = _line(range(0, int(END), 10), each)
    assert _value(_trial(tmp_path, lambda path: write_timeline(path, line)), "last_quarter") == 0.4


def test_a_short_window_or_several_steps_have_no_variation(tmp_path: Path) -> None:
    steps = [{"from_s": 0, "to_s": 2}, {"from_s": 2, "to_s": 15}]
    trial = _trial(tmp_path, _load(steps=steps))
    assert all(_value(trial, name) is None for name in ("cov_in_time", "last_quarter", "stalls"))
    assert steadiness(timeline([]), 0.0, 3999.0) is None


@given(st.lists(st.integers(0, 50), min_size=4, max_size=30))
def test_variation_is_that_of_the_seconds(counts: list[int]) -> None:
    line = timeline([(1000 * n, 0, 0, count, 0) for n, count in enumerate(counts)])
    result = steadiness(line, 0.0, 1000.0 * len(counts))
    assert result is not None
    if not any(counts):
        assert result.cov is None
    else:
        assert result.cov == pytest.approx(np.std(counts, ddof=1) / np.mean(counts))
        assert result.cov is not None and result.cov >= 0


def _delays(values: Mapping[float, float | None], source: str = "Seconds_Behind_Master") -> Plant:
    rows = [
        {"t_ms": t, "node": "node2", "source": source, "value": "" if v is None else v, "unit": "s"}
        for t, v in values.items()
    ]
    return lambda path: write_table(path, "lag", rows)


def test_told_delay_is_the_largest_of_the_steady_window(tmp_path: Path) -> None:
    lags = {500.0: 90, 1500.0: 0, 2500.0: 1, 3500.0: None, 4500.0: 3, 6000.0: 70}
    trial = _trial(tmp_path, _delays(lags))
    assert _value(trial, "reported_lag_max") == 3000
    assert _value(trial, "reported_lag_mean") == pytest.approx(4000 / 3)
    assert _value(trial, "reported_lag_growth") == pytest.approx(1000, rel=0.1)


def test_only_what_is_told_of_applying_counts(tmp_path: Path) -> None:
    trial = _trial(tmp_path, _delays({1500.0: 7, 2500.0: 7}, "pg_last_xact_replay_timestamp"))
    assert _value(trial, "reported_lag_max") is None


def test_true_delay_is_the_age_of_the_oldest_write_that_a_node_lacks(tmp_path: Path) -> None:
    # before the fault node2 applies nothing for 3 s
    trial = _trial(tmp_path, fault="kill")
    largest = _value(trial, "actual_lag_max")
    assert largest is not None and 2500 < largest <= 3100
    growth = _value(trial, "actual_lag_growth")
    assert growth is not None and 600 < growth < 1000
    assert _value(trial, "reported_lag_max") == 0.0, "the replica says 0 while it applies nothing"


@given(
    st.floats(-50, 50), st.floats(0, 1000), st.lists(st.floats(0, 60), min_size=2, max_size=20, unique=True)
)
def test_growth_is_the_slope_of_a_line(slope: float, start: float, at: list[float]) -> None:
    t = np.sort(np.array(at)) * 1000
    result = lag_course([Series(t, start + slope * t / 1000)], 0.0, 61_000.0)
    assert result is not None
    if np.ptp(t) > 1:
        assert result.growth == pytest.approx(slope, abs=1e-3, rel=1e-3)
    assert result.mean <= result.max + 1e-9


def test_the_node_that_is_furthest_behind_is_told() -> None:
    t = [1000.0 * n for n in range(5)]
    flat, rising = Series.of(t, [70.0] * 5), Series.of(t, [10.0 * n for n in range(5)])
    result = lag_course([flat, rising], 0.0, 5000.0)
    assert result is not None and (result.max, result.mean) == (70.0, 70.0)
    assert result.growth == pytest.approx(10.0)
    assert lag_course([flat], 6000.0, 7000.0) is None


def _reads(ages: list[int]) -> Plant:
    """Return a write each 100 ms, and reads that show what was written so many writes before."""

    def plant(path: Path) -> None:
        head = {"client": 0, "outcome": "ok", "endpoint": "node2:3306"}
        rows = [
            head | {"id": n, "kind": "write", "started_us": n * 100_000 - 1000, "completed_us": n * 100_000}
            for n in range(1, 60)
        ]
        for n, age in enumerate(ages):
            at = 2_050_000 + n * 100_000
            seen = at // 100_000 - age
            rows.append(
                head
                | {"id": seen, "kind": "read", "started_us": at, "completed_us": at + 500, "seen": [seen]}
            )
        write_table(path, "ledger", rows)

    return plant


def test_the_share_of_stale_reads(tmp_path: Path) -> None:
    assert _value(_trial(tmp_path, _reads([0, 0, 3, 0])), "stale_share") == 0.25


def test_without_a_read_there_is_no_share(tmp_path: Path) -> None:
    assert _value(_trial(tmp_path), "stale_share") is None


def test_hosts_use_what_they_used(tmp_path: Path) -> None:
    trial = _trial(tmp_path)
    hosts = trial.record.deployment.hosts if trial.record.deployment else {}
    nodes = [name for name, host in hosts.items() if host.kind == "node"]
    assert nodes == ["node1", "node2"]
    assert _value(trial, "host_cpu:node") == 1.0 and _value(trial, "host_cpu:node1") == 0.5
    assert _value(trial, "host_cpu:client") == 0.5 and _value(trial, "host_cpu:primary") == 0.5
    assert _value(trial, "memory:node") == pytest.approx(300.0)
    assert _value(trial, "host_cpu:nobody") is None
    # a host that was not sampled makes the whole unknown
    sampled = {"client", *nodes}
    known = set(hosts) <= sampled
    assert (_value(trial, "host_cpu") is not None) is known
    assert (_value(trial, "memory") is not None) is known


def test_bytes_for_a_transaction(tmp_path: Path) -> None:
    def plant(path: Path) -> None:
        def alone(record: TrialRecord) -> TrialRecord:
            assert record.deployment is not None
            kept = {n: h for n, h in record.deployment.hosts.items() if h.kind in ("node", "client")}
            deployment = record.deployment.model_copy(update={"hosts": kept})
            return record.model_copy(update={"deployment": deployment})

        _record(path, alone)

    trial = _trial(tmp_path, plant)
    # two nodes send 500 000 bytes a second each, for 900 transactions
    assert _value(trial, "wire_bytes_per_transaction") == pytest.approx(1e6 / 900)
    assert _value(trial, "host_cpu") == 1.0
    assert _value(trial, "memory") == pytest.approx(300.0)


def test_any_counter_per_second_and_per_transaction(tmp_path: Path) -> None:
    trial = _trial(tmp_path)
    # 900 a second on each of two nodes
    assert _value(trial, "counter:Com_commit/s") == pytest.approx(1800.0)
    assert _value(trial, "counter:Com_commit/transaction") == pytest.approx(2.0)
    assert _value(trial, "counter:Threads_running") == pytest.approx(8.0)
    assert _value(trial, "counter:Com_comit/s") is None


def test_a_counter_that_one_node_does_not_tell_is_not_known(tmp_path: Path) -> None:
    def plant(path: Path) -> None:
        rows = [
            {"t_ms": t, "node": node, "name": "Handler_write", "value": t}
            for node, until in (("node1", 15_000), ("node2", 2000))
            for t in range(0, until, 500)
        ]
        write_table(path, "counters", rows)

    assert _value(_trial(tmp_path, plant), "counter:Handler_write/s") is None


def test_rows_are_those_of_the_node_that_changed_most(tmp_path: Path) -> None:
    def plant(path: Path) -> None:
        rates = {
            "node1": (("Innodb_rows_inserted", 40), ("Innodb_rows_updated", 2)),
            "node2": (("Innodb_rows_inserted", 40),),
        }
        write_table(
            path,
            "counters",
            [
                {"t_ms": t, "node": node, "name": name, "value": t * rate / 1000}
                for node, some in rates.items()
                for name, rate in some
                for t in range(0, 15_000, 500)
            ],
        )

    assert _value(_trial(tmp_path, plant), "rows_s") == pytest.approx(42.0)


def test_rows_that_the_load_counts_itself(tmp_path: Path) -> None:
    trial = _trial(tmp_path, _load(rows={"inserted": 750, "per_second": 50.0}))
    assert _value(trial, "inserted_s") == 50.0


def test_execution_and_connects(tmp_path: Path) -> None:
    connects = {"count": 20, "ok": 17, "failed": 3, "refused": 2, "p50_ms": 1.5, "p99_ms": 20.0}
    trial = _trial(tmp_path, _load(connects=connects), Recipe("a", truth=True))
    # each write is sent 3 ms before its reply, and executed 2 ms before it
    assert _value(trial, "execution_p99") == pytest.approx(1.0)
    assert _value(trial, "execution_mean") == pytest.approx(1.0)
    assert (_value(trial, "connects_refused"), _value(trial, "connects_failed")) == (2, 3)
    assert (_value(trial, "connect_p50"), _value(trial, "connect_p99")) == (1.5, 20.0)
    assert EVENTS["connect_errors"](trial) is True
    calm = _trial(tmp_path / "calm", _load(connects={"count": 17, "ok": 17}))
    assert EVENTS["connect_errors"](calm) is False


@pytest.mark.parametrize(
    ("details", "total", "share", "cut"),
    [
        (
            {"total_s": 12.5, "completed": True, "cut": False, "done": 100, "work": {"transactions": 100}},
            (12_500.0, False),
            1.0,
            False,
        ),
        (
            {"total_s": 60.0, "completed": False, "cut": True, "done": 30, "work": {"transactions": 120}},
            (60_000.0, True),
            0.25,
            True,
        ),
        (
            {
                "total_s": 60.0,
                "completed": False,
                "cut": True,
                "done": 30,
                "connections": 6,
                "work": {"transactions": None, "each": 10},
            },
            (60_000.0, True),
            0.5,
            True,
        ),
        ({"total_s": 9.0, "completed": True, "done": 7, "work": {}}, (9000.0, False), 1.0, False),
        ({"total_s": 9.0, "completed": False, "done": 7, "work": {}}, (9000.0, True), None, True),
        ({}, None, None, None),
    ],
)
def test_fixed_work(
    tmp_path: Path,
    details: dict[str, Any],
    total: tuple[float, bool] | None,
    share: float | None,
    cut: bool | None,
) -> None:
    trial = _trial(tmp_path, _load(**details))
    assert VALUES["total_time"](trial) == total
    assert _value(trial, "completed") == share
    assert EVENTS["cut"](trial) is cut


def test_work_that_was_cut_makes_the_mean_a_lower_bound(tmp_path: Path) -> None:
    trial = _trial(tmp_path, _load(total_s=60.0, completed=False, cut=True, done=3, work={}))
    result = summary_of("total_time", [trial, trial])
    assert (result.mean, result.bounds) == (60_000.0, 2)


def test_phases_are_those_of_the_first_outage_and_add_up(tmp_path: Path) -> None:
    trial = _trial(tmp_path, fault="kill")
    failover = trial.faults[0].failover
    messages = [VALUES[f"phase:{name}"](trial) for name in PHASES]
    assert sum(value for value, _ in filter(None, messages)) == pytest.approx(failover.ms)
    promote = failover.phase("promote")
    assert promote is not None and _value(trial, "phase:promote") == promote.ms > 0


def test_an_outage_that_did_not_end_bounds_its_phases(tmp_path: Path) -> None:
    trial = _trial(tmp_path, recipe=Recipe("a", outage=None), fault="kill")
    stuck = trial.faults[0].failover.phases[-1]
    assert not stuck.closed
    values = VALUES[f"phase:{stuck.name.replace(' ', '_')}"](trial)
    assert values == (stuck.ms, True)
    assert VALUES["phase:catch_up"](trial) == (0.0, True), "it had not begun: 0 or more"


def test_a_phase_that_no_mark_ended_is_not_known(tmp_path: Path) -> None:
    trial = _trial(tmp_path, recipe=Recipe("a", decides=False), fault="kill")
    assert trial.faults[0].failover.phase("detect") is None
    assert VALUES["phase:detect"](trial) is None


def test_without_a_fault_there_are_no_phases(tmp_path: Path) -> None:
    trial = _trial(tmp_path)
    assert all(VALUES[f"phase:{name}"](trial) is None for name in PHASES)


def _stored(run: Path, kind: str) -> int:
    """Return the number of trials whose figures of a kind are stored."""
    with closing(sqlite3.connect(run / layout.CACHE / "figures.sqlite")) as database:
        (found,) = database.execute("SELECT count(*) FROM figures WHERE kind = ?", [kind]).fetchone()
    return int(found)


def test_what_is_read_later_is_read_once_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("a", known=True, sampled="postgres")], trials=3))
    trials = measures(open_run(run).complete)
    assert _stored(run, STEADY.name) == 0, "figures that are not requested are not computed"
    before = values_of("reported_lag_max", trials)
    assert _stored(run, STEADY.name) == 3
    for path in run.glob("trials/*/*.parquet"):
        path.write_bytes(b"")
    assert values_of("reported_lag_max", trials) == before
    assert all(value is not None for value in values_of("host_cpu:node", trials))


def test_a_run_without_samples_measures_none_of_it(tmp_path: Path) -> None:
    trial = _trial(tmp_path, recipe=Recipe("a"))
    for name in (
        "reported_lag_max",
        "actual_lag_max",
        "host_cpu",
        "memory",
        "wire_bytes_per_transaction",
        "counter:Com_commit/s",
        "rows_s",
        "host_cpu:node",
    ):
        assert VALUES[name](trial) is None, name
    assert measure_named("host_cpu:node").unit == "cores"
