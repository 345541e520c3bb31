"""What commands print with: results on stdout, everything else on stderr, colour on terminals only.

Rich itself honours NO_COLOR and TERM=dumb. Its markup stays off for texts that come from elsewhere:
`solutions[0]` is no style.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fivenines.cli import layout

# Wide enough for tables in a pipe, where nobody says how wide the other end is.
_PIPED_WIDTH = 160


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


def note_left_out(columns: Iterable[str], command: str) -> None:
    """Which columns had no room, and the command that shows them; nothing where all had."""
    if names := "; ".join(dict.fromkeys(columns)):
        note(f"not shown for want of room: {names} ({command})")


def as_json(value: Any) -> None:
    """The result for a script: plain JSON whatever the terminal is."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    stdout().out(text, highlight=False)


def as_line(value: dict[str, Any]) -> None:
    """One of many results for a script: a JSON object on a line of its own, at once."""
    out = stdout()
    out.out(json.dumps(value, ensure_ascii=False, default=str), highlight=False)
    out.file.flush()


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    right: Sequence[str] = (),
    names: Sequence[str] = (),
    groups: Sequence[str] = (),
    wide: bool = False,
) -> None:
    """A plain table, its lines broken between words; see `layout`.

    `right` are columns of numbers, `names` those whose words go to further lines first.
    `groups` has a heading for each row; it is shown where another one begins. With `wide` nothing is
    broken, however long the lines are.
    """
    out = stdout()
    cells = [[str(cell) for cell in row] for row in rows]
    head, lines = layout.table(columns, cells, _ENDLESS if wide else out.width, right, names)
    for line in head:
        _whole(out, line, "bold")
    shown = ""
    for index, row in enumerate(lines):
        heading = groups[index] if groups else ""
        if heading != shown:
            _whole(out, heading, "bold")
            shown = heading
        for line in row:
            _whole(out, line)


_ENDLESS = 10_000


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
    lines = layout.wrapped(text, console.width) if console.is_terminal else text.split("\n")
    for line in lines:
        _whole(console, line, style)


def _whole(console: Console, line: str, style: str = "") -> None:
    console.print(Text(line, style=style), soft_wrap=True)


def _console(stderr: bool) -> Console:
    console = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = _PIPED_WIDTH
    return console
