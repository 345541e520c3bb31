"""Interruptions and stalls that were planted must be found, each with its event, and nothing else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability import Timeline
from fivenines.analysis.interruptions import stalls
from fivenines.results.layout import SLOT_MS
from fivenines.results.records import Windows

WINDOWS = Windows(warmup_end=1000, steady_end=11000, end=20000)


def line(times: np.ndarray, *gaps: tuple[float, float]) -> Timeline:
    """A time line of transactions (each a write and a read) at these times, but for the gaps."""
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
    start: int, one: int, other: int
) -> None:
    second = start + one + 400
    found = stalls(line(steadily(500), (start, start + one), (second, second + other)), WINDOWS)
    for gap, at, length in zip(found, (start, second), (one, other), strict=True):
        assert abs(gap.start - at) <= SLOT_MS
        assert abs(gap.ms - length) <= 2 * SLOT_MS


@given(st.floats(4, 2000), st.integers(0, 10_000))
def test_random_successes_at_any_rate_hardly_ever_count_as_a_stall(rate: float, seed: int) -> None:
    assert stalls(line(randomly(rate, seed)), WINDOWS) == []


def test_four_seconds_of_five_in_deadlocks_are_stalls() -> None:
    windows = Windows(warmup_end=1000, steady_end=6000, end=6000)
    planted = [(1200 + 1150 * n, 2220 + 1150 * n) for n in range(4)]
    found = stalls(line(steadily(800, 6000), *planted), windows)
    assert [round(gap.ms, -2) for gap in found] == [1000] * 4


def test_what_is_slow_throughout_does_not_stall() -> None:
    assert stalls(line(steadily(0.7)), WINDOWS) == []
    assert stalls(line(steadily(3)), WINDOWS) == []


def test_the_window_ends_at_the_fault_and_begins_after_the_warm_up() -> None:
    planted = line(steadily(500), (300, 900), (7000, 8000), (10000, 12000))
    assert [gap.start for gap in stalls(planted, WINDOWS, 9000)] == [6990]
    assert [round(gap.ms, -2) for gap in stalls(planted, WINDOWS)] == [1000, 1000]


def test_a_load_that_never_succeeds_does_not_stall() -> None:
    assert stalls(line(np.zeros(0)), WINDOWS) == []
