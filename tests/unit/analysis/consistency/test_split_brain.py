"""Split brain: planted overlaps are detected, adjacent times are not; writes are counted by side."""

from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.node_states import StateChange
from fivenines.analysis.consistency.split_brain import (
    RESOLUTION_MS,
    Overlap,
    Side,
    Write,
    overlaps,
    split_brain,
    would_be_seen,
)
from fivenines.results.records import TrialRecord

UNTIL = 10_000.0


def states(**nodes: str) -> dict[str, list[StateChange]]:
    """Changes from a text such as "0 writable 400 away"."""
    result = {}
    for node, text in nodes.items():
        words = text.split()
        result[node] = [
            StateChange(float(t), state) for t, state in zip(words[::2], words[1::2], strict=True)
        ]
    return result


def test_two_that_take_writes_are_found_with_when_and_who() -> None:
    seen = states(node1="0 writable 6000 read_only", node2="0 read_only 4000 writable", node3="0 read_only")
    assert overlaps(seen, UNTIL) == [Overlap(4000, 6000, ("node1", "node2"))]


def test_one_that_has_not_ended_is_open() -> None:
    seen = states(node1="0 writable", node2="0 read_only 4000 writable")
    (result,) = overlaps(seen, UNTIL)
    assert (result.ms, result.open_) == (6000, True)


def test_a_planned_switchover_and_a_kill_are_none() -> None:
    switched = states(node1="0 writable 5000 read_only", node2="0 read_only 5000 writable")
    killed = states(node1="0 writable 5000 away 9000 read_only", node2="0 read_only 7000 writable")
    assert overlaps(switched, UNTIL) == overlaps(killed, UNTIL) == []
    # the old primary was asked a little later than the new one
    late = states(node1="0 writable 5060 read_only", node2="0 read_only 5000 writable")
    assert overlaps(late, UNTIL) == []
    assert overlaps(late, UNTIL, 0.0) == [Overlap(5000, 5060, ("node1", "node2"))]


def test_a_third_node_makes_it_no_second_one() -> None:
    seen = states(
        node1="0 writable 5000 away",
        node2="0 read_only 4000 writable 7000 refusing",
        node3="0 read_only 5000 writable",
    )
    assert overlaps(seen, UNTIL) == [Overlap(4000, 7000, ("node1", "node2", "node3"))]


def test_the_same_state_in_a_new_epoch_is_the_same_state() -> None:
    seen = states(node1="0 writable 4500 writable", node2="0 read_only 4000 writable 5000 away")
    assert overlaps(seen, UNTIL) == [Overlap(4000, 5000, ("node1", "node2"))]


_changes = st.lists(
    st.tuples(st.integers(0, 50), st.sampled_from(["writable", "read_only", "away", "refusing"])),
    max_size=8,
    unique_by=lambda change: change[0],
).map(lambda some: [StateChange(float(t), state) for t, state in sorted(some)])


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), _changes))
def test_what_is_found_is_what_a_look_at_every_moment_finds(seen: dict[str, list[StateChange]]) -> None:
    result = overlaps(seen, 60.0, 0.0)
    for moment in range(60):
        t = moment + 0.5
        writing = {
            node
            for node, changes in seen.items()
            if (past := [change for change in changes if change.t <= t]) and past[-1].state == "writable"
        }
        inside = [item for item in result if item.start <= t < item.end]
        assert bool(inside) == (len(writing) > 1)
        assert all(writing <= set(item.nodes) for item in inside)
    for item in result:
        assert len(item.nodes) > 1 and item.ms > 0
    assert [item.start for item in result] == sorted(item.start for item in result)
    assert all(a.end < b.start for a, b in pairwise(result))
    assert all(overlap.ms > RESOLUTION_MS for overlap in overlaps(seen, 1e6))


def test_writes_are_told_by_the_side_that_acknowledged_them() -> None:
    when = Overlap(4000, 6000, ("node1", "node2"))
    writes = [
        Write(1, 3999, "10.99.0.11:3306"),
        Write(2, 4000, "10.99.0.11:3306"),
        Write(3, 5000, "10.99.0.12:3306"),
        Write(4, 5999, "10.99.0.11:3306"),
        Write(5, 6000, "10.99.0.12:3306"),
        Write(6, 5500, "10.99.0.14:6033"),
    ]
    nodes = {"10.99.0.11": "node1", "10.99.0.12": "node2"}
    result = split_brain(when, writes, nodes, frozenset({1, 2, 4}))
    assert result.sides == (Side("10.99.0.14:6033", 1, 0), Side("node1", 2, 2), Side("node2", 1, 0))
    assert (result.acknowledged, result.lost) == (4, 2)


def test_what_is_not_known_is_not_zero() -> None:
    when = Overlap(4000, 6000, ("node1", "node2"))
    assert split_brain(when, None, {}, frozenset()).lost is None
    unread = split_brain(when, [Write(1, 4500, "x:1")], {}, None)
    assert unread.lost is None and unread.acknowledged == 1
    assert split_brain(when, [], {}, None).lost == 0, "nothing was written, so nothing was lost"


@pytest.mark.parametrize(
    ("roles", "single", "seen"),
    [
        ({"db1": "primary", "db2": "replica", "client": "client"}, True, False),
        ({"db1": "primary", "client": "client"}, True, True),
        ({"db1": "primary", "db2": "unexpected-primary"}, True, False),
        ({"db1": "primary", "db2": "down"}, True, False),
        ({"db1": "primary", "db2": "primary"}, False, True),
    ],
)
def test_without_a_watch_none_would_be_seen(roles: dict[str, str], single: bool, seen: bool) -> None:
    deployment = SimpleNamespace(roles=roles, single_writer=single)
    record = cast(TrialRecord, SimpleNamespace(deployment=deployment))
    assert would_be_seen(record, {}) is seen
    # The watch of one server says nothing of another one, which may require TLS.
    assert would_be_seen(record, states(db1="0 writable")) is seen
    assert would_be_seen(record, states(db1="0 writable", db2="0 away"))
