"""Units stand in the heads of columns, and no figure changes by that."""

import pytest

from fivenines.analysis.wording import NOTHING
from fivenines.report.html.heads import units_in_heads
from fivenines.report.table import Table


def column(*cells: str) -> tuple[str, list[str]]:
    table = units_in_heads(Table("", ["Name", "Time"], [["a", cell] for cell in cells], 1, frozenset({1})))
    return table.columns[1], [row[1] for row in table.rows]


@pytest.mark.parametrize(
    ("cells", "head", "bare"),
    [
        (["5.0 ms (4.1 to 6.2 ms)", "12 ms"], "Time (ms)", ["5.0 (4.1 to 6.2)", "12"]),
        (["385 ms", "1.01 s (0.4 to 1.6 s)"], "Time (s)", ["0.385", "1.01 (0.4 to 1.6)"]),
        (["385 ms to 1.63 s", NOTHING], "Time (ms)", ["385 to 1630", NOTHING]),
        (["12 %", "7.5 % (6 to 9 %)", ""], "Time (%)", ["12", "7.5 (6 to 9)", ""]),
        (
            ["at least 7.99 s (not recovered in 1 of 2 trials)", "none noticed (longest gap 20 ms)"],
            "Time (s)",
            ["at least 7.99 (not recovered in 1 of 2 trials)", "none noticed (longest gap 20 ms)"],
        ),
        (["5", "6 ms"], "Time", ["5", "6 ms"]),  # a plain number has another unit, or none
        (["5 %", "6 ms"], "Time", ["5 %", "6 ms"]),
        (["4 µs", "6.00 s"], "Time", ["4 µs", "6.00 s"]),  # too far apart
        (["2 of 3 trials", "1.5 months"], "Time", ["2 of 3 trials", "1.5 months"]),
        ([], "Time", []),
    ],
)
def test_the_unit_of_a_column_moves_into_its_head(cells: list[str], head: str, bare: list[str]) -> None:
    assert column(*cells) == (head, bare)


def test_columns_of_words_stay() -> None:
    table = Table("", ["Name", "Introduction"], [["a", "5 ms after the start"]])
    assert units_in_heads(table) == table
