"""Marks in the states of nodes: who took over, and when the group had decided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.node_states import (
    StateChange,
    first_new_epoch,
    first_writable,
    multi_primary,
    state_at,
)

FAULT, UNTIL = 5000.0, 15000.0
HIT = {"node1"}


def changes(*pairs: tuple[float, str], epoch: str = "") -> list[StateChange]:
    return [StateChange(t, state, epoch) for t, state in pairs]


def writable(states: dict[str, list[StateChange]], start: float = FAULT) -> float | None:
    return first_writable(states, HIT, FAULT, start, UNTIL)


def test_the_successor_is_found() -> None:
    states = {
        "node1": changes((0, "writable"), (5004, "away")),
        "node2": changes((0, "read_only"), (8120, "writable")),
        "node3": changes((0, "read_only")),
    }
    assert writable(states) == 8120
    assert not multi_primary(states, 4990)


def test_a_primary_that_is_only_cut_off_does_not_count() -> None:
    states = {"node1": changes((0, "writable")), "node2": changes((0, "read_only"))}
    assert writable(states) is None


def test_the_failed_node_counts_once_it_was_away() -> None:
    states = {"node1": changes((0, "writable"), (5004, "away"), (10_600, "writable"))}
    assert writable(states) == 10_600


def test_a_node_that_was_away_before_the_fault_counts() -> None:
    states = {"node1": changes((0, "away"), (7000, "writable"))}
    assert writable(states) == 7000


def test_a_node_that_stays_writable_accepts_writes_at_once() -> None:
    states = {"node1": changes((0, "read_only")), "node2": changes((0, "writable"))}
    assert writable(states) == FAULT
    assert writable(states, start=6000) == 6000


def test_a_takeover_before_the_decision_or_after_the_window_does_not_count() -> None:
    states = {"node2": changes((0, "read_only"), (5500, "writable"), (5600, "read_only"))}
    assert writable(states, start=6000) is None
    assert writable({"node2": changes((0, "read_only"), (UNTIL, "writable"))}) is None


def test_the_group_decides_by_a_new_epoch() -> None:
    states = {
        "node1": [StateChange(0, "writable", "3"), StateChange(5004, "away", "")],
        "node2": [StateChange(0, "writable", "3"), StateChange(10_010, "refusing", "4")],
        "node3": [StateChange(0, "writable", "3"), StateChange(10_000, "writable", "4")],
    }
    assert multi_primary(states, 4990)
    assert first_new_epoch(states, HIT, FAULT, UNTIL) == 10_000


def test_no_epoch_without_one_before_and_one_after() -> None:
    unknown = {"node2": [StateChange(0, "writable"), StateChange(6000, "writable", "4")]}
    assert first_new_epoch(unknown, HIT, FAULT, UNTIL) is None
    silent = {"node2": [StateChange(0, "writable", "4"), StateChange(6000, "away", "")]}
    assert first_new_epoch(silent, HIT, FAULT, UNTIL) is None
    hit = {"node1": [StateChange(0, "writable", "4"), StateChange(6000, "writable", "5")]}
    assert first_new_epoch(hit, HIT, FAULT, UNTIL) is None


def test_nothing_is_known_before_the_first_change() -> None:
    assert state_at(changes((10, "writable")), 9) is None


@given(
    st.lists(
        st.tuples(st.floats(0, 20_000), st.sampled_from(["writable", "read_only", "refusing", "away"])),
        max_size=20,
    ),
    st.sampled_from(["node1", "node2"]),
    st.floats(5000, 15_000),
)
def test_whoever_is_found_is_writable_then(pairs: list[tuple[float, str]], node: str, start: float) -> None:
    series = changes(*sorted(pairs, key=lambda pair: pair[0]))
    result = writable({node: series}, start)
    if result is None:
        return
    assert start <= result <= UNTIL or result == pytest.approx(start)
    assert any(c.t <= result and c.state == "writable" for c in series)
