"""Registers: linearizable histories pass, others fail, as trying every order of a small history decides."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import duckdb
from histories import history
from hypothesis import example, given
from hypothesis import strategies as st

from fivenines.analysis.consistency.isolation.registers import check_registers
from fivenines.results.records import Isolation

CONNECTION = duckdb.connect(config={"threads": 1})
Row = tuple[object, ...]


@dataclass(frozen=True)
class Op:
    """An operation on a register from `start` to `end`; a read of None saw that nothing had been written."""

    kind: str
    value: int | None
    start: int
    end: int
    outcome: str = "ok"
    client: int = 0
    key: int = 1


def write(value: int, start: int, end: int, outcome: str = "ok", client: int = 0, key: int = 1) -> Op:
    return Op("write", value, start, end, outcome, client, key)


def read(value: int | None, start: int, end: int, client: int = 1, key: int = 1) -> Op:
    return Op("read", value, start, end, "ok", client, key)


def judged(operations: Iterable[Op], *, one_clock: bool = True) -> Isolation:
    rows: list[Row] = [
        (txn, op.client, "registers", op.start, op.end, op.outcome, 0, op.kind, op.key, op.value, None)
        for txn, op in enumerate(operations, 1)
    ]
    history(CONNECTION, rows)
    found = check_registers(CONNECTION, one_clock=one_clock)
    assert found is not None
    return found


def linearizable(operations: Sequence[Op]) -> bool:
    """Try every order: a write in doubt may take effect at any time after its begin, or never."""
    must = [op for op in operations if op.outcome == "ok"]
    maybe = [op for op in operations if op.outcome == "in_doubt"]

    def search(left: list[Op], spare: list[Op], value: int | None) -> bool:
        if not left:
            return True
        first_end = min(op.end for op in left)
        for op in [*left, *spare]:
            if op.start > first_end or (op.kind == "read" and op.value != value):
                continue
            others = [one for one in left if one is not op], [one for one in spare if one is not op]
            if search(*others, op.value):
                return True
        return False

    return search(must, maybe, None)


@st.composite
def histories(draw: st.DrawFn) -> list[Op]:
    """A few overlapping operations; reads show any of the values, or nothing."""
    count = draw(st.integers(1, 4))
    moment = st.integers(0, 12)
    operations = []
    for value in range(1, count + 1):
        start, length = draw(moment), draw(st.integers(0, 6))
        operations.append(
            write(value, start, start + length, draw(st.sampled_from(["ok", "ok", "in_doubt"])))
        )
    for _ in range(draw(st.integers(0, 4))):
        start, length = draw(moment), draw(st.integers(0, 6))
        shown = draw(st.sampled_from([None, *range(1, count + 1)]))
        operations.append(read(shown, start, start + length, draw(st.integers(1, 2))))
    return operations


@given(histories())
@example([write(1, 0, 1), read(None, 3, 4)])
@example([write(1, 0, 9), write(2, 0, 9), read(1, 1, 2), read(2, 3, 4), read(1, 5, 6)])
@example([write(1, 0, 1), write(2, 2, 9, "in_doubt"), read(2, 3, 4), read(1, 5, 6)])
def test_the_verdict_is_that_of_trying_every_order(operations: list[Op]) -> None:
    found = judged(operations)
    assert found.counts == {}
    assert (found.in_time == {}) == linearizable(operations)
    # registers are independent of each other, and times may begin anywhere
    moved = [Op(op.kind, op.value, op.start + 5, op.end + 5, op.outcome, op.client, 7) for op in operations]
    assert judged([*operations, write(8, 0, 50, key=4), *moved]).in_time == {
        kind: 2 * count for kind, count in (found.in_time or {}).items()
    }


def single_copy(seed: int) -> Iterator[Op]:
    """Operations on one copy: each takes effect at a moment between its begin and its end."""
    rng = random.Random(seed)
    values: dict[int, int | None] = {}
    moments = sorted(rng.sample(range(1000), 120))
    for number, moment in enumerate(moments, 1):
        key, start, end = rng.randint(1, 3), moment - rng.randint(0, 40), moment + rng.randint(0, 40)
        if rng.random() < 0.5:
            yield Op("read", values.get(key), max(start, 0), end, "ok", rng.randint(0, 5), key)
            continue
        outcome = rng.choice(["ok", "ok", "ok", "in_doubt", "failed"])
        took_effect = outcome == "ok" or (outcome == "in_doubt" and rng.random() < 0.5)
        if took_effect:
            values[key] = number
        yield write(number, max(start, 0), end, outcome, rng.randint(0, 5), key)


@given(st.integers(0, 100_000))
def test_one_copy_is_linearizable(seed: int) -> None:
    found = judged(single_copy(seed))
    assert (found.counts, found.in_time) == ({}, {})


def test_a_stale_read_is_named_with_what_it_missed() -> None:
    found = judged([write(1, 0, 1), write(2, 2, 3, client=2), read(1, 5, 6)])
    assert found.in_time == {"stale-read-realtime": 1}
    assert found.examples[0].transactions == [2, 3]
    assert found.examples[0].edges == [(2, "realtime", 3), (3, "rw 1", 2)]
    assert found.examples[0].explanation == (
        "T3 read 1 in register 1, although T2, which wrote 2, had ended before T3 began. The write of 2 "
        "began when 1 was there."
    )


def test_what_its_own_client_had_seen_is_counted_apart() -> None:
    found = judged([write(1, 0, 1), write(2, 2, 9), read(2, 3, 4), read(1, 5, 6), read(1, 5, 6, client=3)])
    assert found.in_time == {"backwards-process": 1, "backwards-realtime": 1}
    own = found.examples[0]
    assert (own.kind, own.transactions) == ("backwards-process", [2, 3, 4])
    assert own.edges == [(2, "wr 1", 3), (3, "process", 4), (4, "rw 1", 2)]


def test_a_read_is_counted_once_by_the_plainest_kind() -> None:
    own = [write(1, 0, 1), write(2, 2, 3, client=2), read(2, 4, 5, client=2), read(1, 6, 7, client=2)]
    assert judged(own).in_time == {"stale-read-process": 1}


def test_a_read_that_finds_nothing_after_a_write_is_stale() -> None:
    found = judged([write(1, 0, 1), read(None, 2, 3)])
    assert found.in_time == {"stale-read-realtime": 1}
    assert found.examples[0].explanation.startswith("T2 read nothing in register 1, although T1, which ")


def test_registers_of_any_key_and_times_of_days_are_judged() -> None:
    """Products of a key and a time in µs would not fit into 64 bits."""
    day = 86_400_000_000
    rows = [(1, 0, 1), (2, 2, 3)]
    for key in (1 << 40, (1 << 63) - 1):
        written = [write(value, start * day, end * day, key=key) for value, start, end in rows]
        (found,) = judged([*written, read(1, 5 * day, 6 * day, key=key)]).examples
        assert (found.kind, found.edges[-1]) == ("stale-read-realtime", (3, f"rw {key}", 2))
        assert f"read 1 in register {key}," in found.explanation


def test_reads_that_go_back_and_forth_disagree() -> None:
    found = judged([write(1, 0, 9), write(2, 0, 9), read(1, 1, 2), read(2, 3, 4), read(1, 5, 6)])
    assert found.in_time == {"reads-disagree": 1}
    assert found.examples[0].transactions == [4, 5, 3]


def test_a_write_in_doubt_may_take_effect_late_and_once() -> None:
    late = [write(1, 0, 1), write(2, 2, 3, "in_doubt"), read(1, 4, 5), read(2, 6, 7)]
    assert judged(late).in_time == {}
    assert judged([*late, read(1, 8, 9, client=5)]).in_time == {"backwards-realtime": 1}


def test_values_from_nowhere_and_of_refused_writes_are_named() -> None:
    found = judged([write(1, 0, 1, "failed"), read(1, 2, 3), read(9, 4, 5)])
    assert found.counts == {"unknown-value": 1, "G1a": 1}
    assert found.in_time == {}
    assert [one.transactions for one in found.examples] == [[3], [1, 2]]


def test_a_read_before_its_write_says_that_clocks_differ() -> None:
    found = judged([read(1, 0, 1), write(1, 5, 6)])
    assert found.in_time == {"early-read": 1}


def test_other_clocks_leave_the_order_in_time_out() -> None:
    found = judged([write(1, 0, 1), write(2, 2, 3), read(1, 5, 6)], one_clock=False)
    assert found.in_time is None and found.counts == {}
    assert found.note


def test_without_an_operation_that_counts_nothing_is_found() -> None:
    found = judged([Op("read", None, 0, 1, "failed")])
    assert (found.transactions, found.counts, found.in_time) == (1, {}, {})


def test_other_sources_are_no_registers() -> None:
    history(CONNECTION, [(1, 0, "bank", 0, 1, "ok", 0, "read", 1, 100, None)])
    assert check_registers(CONNECTION) is None
