"""Stalls of the steady window, and what they are put down to."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.availability import Gap, Timeline
from fivenines.analysis.availability.stall_causes import (
    LEAST_MS,
    UNKNOWN,
    Evidence,
    Incident,
    attributed,
    deadlocks,
    stalls_of,
)
from fivenines.analysis.resources.series import Series
from fivenines.results.records import Windows

WINDOWS = Windows(warmup_end=1000, steady_end=6000, end=8000)


def _line(slow: list[tuple[int, int]], rate: int = 10, left: int = 0) -> Timeline:
    """`rate` transactions in each slot of 10 ms, and `left` of them in every tenth slot where it is slow."""
    slots = np.arange(0, 8000, 10)
    done = np.full(len(slots), rate)
    for start, end in slow:
        inside = (slots >= start) & (slots < end)
        done[inside] = np.where(slots[inside] % 100 == 0, left, 0)
    return Timeline(slots, done, done, done, done)


def test_little_counts_as_nothing() -> None:
    # 100 in a slot of 100 ms is usual; two connections that go on make 4
    assert stalls_of(_line([(2000, 3000)], left=4), WINDOWS) == [Gap(2000, 3000)]
    assert stalls_of(_line([(2000, 3000)], left=10), WINDOWS) == []
    assert stalls_of(_line([(2000, 2200)]), WINDOWS) == []
    assert stalls_of(_line([]), WINDOWS) == []


def test_where_most_of_the_window_is_lost_it_is_lost() -> None:
    """Four deadlocks of a second each, a little work between them: 4.1 of 5 s."""
    slow = [(1000, 2000), (2300, 3300), (3600, 4600), (4900, 6000)]
    assert sum(gap.ms for gap in stalls_of(_line(slow), WINDOWS)) == pytest.approx(4100)


def test_the_window_ends_at_a_fault_and_slow_loads_have_no_stalls() -> None:
    line = _line([(5000, 8000)])
    assert stalls_of(line, WINDOWS) == [Gap(5000, 6000, closed=False)]
    assert stalls_of(line, WINDOWS, fault_at=5000) == []
    slots = np.arange(1000, 6000, 700)
    ones = np.ones(len(slots), dtype=np.int64)
    assert stalls_of(Timeline(slots, ones, ones, ones, ones), WINDOWS) == []
    empty = np.zeros(0, dtype=np.int64)
    assert stalls_of(Timeline(empty, empty, empty, empty, empty), WINDOWS) == []


@given(st.lists(st.integers(0, 40), min_size=1, max_size=500))
def test_stalls_are_long_apart_and_within_the_window(done: list[int]) -> None:
    slots, counts = 10 * np.arange(len(done)), np.array(done)
    stalls = stalls_of(Timeline(slots, counts, counts, counts, counts), WINDOWS)
    assert all(gap.ms >= LEAST_MS and gap.start >= 1000 and gap.end <= 6000 for gap in stalls)
    assert all(a.end < b.start for a, b in pairwise(stalls))


T = np.arange(0.0, 8000, 1000)
GAP = Gap(2300, 3300)


def _counter(values: dict[int, float]) -> dict[str, Series]:
    """Return a counter of node1 that gains so much at these seconds."""
    gained = np.array([values.get(int(t // 1000), 0.0) for t in T])
    return {"node1": Series(T, np.cumsum(gained))}


def _one(evidence: Evidence, gap: Gap = GAP) -> tuple[str, int]:
    (stall,) = attributed([gap], evidence)
    assert stall.gap == gap
    return stall.cause, stall.events


def test_nobody_is_blamed_without_evidence() -> None:
    assert _one(Evidence()) == (UNKNOWN, 0)
    elsewhere = [Incident(7000, "deadlock", 0), Incident(2300, "lock wait", 1000)]
    assert _one(Evidence(incidents=elsewhere)) == (UNKNOWN, 0)


def test_deadlocks_are_counted_by_the_log_where_there_is_one() -> None:
    incidents = [
        Incident(3310, "deadlock", 0),
        Incident(3320, "deadlock", 0),
        Incident(3300, "lock wait", 1000),
    ]
    sampled = {"pg_stat_database.deadlocks": _counter({4: 5.0})}
    logged = Evidence(sampled, incidents)
    assert _one(logged) == ("deadlock", 2)
    # a later stall has none of them, though the counter moves in its second
    assert _one(logged, Gap(3600, 4600)) == (UNKNOWN, 0)
    assert deadlocks(logged, 0, 8000) == 2
    counted = Evidence({"INNODB_METRICS.lock_deadlocks": _counter({3: 3.0})})
    assert _one(counted) == ("deadlock", 3)


@pytest.mark.parametrize(
    ("counters", "cause"),
    [
        ({"Rpl_semi_sync_master_no_times": _counter({3: 1.0})}, ("semi-sync time-out", 1)),
        ({"wsrep_flow_control_paused_ns": _counter({3: 4e8})}, ("flow control", 0)),
        ({"wsrep_flow_control_paused_ns": _counter({3: 1e8})}, (UNKNOWN, 0)),
        ({"Gr_flow_control_throttle_time_sum": _counter({3: 4e5})}, ("flow control", 0)),
        ({"pg_locks.waiting": {"node1": Series(T, np.where(T == 3000, 5.0, 0.0))}}, ("lock waits", 0)),
        ({"pg_locks.waiting": {"node1": Series(T, np.where(T == 3000, 3.0, 0.0))}}, (UNKNOWN, 0)),
        ({"Innodb_log_waits": _counter({3: 1.0})}, ("waiting for flushes", 0)),
        ({"Innodb_log_waits": _counter({6: 1.0})}, (UNKNOWN, 0)),
    ],
)
def test_counters_tell_the_cause(counters: dict[str, dict[str, Series]], cause: tuple[str, int]) -> None:
    assert _one(Evidence(counters, connections=8)) == cause


def test_logs_tell_of_waits_and_checkpoints() -> None:
    waited = Evidence(incidents=[Incident(3400, "lock wait", 1000)])
    assert _one(waited) == ("lock waits", 0)
    assert _one(Evidence(incidents=[Incident(3400, "checkpoint", 200)])) == ("checkpoint", 1)
    # it goes on for minutes, and neither its beginning nor its end is here
    assert _one(Evidence(incidents=[Incident(7900, "checkpoint", 7800)])) == (UNKNOWN, 0)


def test_other_programs_are_a_cause_where_nothing_else_is() -> None:
    machine = {
        "cores": Series(T, np.full(len(T), 2.0)),
        "steal_s": Series(T, 0 * T),
        "others_s": Series(T, 1.2 * T / 1000),
    }
    assert _one(Evidence(machine=machine)) == ("other programs", 0)
    idle = {**machine, "others_s": Series(T, 0.2 * T / 1000)}
    assert _one(Evidence(machine=idle)) == (UNKNOWN, 0)
