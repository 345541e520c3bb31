"""Interruptions and stalls that were planted must be found, each with its event, and nothing else."""

from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.availability import Gap, Outage, Timeline, outage
from fivenines.analysis.availability.interruptions import TrialEvent, attributed, in_words, stalls
from fivenines.analysis.availability.nines import availabilities
from fivenines.analysis.availability.stall_causes import joined, stalls_of
from fivenines.analysis.cells import analyse
from fivenines.base.units import YEAR
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Windows
from fivenines.results.store import open_run, table_path

WINDOWS = Windows(warmup_end=1000, steady_end=11000, end=20000)


def line(times: np.ndarray, *gaps: tuple[float, float]) -> Timeline:
    """Return a time line of transactions (each a write and a read) at these times, but for the gaps."""
    for start, end in gaps:
        times = times[(times < start) | (times >= end)]
    slots, counts = np.unique(times // SLOT_MS * SLOT_MS, return_counts=True)
    slots = slots.astype(np.int64)
    return Timeline(slots, counts, counts, counts, counts)


def steadily(rate: float, end: float = 20000) -> np.ndarray:
    return np.arange(0, end, 1000 / rate)


def randomly(rate: float, seed: int, end: float = 20000) -> np.ndarray:
    """Successes at random moments (Poisson), so many a second."""
    rng = np.random.default_rng(seed)
    return np.sort(rng.uniform(0, end, rng.poisson(rate * end / 1000)))


@given(st.integers(1100, 6000), st.integers(200, 1500), st.integers(200, 1500))
def test_planted_stalls_are_found_to_within_a_slot_and_do_not_hide_each_other(
    start: int, number: int, other: int
) -> None:
    second = start + number + 400
    result = stalls(line(steadily(500), (start, start + number), (second, second + other)), WINDOWS)
    for gap, at, length in zip(result, (start, second), (number, other), strict=True):
        assert abs(gap.start - at) <= SLOT_MS
        assert abs(gap.ms - length) <= 2 * SLOT_MS


@given(st.floats(4, 2000), st.integers(0, 10_000))
def test_random_successes_at_any_rate_hardly_ever_count_as_a_stall(rate: float, seed: int) -> None:
    assert stalls(line(randomly(rate, seed)), WINDOWS) == []


def test_four_seconds_of_five_in_deadlocks_are_stalls() -> None:
    windows = Windows(warmup_end=1000, steady_end=6000, end=6000)
    planted = [(1200 + 1150 * n, 2220 + 1150 * n) for n in range(4)]
    result = stalls(line(steadily(800, 6000), *planted), windows)
    assert [round(gap.ms, -2) for gap in result] == [1000] * 4


def test_what_is_slow_throughout_does_not_stall() -> None:
    assert stalls(line(steadily(0.7)), WINDOWS) == []
    assert stalls(line(steadily(3)), WINDOWS) == []


@pytest.mark.parametrize(
    ("planted", "closed"),
    [
        # it ends within the window, with it, and after it
        ((9000, 9800), True),
        ((10200, 11000), False),
        ((10200, 11500), False),
    ],
)
def test_a_stall_that_the_window_cuts_is_a_lower_bound(planted: tuple[float, float], closed: bool) -> None:
    stalled = line(steadily(500), planted)
    (gap,) = stalls(stalled, WINDOWS)
    assert gap.closed is closed and gap.ms == pytest.approx(800, abs=2 * SLOT_MS)
    (gap,) = stalls_of(stalled, WINDOWS)
    assert gap.closed is closed and gap.ms == pytest.approx(800, abs=200)
    (gap,) = joined(stalls_of(stalled, WINDOWS), stalls(stalled, WINDOWS))
    assert gap.closed is closed


def test_the_window_ends_at_the_fault_and_begins_after_the_warm_up() -> None:
    planted = line(steadily(500), (300, 900), (7000, 8000), (10000, 12000))
    assert [gap.start for gap in stalls(planted, WINDOWS, 9000)] == [6990]
    assert [round(gap.ms, -2) for gap in stalls(planted, WINDOWS)] == [1000, 1000]


def test_a_load_that_never_succeeds_does_not_stall() -> None:
    assert stalls(line(np.zeros(0)), WINDOWS) == []


# --- interruptions after a fault -----------------------------------------------------------------


def after(*gaps: tuple[float, float], moments: tuple[float, ...] = (12000,)) -> Outage:
    """Return the outage of a service of 500 successes a second with these gaps; the fault is at 12 s."""
    windows = Windows(warmup_end=1000, steady_end=12000, end=20000)
    result = outage(line(steadily(500), *gaps).slot, windows, 12000, moments=moments)
    assert result is not None
    return result


@example([(60, 739), (900, 900), (900, 900), (900, 900), (900, 900)])
@given(st.lists(st.tuples(st.integers(60, 700), st.integers(150, 900)), max_size=5))
def test_interruptions_are_disjoint_and_ordered_and_their_total_is_their_sum(
    planted: list[tuple[int, int]],
) -> None:
    gaps, at = [], 12000
    for pause, length in planted:
        gaps.append((at + pause, at + pause + length))
        at += pause + length
    result = after(*gaps)
    assert len(result.gaps) == len(gaps)
    assert all(item.end <= other.start for item, other in pairwise(result.gaps))
    assert result.total_ms == pytest.approx(sum(gap.ms for gap in result.gaps) or result.ms)
    assert result.total_ms >= result.ms == max((gap.ms for gap in result.gaps), default=result.ms)
    for gap, (start, end) in zip(result.gaps, gaps, strict=True):
        assert abs(gap.ms - (end - start)) <= 2 * SLOT_MS
        # at 500 a second no success is left in the last two milliseconds
        assert gap.closed is (end <= 20000 - 2)
    assert result.back is all(gap.closed for gap in result.gaps)


def test_the_interruption_at_the_end_of_the_window_is_counted_as_unfinished() -> None:
    planted = [(12060, 12799), (13699, 14599), (15499, 16399), (17299, 18199), (19099, 19999)]
    result = after(*planted)
    assert [(gap.start, gap.end, gap.closed) for gap in result.gaps[-2:]] == [
        (17290, 18200, True),
        (19090, 20000, False),
    ]
    assert (len(result.gaps), result.back) == (5, False)


@given(st.integers(1, 12))
def test_what_counts_scales_with_the_gaps_of_the_steady_window(factor: int) -> None:
    windows = Windows(warmup_end=1000, steady_end=12000, end=20000)
    slow = line(steadily(50 / factor))
    result = outage(slow.slot, windows, 12000)
    assert result is not None and not result.noticed
    assert result.floor_ms >= 2 * 20 * factor
    away = line(steadily(50 / factor), (12000, 12000 + 4 * 20 * factor + 60))
    noticed = outage(away.slot, windows, 12000)
    assert noticed is not None and noticed.noticed


def test_a_stall_of_the_steady_window_does_not_hide_a_shorter_outage_at_the_fault() -> None:
    stalled = (5000, 5500)
    assert after(stalled, (12000, 12300)).noticed
    # elsewhere it could be such a stall
    assert not after(stalled, (15000, 15900)).noticed
    assert after(stalled, (15000, 15900), moments=(12000, 15100)).noticed
    assert after(stalled, (15000, 16100)).noticed


def test_where_stalls_are_common_none_is_taken_for_an_outage() -> None:
    stalled = [(2000 + 1000 * n, 2400 + 1000 * n) for n in range(9)]
    assert not after(*stalled, (12000, 12700)).noticed


FAULT = TrialEvent("fault", "kill primary", 12000, 14000)
RETURN = TrialEvent("return", "return of node1", 14000, 15000)
BACK = TrialEvent("switch back", "switch back to node1", 16500, 16500)


@pytest.mark.parametrize(
    ("gap", "cause"),
    [
        ((11990, 13000), "fault"),
        ((13500, 13900), "fault"),
        ((11990, 17000), "fault"),
        ((14300, 15000), "return"),
        ((15300, 15800), "return"),
        ((19000, 19500), "switch back"),
        ((16100, 16600), "switch back"),
        ((16100, 16400), "switch back"),
        ((22000, 23000), "none"),
        ((11000, 11900), "none"),
    ],
)
def test_each_interruption_belongs_to_an_event(gap: tuple[float, float], cause: str) -> None:
    assert attributed(Gap(*gap), [FAULT, RETURN, BACK]).cause == cause


def test_a_second_stall_when_the_node_returns_is_found_and_named(tmp_path: Path) -> None:
    recipe = Recipe("galera", outage=2500.0, again=700.0, group=True)
    folder = write_run(tmp_path / "run", Matrix([recipe], trials=2))
    (cell,) = analyse(open_run(folder))
    for trial in cell.trials:
        first, second = trial.interruptions.writes
        assert (first.cause, first.event) == ("fault", "kill primary")
        assert (second.cause, second.event) == ("return", "return of node1")
        assert second.ms == pytest.approx(700, abs=80)
    longest, total = cell.writes.summary.mean or 0, cell.writes.total.mean or 0
    assert total == pytest.approx(longest + 700, abs=80)
    assert cell.writes.events == {"kill primary": 2, "return of node1": 2}
    (availability,) = availabilities([cell], {"kill": 90 * 86_400})
    assert availability.mttr.value == pytest.approx(total / 1000)
    assert availability.downtime is not None
    assert availability.downtime.value == pytest.approx(total / 1000 * YEAR / (90 * 86_400), rel=0.01)


def test_the_clients_own_time_out_is_told_from_the_solutions_outage(tmp_path: Path) -> None:
    recipe = Recipe("silent", outage=6000.0, waits=4000.0)
    (cell,) = analyse(open_run(write_run(tmp_path / "run", Matrix([recipe], trials=2))))
    assert cell.connections.summary.mean == pytest.approx(2000, abs=500)
    assert cell.writes.summary.mean == pytest.approx(6000, abs=600)
    for trial in cell.trials:
        (write,) = trial.interruptions.writes
        assert write.wait is not None and write.wait.ms == pytest.approx(4000, abs=250)
        bound = trial.record.load.bounds.answer_s
        assert write.wait.bound == f"time-out of {bound:g} s"
        assert f"until the client's own time-out of {bound:g} s" in in_words([write])
        phases = {phase.name: phase for phase in trial.faults[0].failover.phases}
        assert phases["client"].ms == pytest.approx(4000, abs=250)
        assert phases["route"].end == pytest.approx(phases["client"].start)
    # without the attempts nothing is said of new connections
    for stored in open_run(tmp_path / "run").complete:
        table_path(stored.folder, "probes").unlink()
    (cell,) = analyse(open_run(tmp_path / "run"))
    assert cell.connections.points == [] and cell.faults[0].phase("client").seen is False
    assert cell.trials[0].notes == []
    assert cell.writes.waits[0].ms is None
    # nor of time-outs, in runs of versions that did not count them
    for stored in open_run(tmp_path / "run").complete:
        path = str(table_path(stored.folder, "timeline"))
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE old AS SELECT * EXCLUDE timeouts FROM '{path}'")
            connection.table("old").write_parquet(path)
    (cell,) = analyse(open_run(tmp_path / "run"))
    assert cell.writes.waits == [] and cell.writes.noticed == 2
    assert cell.trials[0].notes == []
