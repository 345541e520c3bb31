"""Percentages of transaction types."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fivenines.load.workloads.shares import share_problem, sum_problem

NAMES = ("a", "b", "c")
shares = st.floats(0, 100, allow_nan=False)


@given(shares, shares)
def test_what_sums_to_100_is_right_and_nothing_else(one: float, other: float) -> None:
    assume(one + other <= 100)
    right = [one, other, max(0.0, 100 - one - other)]
    assert sum_problem(right) is None
    assert share_problem(",".join(f"{share!r}" for share in right), NAMES) is None
    assert sum_problem([one, other, right[2] + 0.01]) is not None


@given(st.text(max_size=30))
def test_any_text_is_right_or_gets_one_message(text: str) -> None:
    problem = share_problem(text, NAMES)
    assert problem is None or problem.strip()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("50,50", "write 3 percentages separated by commas (a, b, c), not '50,50'"),
        ("a,b,c", "write 3 percentages separated by commas (a, b, c), not 'a,b,c'"),
        ("50,50,1", "the percentages must sum to 100, but their sum is 101"),
        ("110,-10,0", "a percentage must be a number from 0 to 100"),
        ("nan,50,50", "a percentage must be a number from 0 to 100"),
        ("33.3,33.3,33.4", None),
    ],
)
def test_what_is_wrong_is_reported(text: str, problem: str | None) -> None:
    assert share_problem(text, NAMES) == problem
