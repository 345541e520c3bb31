"""Stale reads against a slow and obvious reckoning; and what a stopped replica and a loss look like."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_record import record
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import write_executed, write_table

from fivenines.analysis.consistency import staleness
from fivenines.analysis.consistency.staleness import Shown, Writes, ages_of, backwards, own_missed, summarised
from fivenines.base.errors import FiveninesError

CLIENTS = 3
# How long each read takes, so that some overlap.
TAKES = 5


def ints(values: Any) -> Any:
    return np.array(values, dtype=np.int64)


def writes_of(acknowledged: list[list[int]], lost: set[int]) -> list[Writes]:
    """Clients whose n-th write has the id 1 + client + n * clients."""
    result = []
    for client, times in enumerate(acknowledged):
        rows = [(1 + client + n * CLIENTS, at) for n, at in enumerate(sorted(times))]
        kept = [row for row in rows if row[0] not in lost]
        gone = [row for row in rows if row[0] in lost]
        result.append(
            Writes(*(ints([row[column] for row in part]) for part in (kept, gone) for column in (0, 1)))
        )
    return result


READS = st.lists(
    st.tuples(
        st.integers(0, 100),
        st.integers(0, CLIENTS - 1),
        st.lists(st.integers(0, 40), min_size=CLIENTS, max_size=CLIENTS),
    ),
    max_size=30,
)
WRITES = st.lists(st.lists(st.integers(0, 100), max_size=12), min_size=CLIENTS, max_size=CLIENTS)


def shown_of(reads: list[tuple[int, int, list[int]]]) -> Shown:
    seen = ints([read[2] for read in reads]).reshape(len(reads), CLIENTS)
    at = ints([read[0] for read in reads])
    return Shown(at, at + TAKES, ints([read[1] for read in reads]), seen)


@given(WRITES, READS, st.sets(st.integers(1, 40)))
def test_ages_are_those_of_the_oldest_missed_write(
    acknowledged: list[list[int]], reads: list[tuple[int, int, list[int]]], lost: set[int]
) -> None:
    writes = writes_of(acknowledged, lost)
    ages, only_lost = ages_of(shown_of(reads), writes)
    own = own_missed(shown_of(reads), writes)
    for (at, client, seen), age, missed_lost, mine in zip(reads, ages, only_lost, own, strict=True):
        missed = [
            (number, when)
            for number, write in enumerate(writes)
            for id_, when in zip(write.ids, write.acknowledged, strict=True)
            if id_ > seen[number] and when < at
        ]
        assert age == (max(at - when for _, when in missed) / 1000 if missed else 0)
        assert mine == any(number == client for number, _ in missed)
        gone = any(
            id_ > seen[number] and when < at
            for number, write in enumerate(writes)
            for id_, when in zip(write.lost_ids, write.lost_acknowledged, strict=True)
        )
        assert missed_lost == (gone and not missed)


@given(WRITES, READS)
def test_backwards_is_less_than_any_earlier_read_of_the_session(
    acknowledged: list[list[int]], reads: list[tuple[int, int, list[int]]]
) -> None:
    back, _ = backwards(shown_of(reads), writes_of(acknowledged, set()))
    for index, (at, client, seen) in enumerate(reads):
        earlier = [other for began, by, other in reads if by == client and began + TAKES <= at]
        assert back[index] == any(
            now < before for other in earlier for now, before in zip(seen, other, strict=True)
        )


def test_rows_lost_for_good_make_a_read_go_backwards_but_not_stale() -> None:
    writes = writes_of([[10, 20, 30, 400], [], []], lost={4, 7})
    # the client saw 7, which a failover lost; then 1 is the last of the surviving rows
    shown = shown_of([(50, 0, [7, 0, 0]), (90, 0, [1, 0, 0]), (500, 0, [10, 0, 0])])
    ages, only_lost = ages_of(shown, writes)
    assert ages.tolist() == [0, 0, 0] and only_lost.tolist() == [False, True, False]
    back, surviving = backwards(shown, writes)
    assert back.tolist() == [False, True, False] and not surviving.any()


def test_the_distribution_is_of_stale_reads_only() -> None:
    age = np.array([0.0, 0.0, 10.0, 20.0, 30.0])
    result = summarised(age, np.array([True, False, False, False, False]))
    assert (result.reads, result.stale, result.missed_lost, result.share) == (5, 3, 1, 0.6)
    assert (result.p50, result.max) == (20.0, 30.0)
    assert summarised(np.zeros(2), np.zeros(2, dtype=bool)).p50 is None


def write(id_: int, at: int, outcome: str = "ok") -> dict[str, Any]:
    return {
        "id": id_,
        "client": 0,
        "kind": "write",
        "endpoint": "w",
        "started_us": at - 500,
        "completed_us": at,
        "outcome": outcome,
    }


def read(at: int, seen: list[int | None], endpoint: str = "r") -> dict[str, Any]:
    return {
        "id": 1,
        "client": 0,
        "kind": "read",
        "endpoint": endpoint,
        "started_us": at,
        "completed_us": at + 300,
        "outcome": "ok",
        "seen": seen,
    }


def test_a_stopped_replica_shows_views_whose_age_grows(tmp_path: Path) -> None:
    write_table(tmp_path, "ledger", [write(n, n * 10_000) for n in range(1, 101)])
    views = [{"t_us": t, "node": "node1", "seen": [t // 10_000]} for t in range(0, 10**6, 10**5)]
    views += [
        {"t_us": t, "node": "node2", "seen": [min(t // 10_000, 30) or None]} for t in range(0, 10**6, 10**5)
    ]
    write_table(tmp_path, "views", views)
    result = staleness.measure(tmp_path, record([]))
    assert result is not None
    healthy, stopped = result.nodes
    assert (healthy.node, healthy.ages.stale) == ("node1", 0)
    # it stands at 30; 31 was acknowledged at 310 ms
    assert stopped.t_ms.tolist() == [100.0 * n for n in range(10)]
    assert stopped.delay_ms.tolist() == [0, 0, 0, 0, 90, 190, 290, 390, 490, 590]
    assert (stopped.ages.stale, stopped.ages.max) == (6, 590)


@pytest.mark.parametrize("table", [True, False])
def test_lost_rows_come_from_the_table_or_from_the_check(tmp_path: Path, table: bool) -> None:
    rows = [write(1, 1000), write(2, 2000), write(3, 3000, "failed")]
    write_table(tmp_path, "ledger", [*rows, read(9000, [1], "a"), read(9000, [None], "b")])
    if table:
        write_executed(tmp_path, {1: 700})
    result = staleness.measure(tmp_path, record([] if table else [2]))
    assert result is not None
    a, b = result.endpoints
    assert (a.ages.stale, a.ages.missed_lost, a.own_missed) == (0, 1, 0)
    assert (b.ages.stale, b.ages.max, b.own_missed) == (1, 8.0, 1)


def test_without_a_ledger_and_with_a_damaged_one(tmp_path: Path) -> None:
    assert staleness.measure(tmp_path, record([])) is None
    (tmp_path / "ledger.parquet").write_text("no table")
    with pytest.raises(FiveninesError, match="the ledger cannot be read"):
        staleness.measure(tmp_path, record([]))
