"""Cycles that close only in time, against a search of all simple cycles of small graphs."""

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from histories import Txn, example, judged, txn
from hypothesis import given, settings
from hypothesis import strategies as st
from simulators import Serial, Snapshot, TwoPhase, TwoSites
from small_graphs import edges_of, kind_of, simple_cycles

from fivenines.analysis.consistency.isolation.cycles import Cycle
from fivenines.analysis.consistency.isolation.graph import PROCESS, REAL_TIME, RW, WR, WW
from fivenines.analysis.consistency.isolation.history import IN_DOUBT, OK
from fivenines.analysis.consistency.isolation.time_cycles import find_in_time

TIME = {PROCESS: "process", REAL_TIME: "realtime"}


def at(number: int, text: str, started: int, completed: int, outcome: str = "ok") -> Txn:
    """Return a transaction; numbers that differ by seven are of one client."""
    return txn(number, text, outcome, started, completed)


# Transactions of which the last one breaks the order in time; and those on the cycle.
PLANTS: dict[str, tuple[list[Txn], set[int]]] = {
    # The order of versions is against the order of time.
    "G0-realtime": ([at(1, "ax1", 0, 1), at(2, "ax2", 2, 3), at(3, "rx21", 4, 5)], {1, 2}),
    # A read shows what was written only after it.
    "G1c-realtime": ([at(1, "rx1", 0, 1), at(2, "ax1", 2, 3)], {1, 2}),
    "G-single-realtime": ([at(1, "ax1", 0, 1), at(2, "rx", 2, 3), at(3, "rx1", 4, 5)], {1, 2}),
    # Each of two readers sees one of two writes; the order in time says that T2 has seen the first one.
    "G-nonadjacent-realtime": (
        [
            at(1, "ax1", 0, 10),
            at(2, "ry", 20, 30),
            at(3, "ay1", 5, 40),
            at(4, "rxry1", 5, 40),
            at(5, "rx1", 50, 60),
        ],
        {1, 2, 3, 4},
    ),
    # The anomaly of a read-only transaction, with the order of time in place of what it reads.
    "G2-item-realtime": (
        [at(1, "ryax1", 0, 10), at(2, "ay1", 0, 3), at(3, "rx", 5, 6), at(4, "rx1ry1", 20, 30)],
        {1, 2, 3},
    ),
}


@pytest.mark.parametrize("kind", PLANTS)
@pytest.mark.parametrize("order", ["process", "realtime"])
def test_each_kind_is_found_and_named(kind: str, order: str) -> None:
    txns, members = PLANTS[kind]
    if order == "process":
        txns = [Txn(7 * one.number, one.operations, one.outcome, one.started, one.completed) for one in txns]
        members = {7 * number for number in members}
    result = judged(*txns)
    name = kind.replace("realtime", order)
    assert result.counts == {} and result.in_time == {name: 1}
    found = example(result, name)
    assert set(found.transactions) == members
    assert order in {label for _, label, _ in found.edges}
    assert "was acknowledged before" in found.explanation


def test_a_transaction_in_doubt_precedes_nothing() -> None:
    # It may take effect after the read.
    late = [at(1, "ax1", 0, 1, "in_doubt"), at(8, "rx", 2, 3), at(3, "rx1", 4, 5)]
    assert judged(*late).in_time == {}


def test_what_overlaps_in_time_has_no_order() -> None:
    assert judged(at(1, "ax1", 0, 4), at(2, "rx", 4, 5), at(3, "rx1", 6, 7)).in_time == {}


def test_a_stale_read_of_its_own_client_counts_once() -> None:
    result = judged(at(1, "ax1", 0, 1), at(8, "rx", 2, 3), at(2, "rx", 2, 3), at(3, "rx1", 4, 5))
    assert result.in_time == {"G-single-process": 1, "G-single-realtime": 1}


@pytest.mark.parametrize("outcome", ["failed", "in_doubt"])
def test_an_unacknowledged_transaction_does_not_end_a_client(outcome: str) -> None:
    between = at(8, "ay1", 2, 3, outcome)
    result = judged(at(1, "ax1", 0, 1), between, at(15, "rxry1", 4, 5), at(2, "rx1", 6, 7))
    assert result.in_time is not None and "G-single-process" in result.in_time


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_a_stale_read_is_no_long_fork_with_other_dependencies(seed: int, missing: int) -> None:
    sound = Serial(seed, aborts=0.0, doubts=0.0).run(60)
    written = [
        [value for kind, key, value in one.operations if (kind, key) == ("append", 0)] for one in sound
    ]
    versions = [values for values in written if values]
    late, whole = (
        [value for values in some for value in values if isinstance(value, int)]
        for some in (versions[:-missing], versions)
    )
    result = judged(
        *sound,
        Txn(900, [("read", 0, late)], "ok", 9000, 9001),
        Txn(901, [("read", 0, whole)], "ok", 9010, 9011),
    )
    assert result.counts.keys() <= {"lost-append"} and result.in_time is not None
    # Other cycles of a client with it are of another client's append, whose order it need not keep.
    in_real_time = {kind: n for kind, n in result.in_time.items() if kind.endswith("-realtime")}
    assert in_real_time in ({}, {"G-single-realtime": 1}) and (not versions or result.in_time)


def test_a_pair_that_closes_without_time_is_no_cycle_in_time() -> None:
    # T2 appended behind what it had not read.
    result = judged(at(1, "ax1", 0, 1), at(2, "rxax2", 2, 3), at(3, "rx12", 4, 5))
    assert "G-single" in result.counts and result.in_time == {}


def test_many_stale_reads_are_all_counted() -> None:
    stale = [at(number, "rx", 2, 3) for number in range(10, 60)]
    result = judged(at(1, "ax1", 0, 1), *stale, at(2, "rx1", 4, 5))
    assert result.in_time is not None and sum(result.in_time.values()) == 50
    assert len([one for one in result.examples if one.kind == "G-single-realtime"]) == 10


@given(st.integers(0, 10_000), st.integers(1, 60))
def test_a_serial_history_is_in_order(seed: int, n: int) -> None:
    assert judged(*Serial(seed).run(n)).in_time == {}


@given(st.integers(0, 10_000), st.integers(1, 80))
def test_a_history_of_two_phase_locking_is_in_order(seed: int, n: int) -> None:
    if txns := TwoPhase(seed).run(n):
        assert judged(*txns).in_time == {}


@pytest.mark.parametrize("seed", range(100))
def test_snapshots_of_one_copy_are_in_order(seed: int) -> None:
    in_time = judged(*Snapshot(seed).run(60)).in_time
    assert in_time is not None and in_time.keys() <= {"G2-item-process", "G2-item-realtime"}


def test_two_sites_show_stale_reads() -> None:
    shown = sum("G-single-realtime" in (judged(*TwoSites(seed).run(60)).in_time or {}) for seed in range(20))
    assert shown >= 15


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Any, list[tuple[int, int, int]]]:
    """Return the times of up to six transactions, and dependencies between them."""
    size = draw(st.integers(2, 6))
    moment = st.integers(0, 12)
    spans = [sorted((draw(moment), draw(moment))) for _ in range(size)]
    clients: list[int] = []
    ends: dict[int, int] = {}
    for number, (begin, end) in enumerate(spans):
        wanted = draw(st.integers(0, 2))
        # A client has one transaction at a time.
        clients.append(wanted if ends.get(wanted, 0) <= begin else 10 + number)
        ends[clients[-1]] = end
    history = SimpleNamespace(
        txns=np.arange(size),
        client=np.array(clients),
        outcome=np.array([draw(st.sampled_from((OK, OK, OK, IN_DOUBT))) for _ in range(size)]),
        alive=np.ones(size, dtype=np.bool_),
        started=np.array([begin for begin, _ in spans]),
        completed=np.array([end for _, end in spans]),
    )
    node = st.integers(0, size - 1)
    pairs = st.tuples(node, node).filter(lambda pair: len({*pair}) > 1)
    chosen = draw(st.sets(pairs, min_size=1, max_size=8))
    kinds = st.sampled_from((WW, WR, RW, RW))
    return history, [(*pair, draw(kinds)) for pair in sorted(chosen)]


def ordered(history: Any) -> set[tuple[int, int]]:
    """Return the pairs of transactions in the order of time, by the definition."""
    size = len(history.txns)
    return {
        (first, second)
        for first in range(size)
        for second in range(size)
        if history.outcome[first] == OK and history.completed[first] < history.started[second]
    }


def in_turn(history: Any) -> set[tuple[int, int]]:
    """Return the pairs of transactions that follow each other at a client, by the definition."""
    pairs = set()
    for client in set(history.client.tolist()):
        own = np.flatnonzero(history.client == client).tolist()
        for first, second in combinations(own, 2):
            if history.outcome[first] == OK and history.completed[first] <= history.started[second]:
                pairs.add((first, second))
    return pairs


@settings(max_examples=400)
@given(graphs())
def test_a_cycle_in_time_is_found_if_and_only_if_there_is_one(
    given_: tuple[Any, list[tuple[int, int, int]]],
) -> None:
    history, rows = given_
    found = find_in_time(history, edges_of(rows), 100, 60.0)
    for kind, cycles in found.cycles.items():
        for cycle in cycles:
            _is_of(kind, cycle, history)
    in_time = [(*pair, REAL_TIME) for pair in ordered(history) | in_turn(history)]
    there = {kind_of(kinds) for kinds in simple_cycles([*rows, *in_time]) if REAL_TIME in kinds}
    # A cycle without time through the same edge may hide one in time.
    if not any(simple_cycles(rows)):
        named = {kind.rpartition("-")[0] for kind in found.counts}
        assert bool(named) == bool(there)
        for stronger in ({"G0", "G1c"}, {"G0", "G1c", "G-single"}):
            assert bool(named & stronger) == bool(there & stronger), (named, there)


def _is_of(kind: str, cycle: Cycle, history: Any) -> None:
    """Check that a cycle closes over transactions, that its steps in time are true, and its kind."""
    assert [step[1] for step in cycle] == [step[0] for step in (*cycle[1:], cycle[0])]
    assert len({step[0] for step in cycle}) == len(cycle)
    for source, target, of, *_ in cycle:
        assert of != PROCESS or (source, target) in in_turn(history)
        assert of != REAL_TIME or (source, target) in ordered(history)
    kinds = [step[2] for step in cycle]
    name, _, order = kind.rpartition("-")
    assert kind_of(kinds) == name and order in {TIME.get(of) for of in kinds}
