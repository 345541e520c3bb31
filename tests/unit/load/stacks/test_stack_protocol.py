"""The lines of a client stack's program, and what is wrong with them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.stacks.pools import PoolSample
from fivenines.load.stacks.protocol import Conformance, Task, Transaction, parse, read

READY = '{"event": "ready", "at_us": 1000000}'
END = '{"event": "end", "at_us": 5000000}'


def transaction(n: int, /, **changes: Any) -> str:
    """Return the line of a committed transaction of worker n modulo 2, with changes."""
    line = {"event": "transaction", "n": n, "worker": n % 2, "attempt": 1, "start_us": 2000000}
    line |= {"end_us": 2000100, "outcome": "committed", "stage": "release", **changes}
    return json.dumps(line)


def problems(*lines: str) -> list[str]:
    """Return the problems of a program with two workers."""
    found = Conformance(2)
    for line in lines:
        found.feed(line)
    return found.finish()


def test_a_program_that_does_as_it_should() -> None:
    failed = {"outcome": "failed", "stage": "acquire", "code": "PoolTimeout"}
    doubt = {"outcome": "in_doubt", "stage": "commit", "code": "57P01", "attempt": 2}
    lines = [transaction(0), transaction(1, **failed), transaction(1, **doubt), transaction(1, attempt=3)]
    alive = '{"event": "alive", "at_us": 2000000, "connections": 4}'
    assert problems(alive, READY, *lines, alive, transaction(3, note="further keys are allowed"), END) == []


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "the program never wrote ready"),
        ([READY, transaction(0)], "the program ended without the line end"),
        ([READY, END], "no transaction was committed"),
        ([transaction(0), READY, END], "line 1: transaction before ready"),
        ([READY, READY, transaction(0), END], "line 2: ready for the second time"),
        ([READY, transaction(0), END, transaction(2)], "line 4: a line after end"),
        ([READY, "hello", transaction(0), END], "line 2: not JSON: Expecting value"),
        ([READY, "[1]", transaction(0), END], 'line 2: no "event" of ready, transaction, alive, end'),
        ([READY, transaction(0, n="0"), transaction(2), END], "line 2: n: Input should be a valid integer"),
        ([READY, transaction(0, stage="begin"), transaction(2), END], "line 2: stage: Input should be"),
        ([READY, transaction(4, worker=2), END], "worker 2, of workers 0 to 1"),
        ([READY, transaction(3, worker=0), END], "operation 3 is not of worker 0: that is 1"),
        (
            [READY, '{"event": "alive", "at_us": 2000000, "pool": {"open": -1}}', transaction(0), END],
            "line 2: pool.open: Input should be greater than or equal to 0",
        ),
        ([READY, transaction(0, end_us=1), END], "line 2: it ended before it began"),
        (
            [READY, transaction(0), transaction(0, attempt=2), END],
            "operation 0 again, although it was commit",
        ),
        ([READY, transaction(0, attempt=2), END], "operation 0 has attempt 2 after 0"),
        ([READY, transaction(0, stage="work"), END], "committed at the stage work"),
        ([READY, transaction(0, outcome="failed"), transaction(2), END], "failed without a code"),
        (
            [READY, transaction(0, outcome="in_doubt", stage="work", code="x"), transaction(2), END],
            "in doubt at the stage work",
        ),
        ([READY, transaction(0), END.replace("5", "9")], "line 3: no sign of life for 8.0 s"),
        (
            [READY, transaction(0), '{"event": "alive", "at_us": 7000000}', END],
            "line 3: no sign of life for 6.0 s",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(lines: list[str], problem: str) -> None:
    found = problems(*lines)
    assert any(problem in text for text in found), found


def test_transactions_are_read_from_among_other_lines() -> None:
    lines = [READY, transaction(0), "broken", transaction(3, outcome="failed", code="x"), END]
    attempts, samples = read(lines)
    assert [line.n for line in attempts] == [0, 3] and samples == []


def test_a_sign_of_life_may_have_what_the_pool_counts() -> None:
    lines = [
        '{"event": "alive", "at_us": 1, "pool": {"waiting": 2, "open": 4, "idle": 1, "created": 7}}',
        '{"event": "alive", "at_us": 2, "pool": {"created": 8, "size": 3}}',
        '{"event": "alive", "at_us": 3}',
    ]
    _, samples = read(lines)
    assert samples == [PoolSample(1, 2, 4, 1, 7), PoolSample(2, None, None, None, 8)]


@given(st.text(max_size=60))
def test_no_line_breaks_the_reader(text: str) -> None:
    Conformance(2).feed(text)


def test_a_task_is_one_line_and_hides_its_password() -> None:
    task = Task("shop", "mysql", ("db:3306",), "app", "se\ncret", "shop", "t", options={"pool.size": 4})
    assert "\n" not in task.line() and json.loads(task.line())["password"] == "se\ncret"
    assert json.loads(task.line())["options"] == {"pool.size": 4}
    assert "cret" not in repr(task)


def test_a_line_keeps_its_values() -> None:
    line = parse(transaction(5, attempt=2, code="40001"))
    assert isinstance(line, Transaction) and (line.n, line.worker, line.attempt, line.code) == (
        5,
        1,
        2,
        "40001",
    )
