"""Fit tables into a terminal: one line per row, as many columns as there is room for.

The report and `--wide` have all columns with full figures.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fivenines.analysis.wording import NOT_ENDED, NOT_RECOVERED

if TYPE_CHECKING:
    from fivenines.report.terminal.summary import Row

# Blanks between two columns.
GAP = 2

# The smallest width of a column of names, whose words may wrap.
NAME = 14

_SHORTER = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        # "at least" stays; the sentences above the tables have the number of trials.
        (rf" \((?:{NOT_RECOVERED}|{NOT_ENDED})(?: in \d+ of \d+ trials?)?\)", ""),
        (r"\bat least ", "\N{GREATER-THAN OR EQUAL TO}\N{NARROW NO-BREAK SPACE}"),
        (r"\bat most ", "\N{LESS-THAN OR EQUAL TO}\N{NARROW NO-BREAK SPACE}"),
        (r"^0 \(in (\d+) trials?\)", r"0 (0 of \1)"),
        (r"\(in (\d+ of \d+) trials?\)", r"(\1)"),
        (r"(?<=\d) to (?=[\d+\N{MINUS SIGN}])", "\N{EN DASH}"),
        (r"(?<=[a-z]) to (?=[\d+\N{MINUS SIGN}][^()]*\)$)", "\N{EN DASH}"),
    )
)


@dataclass(frozen=True)
class Fitted:
    """A table that fits.

    Attributes:
        columns, rows: the table.
        left_out: columns without room.
    """

    columns: list[str]
    rows: list[list[str]]
    left_out: list[str]


def shorter(cell: str) -> str:
    """Shorten a figure: "≥ 6.92 s", "911 (497-1 326)" with an en dash, "43 (3 of 3)"."""
    for pattern, text in _SHORTER:
        cell = pattern.sub(text, cell)
    return cell


def fitted(
    rows: "Sequence[Row]", without: Iterable[str], must: Sequence[str], names: Sequence[str], width: int
) -> Fitted:
    """Select the columns that fit into a width, in the order of the rows.

    Args:
        rows: rows with the same columns.
        without: columns to leave out.
        must: columns that take precedence: names wrap rather than that one of these is left out.
        names: columns whose words may wrap; they are always shown.
        width: width in characters.
    """
    hidden = set(without)
    every = [name for name in rows[0] if name not in hidden]
    widths = {name: _width(name, [shorter(row[name]) for row in rows]) for name in every}
    over = sum(widths.get(n, -GAP) + GAP for n in {*names, *must}) - width - GAP
    for name in names:
        less = max(0, min(over, widths.get(name, 0) - NAME))
        if less:
            widths[name] -= less
            over -= less
    shown = [name for name in every if name in names]
    room = width + GAP - sum(widths[name] + GAP for name in shown)
    for name in [*(one for one in must if one in every), *every]:
        if name not in shown and widths[name] + GAP <= room:
            shown.append(name)
            room -= widths[name] + GAP
    columns = [name for name in every if name in shown]
    return Fitted(
        columns,
        [[shorter(row[name]) for name in columns] for row in rows],
        [name for name in every if name not in shown],
    )


def _width(heading: str, cells: Sequence[str]) -> int:
    """Return the width of a column's longest cell; headings may wrap between words."""
    return max(map(len, [*cells, *heading.split(" ")]))
