"""Lay out tables and texts in a given width: lines break between words, never within one.

Lines never break at a narrow no-break space (as in `1 326`) or between a number and its unit.
"""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from rich.cells import cell_len

# Blanks between two columns.
GAP = 2

# Least width of a column of names before other columns wrap, too.
NAME = 14

_UNIT = re.compile(r"(?<=\d) (?=(?:%|µs|ms|s|min|h|kB|MB|GB|TB)(?:$|[\s.,;:)]))")
# Stands for a blank at which no line breaks: a private-use character, as wide as a blank.
_JOINED = "\ue000"

_NUMBER = re.compile("(?:at (?:least|most) |median )?[0-9+\N{MINUS SIGN}]")

# Where a cell breaks first if it does not fit: before an interval, then between its ends.
_INTERVALS = ((" (", "\n("), (" to ", " to\n"))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    right: Sequence[str] = (),
    names: Sequence[str] = (),
) -> tuple[list[str], list[list[str]]]:
    """Return the lines of the heading and of each row; wider only if a word is wider.

    `right` names the right-aligned columns, `names` the columns that wrap first.
    """
    folded, widths = _fit(columns, rows, width, names)

    def lines(cells: Sequence[str]) -> list[str]:
        parts = [wrapped(cell, room) for cell, room in zip(cells, widths, strict=True)]
        return [
            (" " * GAP)
            .join(
                _padded(text, room, name in right)
                for text, room, name in zip(line, widths, columns, strict=True)
            )
            .rstrip()
            for line in zip_longest(*parts, fillvalue="")
        ]

    head = [wrapped(name, room) for name, room in zip(columns, widths, strict=True)]
    most = max(map(len, head), default=0)
    # A heading is aligned with the bottom, right above its column.
    raised = ["\n".join([*[""] * (most - len(one)), *one]) for one in head]
    return lines(raised), [lines(row) for row in folded]


def wrapped(text: str, width: int) -> list[str]:
    """Wrap text at blanks to this width; a longer word has a longer line."""
    found: list[str] = []
    for paragraph in text.split("\n"):
        rest = paragraph.lstrip(" ")
        indent = " " * (len(paragraph) - len(rest))
        line = ""
        for word in _UNIT.sub(_JOINED, rest).split(" "):
            if line and cell_len(f"{indent}{line} {word}") > width:
                found.append(indent + line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        found.append(indent + line)
    return [line.replace(_JOINED, " ") for line in found]


def _fit(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, names: Sequence[str]
) -> tuple[list[list[str]], list[int]]:
    """Return the cells with their line breaks, and the width of each column.

    Names wrap first, then all texts, then intervals move to a separate line, then each end of them.
    """
    folded = [list(row) for row in rows]
    cells = list(zip(*folded, strict=True)) or [()] * len(columns)
    texts = [name for name, column in zip(columns, cells, strict=True) if not any(map(_figure, column))]
    for old, new in (("", ""), *_INTERVALS):
        if old:
            folded = [[c.replace(old, new) if _figure(c) else c for c in row] for row in folded]
        for broken in (names, texts):
            widths = _broken(columns, folded, width, broken)
            if _total(widths) <= width:
                return folded, _roomy(columns, widths, width)
    return folded, _roomy(columns, _widths(columns, folded, width), width)


def _broken(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, names: Sequence[str]
) -> list[int]:
    """Return the widths if only these columns wrap, from the first on, as far as necessary."""
    natural, least = _natural(columns, rows), _least(columns, rows)
    over = _total(natural) - width
    for index, name in enumerate(columns):
        if name in names and over > 0:
            less = max(0, min(over, natural[index] - max(least[index], NAME)))
            natural[index] -= less
            over -= less
    return natural


def _figure(cell: str) -> bool:
    """Return whether a cell begins with a number, unlike a sentence or a name."""
    return _NUMBER.match(cell) is not None


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the width of each column if all may wrap: the widest shrink first."""
    natural, least = _natural(columns, rows), _least(columns, rows)
    cap = max(natural, default=0)
    while _total(_capped(natural, least, cap)) > width and cap > 1:
        cap -= 1
    return _capped(natural, least, cap)


def _roomy(columns: Sequence[str], widths: list[int], width: int) -> list[int]:
    """Give the remaining width to headings, so that they do not wrap."""
    left = width - _total(widths)
    for index, name in enumerate(columns):
        more = max(0, min(left, cell_len(name) - widths[index]))
        widths[index] += more
        left -= more
    return widths


def _capped(natural: Sequence[int], least: Sequence[int], cap: int) -> list[int]:
    return [max(low, min(high, cap)) for low, high in zip(least, natural, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(0, len(widths) - 1)


def _natural(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column without wrapping cells."""
    return _needed(columns, rows, lambda cell: cell.split("\n"))


def _least(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column's longest word."""
    return _needed(columns, rows, lambda cell: wrapped(cell, 1))


def _needed(
    columns: Sequence[str], rows: Sequence[Sequence[str]], parts: Callable[[str], list[str]]
) -> list[int]:
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    return [
        max(cell_len(part) for part in [*wrapped(name, 1), *(p for one in column for p in parts(one))])
        for name, column in zip(columns, cells, strict=True)
    ]


def _padded(text: str, room: int, right: bool) -> str:
    blanks = " " * (room - cell_len(text))
    return blanks + text if right else text + blanks
