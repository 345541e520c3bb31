"""Correct histories show nothing; every planted anomaly is found, with its transactions named."""

from dataclasses import replace
from random import Random

import duckdb
import pytest
from histories import Txn, example, history, judged, txn
from hypothesis import given
from hypothesis import strategies as st
from simulators import Serial, TwoPhase

from fivenines.analysis.consistency.isolation.lists import EXAMPLES, SEVERITY, check_lists

PLANTS: dict[str, tuple[list[str | tuple[str, ...]], set[int]]] = {
    "G0": (["ax1ay1", "ax2ay2", "rx12ry21"], {1, 2}),
    "G1a": ([("ax1", "failed"), "rx1"], {1, 2}),
    "G1b": (["ax1ax2", "rx1", "rx12"], {1, 2}),
    "G1c": (["ax1ry1", "ax2ay1", "rx12"], {1, 2}),
    "G-single": (["ax1ay1", "ax2ry", "rx12"], {1, 2}),
    "G-nonadjacent": (["ax1", "ay1", "rx1ry", "rxry1"], {1, 2, 3, 4}),
    "G2-item": (["rxay1", "ryax1", "rx1ry1"], {1, 2}),
    "lost-update": (["rxax1", "rxax2", "rx1"], {1, 2}),
    "dirty-update": ([("ax1", "failed"), "ax2", "rx12"], {1, 2}),
    "internal": (["rxax1rx", "rx1"], {1}),
    "incompatible-order": (["ax1", "ax2", "rx21", "rx1"], {4}),
    "duplicate-elements": (["ax1", "ax2", "rx121"], {1}),
    "unknown-element": (["rx7"], {1}),
}

# what a planted anomaly brings along, by nature
FOLLOWS = {
    "G1b": {"G-single"},
    "lost-update": {"G-single", "G2-item"},
    "dirty-update": {"G1a"},
    "internal": {"G-single"},
}


def test_every_kind_is_planted() -> None:
    # Kinds in time are planted in test_time_cycles.
    without_time = {kind for kind in SEVERITY if not kind.endswith(("-process", "-realtime"))}
    assert {*PLANTS, "lost-append"} == without_time


@given(st.integers(0, 10_000), st.integers(1, 60))
def test_a_serial_history_has_no_anomaly(seed: int, n: int) -> None:
    assert judged(*Serial(seed).run(n)).counts == {}


@given(st.integers(0, 10_000), st.integers(1, 80))
def test_a_history_of_two_phase_locking_has_no_anomaly(seed: int, n: int) -> None:
    txns = TwoPhase(seed).run(n)
    if txns:
        assert judged(*txns).counts == {}


@given(st.sampled_from(sorted(PLANTS)), st.integers(0, 1000), st.randoms())
def test_each_planted_anomaly_is_found_and_named(kind: str, seed: int, rng: Random) -> None:
    texts, members = PLANTS[kind]
    sound = Serial(seed).run(20)
    planted = [
        replace(txn(500 + n, *([text] if isinstance(text, str) else text)), started=0, completed=500)
        for n, text in enumerate(texts, 1)
    ]
    both = [*sound, *planted]
    rng.shuffle(both)
    result = judged(*both)
    assert {n - 500 for n in example(result, kind).transactions} == members
    assert set(result.counts) <= {kind} | FOLLOWS.get(kind, set())


def test_an_acknowledged_append_that_a_later_read_misses_is_lost() -> None:
    result = judged(
        txn(1, "ax1", completed=10),
        txn(2, "ax2", started=20, completed=30),
        txn(3, "rx2", started=40, completed=50),
        txn(4, "ax3", started=45, completed=55),
    )
    assert result.counts == {"lost-append": 1}
    assert example(result, "lost-append").transactions == [1]


def test_an_in_doubt_transaction_counts_once_its_append_is_seen() -> None:
    seen = judged(txn(1, "ax1ry", "in_doubt"), txn(2, "ay1rx"), txn(3, "rx1ry1"))
    assert set(example(seen, "G2-item").transactions) == {1, 2}
    assert judged(txn(1, "ax1ry", "in_doubt"), txn(2, "ay1rx"), txn(3, "ry1")).counts == {}


def test_a_cycle_is_told_step_by_step() -> None:
    result = judged(txn(1, "ax1ay1"), txn(2, "ax2ry"), txn(3, "rx12"))
    anomaly = example(result, "G-single")
    assert anomaly.edges == [(2, "rw 24", 1), (1, "ww 23", 2)]
    assert anomaly.explanation == (
        "T2 read key 24 without 1, which T1 appended; T2 appended 2 to key 23 behind what T1 had"
        " appended. So each would have to come before itself."
    )


def test_a_long_cycle_is_found_in_full_and_told_in_part() -> None:
    n = 9
    ring = [
        Txn(i, [("append", i, 1), ("read", (i + 1) % n, [])]) for i in range(n)
    ]  # each misses the next one's append
    result = judged(*ring, Txn(99, [("read", 0, [1])]))
    anomaly = example(result, "G2-item")
    assert len(anomaly.transactions) == n and "and 3 more steps" in anomaly.explanation


def test_only_so_many_examples_are_kept() -> None:
    skews = [
        Txn(2 * i + side, [("append", 2 * i + side, 1), ("read", 2 * i + 1 - side, [])])
        for i in range(EXAMPLES + 5)
        for side in (0, 1)
    ]
    result = judged(*skews)
    assert result.counts == {"G2-item": EXAMPLES + 5}
    assert len(result.examples) == EXAMPLES


def test_a_search_that_ran_out_of_time_says_so() -> None:
    result = judged(txn(1, "ax1ry"), txn(2, "ay1rx"), search=-1.0)
    assert result.note.startswith("The search for cycles with rw edges ended")


def test_no_list_append_transactions_no_verdict() -> None:
    with duckdb.connect() as connection:
        history(connection, [])
        assert check_lists(connection) is None


@pytest.mark.parametrize("text", ["x", "1,x,2"])
def test_a_list_that_is_no_list_of_numbers_is_an_unknown_element(text: str) -> None:
    with duckdb.connect() as connection:
        history(connection, [(1, 0, "lists", 0, 1, "ok", 0, "read", 5, None, text)])
        result = check_lists(connection)
    assert result is not None and "unknown-element" in result.counts
