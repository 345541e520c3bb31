"""Lines in a given width: broken between words, never in one, nor in a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.cli.output import layout

THIN = "\N{NARROW NO-BREAK SPACE}"
words = st.text(alphabet="abc123,.()", min_size=1, max_size=12)
cells = st.lists(words, max_size=6).map(" ".join)


@given(cells, st.integers(1, 40))
def test_all_words_are_kept_whole(text: str, width: int) -> None:
    lines = layout.wrapped(text, width)
    assert " ".join(lines).split() == text.split()
    for line in lines:
        assert len(line) <= width or " " not in line.strip()


@pytest.mark.parametrize("whole", [f"1{THIN}326", "63 %", "12.3 ms", "(1.05 s)"])
def test_a_number_stays_with_its_thousands_and_its_unit(whole: str) -> None:
    for width in range(len(whole), 20):
        lines = layout.wrapped(f"it was {whole} at most", width)
        assert any(whole in line for line in lines)


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=4), st.integers(20, 80))
def test_no_table_is_wider_than_it_must_be(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = ["a name", "of", "another"]
    head, lines = layout.table(columns, rows, width, names=["a name"])
    flat = [*head, *(line for row in lines for line in row)]
    least = sum(
        max(len(word) for word in [*" ".join(column).split(), ""])
        for column in zip(columns, *rows, strict=True)
    )
    assert all(len(line) <= max(width, least + 2 * layout.GAP) for line in flat)
    assert sorted(" ".join(flat).split()) == sorted(
        " ".join([*columns, *(cell for row in rows for cell in row)]).split()
    )


def test_names_are_broken_before_figures() -> None:
    rows = [["a solution with a long name", "911 (497 to 1326)"], ["b", "5"]]
    _, lines = layout.table(["Solution", "Per second"], rows, 36, names=["Solution"])
    assert lines == [["a solution with a  911 (497 to 1326)", "long name"], ["b                  5"]]
    _, lines = layout.table(["Solution", "Per second"], rows, 30)
    assert lines[0] == ["a solution with  911", "a long name      (497 to 1326)"]
