"""Tables and texts in a given width: lines break between words, never in a word or a number.

A narrow no-break space (as in `1 326`) is no place to break; nor is the blank between a number and its unit.
"""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from rich.cells import cell_len

# Blanks between two columns.
GAP = 2

# So narrow a column of names may become before other columns are broken, too.
NAME = 14

_UNIT = re.compile(r"(?<=\d) (?=(?:%|µs|ms|s|min|h|kB|MB|GB|TB)(?:$|[\s.,;:)]))")
# Stands for a blank that is no place to break: one of nobody's characters, as wide as a blank.
_JOINED = "\ue000"

_NUMBER = re.compile("(?:at (?:least|most) |median )?[0-9+\N{MINUS SIGN}]")

# Where a cell is broken first, as long as there is no room: before an interval, then between its
# ends.
_INTERVALS = ((" (", "\n("), (" to ", " to\n"))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    right: Sequence[str] = (),
    names: Sequence[str] = (),
) -> tuple[list[str], list[list[str]]]:
    """The lines of the head and those of each row, in a width; wider only where a word alone is.

    `right` are the columns that end under each other, `names` those that are broken before all others.
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
    # a heading stands right above its column
    raised = ["\n".join([*[""] * (most - len(one)), *one]) for one in head]
    return lines(raised), [lines(row) for row in folded]


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of this width, broken at blanks; a longer word has a longer line."""
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
    """The cells as they are broken, and the width of each column.

    What is broken first: names, then all texts, then an interval goes to a line of its own, and then to
    one for each of its ends.
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
    """The widths where only these columns are broken, from the first on, as far as they must."""
    natural, least = _natural(columns, rows), _least(columns, rows)
    over = _total(natural) - width
    for index, name in enumerate(columns):
        if name in names and over > 0:
            less = max(0, min(over, natural[index] - max(least[index], NAME)))
            natural[index] -= less
            over -= less
    return natural


def _figure(cell: str) -> bool:
    """Whether a cell is a figure with something in brackets, and no sentence or name."""
    return _NUMBER.match(cell) is not None


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The width of each column where all may be broken: the widest give way first."""
    natural, least = _natural(columns, rows), _least(columns, rows)
    cap = max(natural, default=0)
    while _total(_capped(natural, least, cap)) > width and cap > 1:
        cap -= 1
    return _capped(natural, least, cap)


def _roomy(columns: Sequence[str], widths: list[int], width: int) -> list[int]:
    """The same; what is left over goes to headings, so that they need not be broken."""
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
    """What each column needs without a break in a line of a cell, or in a word of its heading."""
    return _needed(columns, rows, lambda cell: cell.split("\n"))


def _least(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """What each column needs without a break in a word."""
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
