"""Outages that were planted must be found, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.availability import (
    Outage,
    Timeline,
    availability,
    outage,
    throughput,
    timeline,
)
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Windows

WINDOWS = Windows(warmup_end=1000, steady_end=5000, end=15000)
SLOTS = np.arange(0, 15000, SLOT_MS)


def without(*gaps: tuple[float, float], every: int = SLOT_MS) -> np.ndarray:
    """Successes in every slot (or every so many ms) that does not touch one of the gaps."""
    keep = SLOTS % every == 0
    for start, end in gaps:
        keep &= (start >= SLOTS + SLOT_MS) | (end <= SLOTS)
    return np.asarray(SLOTS[keep])


def slots_of(times: np.ndarray) -> np.ndarray:
    """Return the slots in which something succeeded at these times."""
    return np.unique(times // SLOT_MS * SLOT_MS).astype(np.int64)


def found(successes: np.ndarray, fault_at: float = 5000.0) -> Outage:
    result = outage(successes, WINDOWS, fault_at)
    assert result is not None
    return result


@given(st.floats(5000, 9000), st.floats(120, 5000), st.floats(0.5, 25), st.floats(0, 10))
def test_a_planted_outage_is_found_to_within_one_slot(
    fault_at: float, length: float, pace: float, phase: float
) -> None:
    times = np.arange(phase, 15000, pace)
    times = times[(times < fault_at) | (times > fault_at + length)]
    before, after = times[times < fault_at][-1], times[times > fault_at][0]
    result = found(slots_of(times), fault_at)
    assert result.noticed
    assert result.back
    assert abs(result.ms - (after - before)) < SLOT_MS + 1e-6


@given(st.integers(5000, 9000), st.integers(100, 2000), st.integers(100, 2000))
def test_the_longest_gap_counts_and_the_first_ends_the_failover(
    fault_at: int, number: int, other: int
) -> None:
    second = fault_at + number + 500
    line = _line(without((fault_at, fault_at + number), (second, second + other)))
    result = availability(line, WINDOWS, fault_at)
    assert result.writes is not None
    assert abs(result.writes.ms - max(number, other)) <= 3 * SLOT_MS
    assert result.failover_ms == pytest.approx(number, abs=SLOT_MS)


@given(st.sets(st.integers(0, 1499), max_size=200))
def test_a_gap_is_never_longer_than_the_silence(missing: set[int]) -> None:
    successes = np.array([slot * SLOT_MS for slot in range(1500) if slot not in missing])
    result = found(successes)
    silent = max((len(run) for run in _runs(missing)), default=0)
    assert result.ms <= (silent + 1) * SLOT_MS


def test_gaps_before_the_fault_do_not_count_as_outage_but_raise_the_floor() -> None:
    result = found(without((2000, 2300)), 5000)
    assert (result.noticed, result.ms, result.steady_ms) == (False, 10.0, 310.0)
    assert 50 < result.floor_ms < 310 < 300 + 310
    assert not found(without((2000, 2300), (7000, 7600)), 5000).noticed
    assert found(without((2000, 2300), (7000, 7630)), 5000).noticed


def test_a_hiccup_like_those_of_the_steady_window_is_not_noticed() -> None:
    result = found(without((2000, 2100), (7000, 7150)))
    assert (result.noticed, result.ms) == (False, 160.0)
    line = _line(without((2000, 2100), (7000, 7150)))
    assert availability(line, WINDOWS, 5000).failover_ms == 0.0


def test_the_gap_around_the_fault_counts_from_the_last_success() -> None:
    result = found(without((4950, 6000)), 5003)
    assert (result.gap.start, result.gap.end) == (4940, 6000)


def test_not_back_before_the_end_is_a_lower_bound() -> None:
    line = _line(without((5000, 15000)))
    result = availability(line, WINDOWS, 5000)
    assert result.writes is not None
    assert (result.writes.back, result.writes.ms) == (False, 10010.0)
    assert (result.failover_ms, result.observed_ms) == (None, 10000.0)


def test_back_and_gone_again_is_not_back_but_has_a_failover_time() -> None:
    line = _line(without((5000, 7000), (12000, 15000)))
    result = availability(line, WINDOWS, 5000)
    assert result.writes is not None
    assert not result.writes.back
    assert result.failover_ms == 2000


@pytest.mark.parametrize("length", [120, 400, 990, 1010, 9000])
def test_service_that_is_away_at_the_end_is_a_lower_bound_however_short(length: int) -> None:
    result = found(without((15000 - length, 15000)))
    assert (result.back, result.noticed) == (False, True)
    (gap,) = result.gaps
    assert (gap.closed, gap.end) == (False, 15000)
    assert gap.ms == result.ms == result.total_ms == pytest.approx(length, abs=2 * SLOT_MS)


def test_an_interruption_at_the_end_is_judged_by_the_steady_window_like_any_other() -> None:
    stalled = without((2000, 2150), (14700, 15000))
    assert not found(stalled).noticed and found(stalled).back
    assert found(without((2000, 2150), (14600, 15000))).noticed
    # it covers an event
    covered = outage(stalled, WINDOWS, 5000, moments=[5000, 14800])
    assert covered is not None and covered.noticed and not covered.back


def test_without_an_interruption_the_unfinished_gap_at_the_end_does_not_stand_for_one() -> None:
    result = found(without((14960, 15000)))
    assert (result.noticed, result.back, result.gap.closed, result.ms) == (False, True, True, 10)


def test_a_load_that_stopped_early_is_not_away() -> None:
    stopped = WINDOWS.model_copy(update={"end": 14600})
    result = outage(without((14600, 15000)), stopped, 5000)
    assert result is not None and (result.back, result.noticed) == (True, False)


def test_a_tiny_gap_is_measured_but_not_noticed() -> None:
    result = found(without((5000, 5030)))
    assert (result.ms, result.floor_ms, result.noticed) == (40.0, 50.0, False)


def test_a_fault_after_the_last_success_leaves_nothing_to_measure() -> None:
    result = found(SLOTS, 15000)
    assert (result.ms, result.noticed) == (10.0, False)


def test_a_short_rest_of_the_load_without_any_success_is_not_back() -> None:
    result = found(without((14500, 15000)), 14500)
    assert (result.back, result.noticed, result.ms) == (False, True, 510.0)


def test_what_never_worked_cannot_be_away() -> None:
    assert outage(np.array([], dtype=np.int64), WINDOWS, 5000) is None
    assert outage(np.array([200, 6000]), WINDOWS, 5000) is None


def test_reads_and_writes_apart() -> None:
    reads, writes = without((5000, 5500)), without((5000, 8000))
    rows = [(int(s), int(s in reads), int(s in writes), 0, 0) for s in SLOTS]
    result = availability(timeline(rows), WINDOWS, 5000)
    assert result.reads is not None
    assert result.writes is not None
    assert (result.reads.ms, result.writes.ms) == (510, 3010)


def test_throughput_counts_whole_slots_of_the_steady_window() -> None:
    rows = [(slot, 0, 0, 3, 60) for slot in range(0, 15000, SLOT_MS)]
    result = throughput(timeline(rows), Windows(warmup_end=1003, steady_end=4998, end=15000))
    assert result is not None
    assert (result.tps, result.qps) == pytest.approx((300, 6000))
    assert result.seconds == pytest.approx(3.98)


def test_throughput_ends_at_an_early_fault_and_needs_a_slot() -> None:
    rows = [(slot, 0, 0, 3, 60) for slot in range(0, 2000, SLOT_MS)]
    assert throughput(timeline(rows), WINDOWS, 2000) == throughput(
        timeline(rows), Windows(warmup_end=1000, steady_end=2000, end=15000)
    )
    assert throughput(timeline(rows), WINDOWS, 900) is None


def test_rows_may_come_in_any_order_or_not_at_all() -> None:
    line = timeline([(20, 1, 2, 3, 4), (0, 5, 6, 7, 8)])
    assert line.slot.tolist() == [0, 20]
    assert line.queries.tolist() == [8, 4]
    assert len(timeline([]).slot) == 0


def _line(writes: np.ndarray) -> Timeline:
    return timeline([(int(slot), 1, 1, 1, 1) for slot in writes])


def _runs(missing: set[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for slot in sorted(missing):
        if runs and slot == runs[-1][-1] + 1:
            runs[-1].append(slot)
        else:
            runs.append([slot])
    return runs


def test_an_outage_of_new_connections_is_told_though_they_are_rare_before_the_fault() -> None:
    line = timeline([(slot, 1, 1, 1, 1) for slot in range(0, 15000, 10)])
    calm, dense = np.arange(0.0, 4900.0, 500.0), np.arange(4900.0, 5000.0, 10.0)
    again = np.arange(5740.0, 15000.0, 10.0)
    result = availability(line, WINDOWS, 5001, attempts=np.concatenate((calm, dense, again)))
    assert result.connections is not None and result.connections.noticed
    assert result.connections.ms == pytest.approx(750.0)
    gone = availability(line, WINDOWS, 5001, attempts=np.concatenate((calm, dense)))
    assert gone.connections is not None and not gone.connections.back
