"""A load that was not served has no figures: each kind is planted, and ordinary loads pass."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.availability.served import Second, seconds_of, why_not
from fivenines.results import store
from fivenines.results.load_parts import Step
from fivenines.results.load_summary import LoadSummary

START, END = 1_000.0, 21_000.0


def load(*errors: tuple[str, str, int, int, int], ok: int = 0) -> LoadSummary:
    """Return a load with these failures: class, code, count, first_ms, last_ms."""
    document = {
        "transactions": {"ok": ok},
        "errors": [
            {
                "class": kind,
                "code": code,
                "count": many,
                "first_ms": first,
                "last_ms": last,
                "message": f"words of {code}",
                "source": "load",
            }
            for kind, code, many, first, last in errors
        ],
    }
    return LoadSummary.of(document)


def even(ok: int, failed: int, seconds: int = 21) -> list[Second]:
    """The same in each second of a load."""
    return [Second(1000.0 * number, ok, failed) for number in range(seconds)]


def reason_for(seconds: list[Second], record: LoadSummary) -> str:
    """Return the reason for the steady window; there must be one."""
    result = why_not(seconds, record, START, END)
    assert result is not None
    return result


def test_without_a_success_the_servers_words_are_the_reason() -> None:
    record = load(("other", "3098", 144, 20, 20_990))
    assert reason_for(even(0, 7), record) == (
        "no transaction succeeded in the window from 1 s to 21 s: 140 transactions failed; most often other "
        "(3098): words of 3098"
    )


def test_a_load_that_hangs_is_not_served_and_long_transactions_are_no_hang() -> None:
    assert "none ended" in reason_for([], load())
    assert "none ended" in reason_for([Second(0.0, 900, 0)], load(ok=900))
    assert why_not([Second(0.0, 1, 0)], load(ok=2), START, END) is None


def test_when_most_transactions_fail_the_rest_are_no_figure() -> None:
    assert "most transactions failed" in reason_for(even(100, 101), load(("other", "1", 9, 5, 20_900)))


@pytest.mark.parametrize("kind", ["deadlock", "conflict", "lock_timeout"])
def test_contention_is_a_figure(kind: str) -> None:
    assert why_not(even(100, 900), load((kind, "1", 18_900, 5, 20_990)), START, END) is None


def test_a_part_that_never_works_is_told_by_its_first_and_last_second() -> None:
    never = load(("other", "42883", 630, 5, 20_990))
    assert "from the first second on" in reason_for(even(100, 30), never)
    assert why_not(even(1000, 30), never, START, END) is None, "fewer than a tenth fail"
    for first, last in ((9_000, 20_990), (5, 9_000)):
        passing = load(("other", "42883", 630, first, last))
        assert why_not(even(100, 30), passing, START, END) is None
    usual = load(("constraint", "1062", 630, 5, 20_990))
    assert why_not(even(100, 30), usual, START, END) is None


def test_connections_that_never_worked_are_found_however_few_their_failures() -> None:
    refused = load(("refused", "53300", 40, 0, 20_990), ok=21_000)
    counted = replace(refused, connections=24, connections_without_success=3)
    assert reason_for(even(1000, 2), counted).startswith(
        "3 of 24 connections never worked; most often refused (53300): words of 53300"
    )
    for few in (0, 2):
        served = replace(counted, connections_without_success=few)
        assert why_not(even(1000, 2), served, START, END) is None


def test_sessions_that_lose_their_state_again_and_again_are_found_however_rarely() -> None:
    seconds = even(1000, 1)
    again = load(("session_lost", "26000", 12, 4_000, 17_000), ok=21_000)
    assert reason_for(seconds, again).startswith("the state of sessions was lost 12 times; most often")
    assert "use the protocol `extended`" in reason_for(seconds, again)
    once = load(("session_lost", "26000", 64, 4_000, 6_000), ok=21_000)
    at_failover = load(("session_lost", "26000", 64, 4_000, 30_000), ok=21_000)
    assert why_not(even(1000, 0), at_failover, START, END) is None, "they failed after the window"
    rarely = load(("session_lost", "26000", 3, 4_000, 17_000), ok=21_000)
    assert why_not(seconds, once, START, END) is None
    assert why_not(seconds, rarely, START, END) is None


def test_failures_after_the_window_do_not_make_contention_within_it_anything_else() -> None:
    """Clients that find no server after a fault fail thousands of times, by a class that was there before."""
    after = ("refused", "08P01", 9_000, 40, 60_000)
    waiting = load(("deadlock", "40P01", 700, 5, 20_990), after)
    assert why_not(even(100, 30), waiting, START, END) is None
    assert why_not(even(10, 30), waiting, START, END) is None
    silent = [*even(100, 0, 14), *(Second(1000.0 * n, 0, 5) for n in range(14, 21))]
    assert why_not(silent, waiting, START, END) is None


def test_a_service_that_ends_within_the_window_is_found() -> None:
    seconds = [*even(100, 0, 14), *(Second(1000.0 * n, 0, 5) for n in range(14, 21))]
    assert "in the last 7 s" in reason_for(seconds, load(("other", "1", 35, 14_000, 20_990)))
    stalled = [second for second in seconds if second.ok]
    assert why_not(stalled, load(), START, END) is None, "a stall without a failure is a figure"
    waiting = load(("deadlock", "40P01", 35, 14_000, 20_990))
    assert why_not(seconds, waiting, START, END) is None, "connections that wait for each other are served"
    recovered = [*seconds[:-1], Second(20_000.0, 100, 0)]
    assert why_not(recovered, load(("other", "1", 30, 14_000, 19_990)), START, END) is None


def test_a_window_far_below_the_best_second_is_found() -> None:
    seconds = [Second(0.0, 1000, 0), *(Second(1000.0 * n, 30, 2) for n in range(1, 21))]
    record = load(("timeout", "57014", 40, 1_000, 20_900))
    assert "the best second before its end has 1000" in reason_for(seconds, record)
    steps = replace(record, steps=(Step(from_s=0, to_s=1), Step(from_s=1, to_s=21)))
    assert why_not(seconds, steps, START, END) is None, "its rate was to fall"
    assert why_not(seconds, record, START, END, in_turn=True) is None


def test_a_forgotten_session_comes_with_what_to_do() -> None:
    reason = reason_for(even(0, 7), load(("session_lost", "26000", 147, 5, 20_990)))
    assert "behind" not in reason and reason.endswith("(`load: {protocol: extended}`, --protocol extended)")


counts = st.tuples(st.integers(0, 500), st.integers(0, 500))


@given(st.lists(counts, max_size=21))
def test_a_window_without_a_success_never_passes_and_one_without_a_failure_always_does(
    pairs: list[tuple[int, int]],
) -> None:
    failing = [Second(1000.0 * n, 0, failed) for n, (_, failed) in enumerate(pairs)]
    assert why_not(failing, load(), START, END) is not None
    served = [Second(1000.0 * n, ok + 1, 0) for n, (ok, _) in enumerate(pairs)]
    if len(served) > 2:
        assert why_not(served, load(ok=1), START, END) is None


def test_a_failed_transaction_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "timeline.csv"
    file.write_text(
        "slot_ms,source,reads_ok,reads_failed,writes_ok,writes_failed,writes_in_doubt,transactions_ok\n"
        "10,load,0,3,0,2,1,4\n990,load,0,0,0,0,0,1\n1000,load,1,0,0,2,0,0\n1000,ledger,0,0,0,9,0,0\n"
    )
    result = [Second(0.0, 5, 3), Second(1000.0, 0, 2)]
    assert seconds_of(file) == result
    parquet = tmp_path / "timeline.parquet"
    with store.reader() as connection:
        connection.execute(f"COPY (FROM read_csv('{file}')) TO '{parquet}' (FORMAT parquet)")
    assert seconds_of(parquet) == result
