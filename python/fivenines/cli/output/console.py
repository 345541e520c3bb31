"""Print results on stdout and everything else on stderr, with colour on terminals only.

Rich honours NO_COLOR and TERM=dumb. Its markup stays off, because texts may contain brackets:
`solutions[0]` is not a style.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fivenines.cli.output import layout

# Width of tables in a pipe, where the width of the reader is unknown.
_PIPED_WIDTH = 160


def stdout() -> Console:
    """Return the console for results."""
    return _console(stderr=False)


def stderr() -> Console:
    """Return the console for progress, warnings and errors."""
    return _console(stderr=True)


def say(text: str, style: str = "") -> None:
    """Print a line of the result on stdout."""
    _lines(stdout(), text, style)


def say_hanging(text: str, indent: int, style: str = "") -> None:
    """Print a line of the result on stdout; on a terminal its continuation is indented by `indent`."""
    console = stdout()
    if not console.is_terminal or len(text) <= console.width:
        _lines(console, text, style)
        return
    begin, rest = text[:indent], text[indent:]
    for number, line in enumerate(layout.wrapped(rest, console.width - indent)):
        _whole(console, f"{' ' * indent if number else begin}{line}", style)


def note(text: str, style: str = "") -> None:
    """Print a line on stderr."""
    _lines(stderr(), text, style)


def note_left_out(columns: Iterable[str], command: str) -> None:
    """Name the columns that did not fit and the command that shows them."""
    if names := "; ".join(dict.fromkeys(columns)):
        note(f"columns not shown: {names}; to show them: {command}")


def as_json(value: Any) -> None:
    """Print the result as JSON for scripts, without colour."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    stdout().out(text, highlight=False)


def as_line(value: dict[str, Any]) -> None:
    """Print one result as a JSON object on one line, and flush."""
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
    """Print a plain table whose lines break between words; see `layout`.

    `right` names right-aligned columns, `names` the columns that wrap first.
    `groups` has a heading for each row, printed where it changes. With `wide` no line wraps.
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
    """Format a number of bytes for people, as `514 MB`."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def _lines(console: Console, text: str, style: str) -> None:
    """Print text, wrapped between words on a terminal and unchanged in a pipe or a file."""
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
