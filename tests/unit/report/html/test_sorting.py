"""What cells are worth when a table is sorted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.wording import milliseconds
from fivenines.report.html.sorting import data_value, value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 254 (1 180 to 1 320)", 1254),
        ("1\u202f254", 1254),
        ("<0.1 s", 0.1),
        ("3 of 10", 3),
        ("at least 7.99 s (not recovered in 1 of 2 trials)", 7.99),
        ("870 µs", 870e-6),
        ("2 min", 120),
        ("410 to 440 ms", 0.41),
        ("\N{MINUS SIGN}34 %", -34),
        ("+5.02 s", 5.02),
        ("18", 18),
        ("\N{EN DASH}", None),
        ("", None),
        ("node1", None),
        ("not measured", None),
    ],
)
def test_a_cell_is_worth_its_first_number(text: str, value: float | None) -> None:
    assert value_of(text) == (None if value is None else pytest.approx(value))


@given(st.floats(1e-3, 1e7), st.floats(1e-3, 1e7))
def test_times_sort_by_length_whatever_their_unit(a: float, b: float) -> None:
    short, long = sorted((a, b))
    first, last = value_of(milliseconds(short)), value_of(milliseconds(long))
    assert first is not None
    assert last is not None
    assert first <= last


def test_only_cells_that_a_script_cannot_read_get_a_value() -> None:
    assert data_value("12.5") == data_value("oltp") == ""
    assert data_value("12.5 ms") == ' data-value="0.0125"'
