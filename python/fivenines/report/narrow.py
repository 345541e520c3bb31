"""Tables for a terminal: one line for each row, so many columns as there is room for, the first ones first.

All columns, with their figures in full, are in the report and behind `--wide`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fivenines.analysis.wording import NOT_ENDED, NOT_RECOVERED
from fivenines.report.summary import Row

GAP = 2
"""Blanks between two columns."""

NAME = 14
"""So narrow a column of names may become, whose words go to further lines."""

_SHORTER = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        # that it is a bound stays; of how many trials is said above the tables, and in the report
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
        columns, rows: what is shown.
        left_out: columns that there was no room for.
    """

    columns: list[str]
    rows: list[list[str]]
    left_out: list[str]


def shorter(cell: str) -> str:
    """The same figure in fewer characters: "≥ 6.92 s", "911 (497-1 326)" with an en dash, "43 (3 of 3)"."""
    for pattern, text in _SHORTER:
        cell = pattern.sub(text, cell)
    return cell


def fitted(
    rows: Sequence[Row], without: Iterable[str], must: Sequence[str], names: Sequence[str], width: int
) -> Fitted:
    """The columns that fit into a width, in the order of the rows.

    Args:
        rows: all have the same columns.
        without: columns that are not wanted.
        must: those that matter most: names are broken rather than that one of them is left out.
        names: columns whose words may go to further lines; they are always shown.
        width: in characters.
    """
    hidden = set(without)
    every = [name for name in rows[0] if name not in hidden]
    needs = {name: _needed(name, [shorter(row[name]) for row in rows]) for name in every}
    over = sum(needs.get(n, -GAP) + GAP for n in {*names, *must}) - width - GAP
    for name in names:
        less = max(0, min(over, needs.get(name, 0) - NAME))
        if less:
            needs[name] -= less
            over -= less
    shown = [name for name in every if name in names]
    room = width + GAP - sum(needs[name] + GAP for name in shown)
    for name in [*(one for one in must if one in every), *every]:
        if name not in shown and needs[name] + GAP <= room:
            shown.append(name)
            room -= needs[name] + GAP
    columns = [name for name in every if name in shown]
    return Fitted(
        columns,
        [[shorter(row[name]) for name in columns] for row in rows],
        [name for name in every if name not in shown],
    )


def _needed(heading: str, cells: Sequence[str]) -> int:
    """Its longest cell; a heading may be broken between words."""
    return max(map(len, [*cells, *heading.split(" ")]))
