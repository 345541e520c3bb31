"""What commands print with: results on stdout, everything else on stderr, colour on terminals only.

Rich itself honours NO_COLOR and TERM=dumb. Its markup stays off for texts that come from elsewhere:
`solutions[0]` is no style.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPED_WIDTH = 160
"""Wide enough for tables in a pipe, where nobody says how wide the other end is."""


def stdout() -> Console:
    """For what a command was asked for."""
    return _console(stderr=False)


def stderr() -> Console:
    """For progress, warnings and errors."""
    return _console(stderr=True)


def say(text: str, style: str = "") -> None:
    """A line of result."""
    _lines(stdout(), text, style)


def note(text: str, style: str = "") -> None:
    """A line beside the result."""
    _lines(stderr(), text, style)


def as_json(value: Any) -> None:
    """The result for a script: plain JSON whatever the terminal is."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    stdout().out(text, highlight=False)


def as_line(value: dict[str, Any]) -> None:
    """One of many results for a script: a JSON object on a line of its own, at once."""
    out = stdout()
    out.out(json.dumps(value, ensure_ascii=False, default=str), highlight=False)
    out.file.flush()


_GAP = 2
"""Blanks between two columns."""


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[str] = ()
) -> None:
    """A plain table; long cells are folded, an interval as a whole where it can, never cut off."""
    shown = Table(
        box=None, pad_edge=False, show_edge=False, header_style="bold", padding=(0, _GAP, 0, 0)
    )
    folded = _folded(columns, [[str(cell) for cell in row] for row in rows])
    for column, width in zip(columns, _room(columns, folded), strict=True):
        shown.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="fold",
            width=width,
        )
    for row in folded:
        shown.add_row(*(Text(cell) for cell in row))
    stdout().print(shown)


def _folded(columns: Sequence[str], rows: list[list[str]]) -> list[list[str]]:
    """Cells as wide as there is room: an interval gets a line of its own, then one for each of its ends."""
    for old, new in ((" (", "\n("), (" to ", " to\n")):
        if _fit(_widths(columns, rows)):
            break
        rows = [[cell.replace(old, new) for cell in row] for row in rows]
    return rows


def _room(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int] | list[None]:
    """The width of each column: headings break between words, so that cells need not.

    None where even that does not fit: then cells are folded wherever they must.
    """
    widths = _widths(columns, rows)
    if not _fit(widths):
        return [None] * len(columns)
    left = stdout().width - sum(width + _GAP for width in widths)
    for index, name in enumerate(columns):
        more = min(left, max(0, len(name) - widths[index]))
        widths[index] += more
        left -= more
    return widths


def _fit(widths: Sequence[int]) -> bool:
    return sum(width + _GAP for width in widths) <= stdout().width


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """What each column needs at least without a break in a line of a cell or a word of its heading."""
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    return [
        max(len(line) for line in [*name.split(), "", *"\n".join(column).split("\n")])
        for name, column in zip(columns, cells, strict=True)
    ]


def size(number: int) -> str:
    """Bytes for people: `514 MB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def _lines(console: Console, text: str, style: str) -> None:
    """Text wrapped between words on a terminal, and left as it is in a pipe or a file."""
    console.print(Text(text, style=style), soft_wrap=not console.is_terminal)


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = _PIPED_WIDTH
    return console
