"""Throughput, replicas, brown-out and work: what was planted is found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.recovery import (
    Acks,
    LoadLine,
    Views,
    behind,
    brownout_ms,
    replica_back,
    steady_share_below,
    throughput_back,
    work_lost,
)
from fivenines.results.layout import SLOT_MS

END = 15_000
RATE = 1000.0


def load(*paces: tuple[float, float, float]) -> LoadLine:
    """10 transactions a slot, but `pace` times as many from start to end."""
    slots = np.arange(0, END, SLOT_MS)
    counts = np.full(len(slots), 10.0)
    for start, end, pace in paces:
        counts[(slots >= start) & (slots < end)] = 10 * pace
    done = counts.astype(np.int64)
    keep = done > 0
    none = np.zeros(int(keep.sum()), dtype=np.int64)
    return LoadLine(slots[keep], done[keep], done[keep], none, none)


@given(st.integers(500, 900), st.integers(0, 500), st.sampled_from([0.0, 0.2, 0.5, 0.8]))
def test_the_return_of_throughput_is_found(start: int, slow: int, pace: float) -> None:
    begin, full = start * SLOT_MS, (start + slow) * SLOT_MS
    result = throughput_back(load((begin, full, pace)), RATE, begin, END)
    assert result is not None
    # a second may begin before full speed as long as nine tenths of its work are done
    early = 100 / (1 - pace)
    assert full - early - SLOT_MS <= result <= full
    assert result >= begin


def test_throughput_that_stays_low_is_never_back() -> None:
    assert throughput_back(load((5000, END, 0.8)), RATE, 6000, END) is None
    assert throughput_back(load(), RATE, END - 500, END) is None


def test_a_dip_later_on_is_a_brown_out_and_no_catch_up() -> None:
    line = load((5000, 7000, 0), (10_000, 12_000, 0.5))
    assert throughput_back(line, RATE, 7000, END) == 7000
    assert brownout_ms(line, RATE, [(7000.0, END)]) == 2000


@given(st.integers(0, 9), st.integers(1, 5))
def test_brown_out_is_the_time_below(second: int, length: int) -> None:
    start = 5000 + 1000 * second
    end = min(start + 1000 * length, END)
    line = load((start, end, 0.6))
    assert brownout_ms(line, RATE, [(5000.0, END)]) == end - start
    assert brownout_ms(line, RATE, [(5000.0, start), (end, END)]) == 0


def test_a_stretch_without_a_whole_slot_counts_nothing() -> None:
    assert brownout_ms(load(), RATE, [(5001.0, 5009.0), (5000.0, 5000.0)]) == 0
    assert steady_share_below(load(), RATE, 5000, 5000) == 0


def test_the_steady_window_tells_what_chance_does() -> None:
    assert steady_share_below(load((2000, 3000, 0.5)), RATE, 1000, 5000) == 0.25


def test_work_lost_is_what_the_rate_would_have_done() -> None:
    assert work_lost(load((5000, 9000, 0)), RATE, 5000, 9000) == pytest.approx(4000)
    assert work_lost(load((5000, 9000, 0.5)), RATE, 5000, 10_000) == pytest.approx(2000)
    assert work_lost(load((5000, 9000, 2)), RATE, 5000, 9000) == 0


def acks() -> Acks:
    """Return two clients in turns, a write every 10 ms."""
    ids = np.arange(1, END // 10)
    return Acks(np.asarray(ids * 10.0, dtype=np.float64), (ids - 1) % 2, ids)


def views(late: np.ndarray, every: int = 100) -> Views:
    """Return a node that has what was acknowledged `late[i]` ms before its look number i."""
    t = np.arange(every, END, every, dtype=float)
    until = ((t - late[: len(t)]) // 10).astype(np.int64)
    newest = {0: until - (until % 2 == 0), 1: until - (until % 2 == 1)}
    return Views(t, {client: np.where(ids > 0, ids, -1) for client, ids in newest.items()})


LOOKS = len(np.arange(100, END, 100))


@given(st.integers(30, 5000))
def test_the_age_of_the_oldest_missing_write(late: int) -> None:
    result = behind(views(np.full(LOOKS, float(late))), acks(), 0.0)
    assert result[-1] == pytest.approx(late, abs=10)


def test_a_replica_that_has_everything_is_never_behind() -> None:
    assert behind(views(np.zeros(LOOKS)), acks(), 0.0).max() == 0


def test_writes_before_the_return_do_not_count() -> None:
    stuck = Views(np.array([8000.0, 8100.0]), {})
    assert behind(stuck, acks(), 8050.0).tolist() == [0.0, 50.0]


@given(st.integers(70, 120))
def test_the_catching_up_of_a_replica_is_found(look: int) -> None:
    late = np.full(LOOKS, 20.0)
    late[60:look] = 3000.0
    result = replica_back(views(late), acks(), (1000.0, 5000.0), 6100.0, END)
    assert result is not None
    assert result == pytest.approx(100 * (look + 1))


def test_a_replica_that_stays_behind_is_never_back() -> None:
    late = np.full(LOOKS, 20.0)
    late[60:] = 3000.0
    assert replica_back(views(late), acks(), (1000.0, 5000.0), 6100.0, END) is None


def test_a_replica_that_was_always_late_may_stay_so() -> None:
    late = np.full(LOOKS, 800.0)
    late[60:80] = 1500.0
    assert replica_back(views(late), acks(), (1000.0, 5000.0), 6100.0, END) == 6100.0
