"""Generate man pages from the command line's help.

    python -m fivenines.cli.reference.manual build/man

One page for the program and one for each command: `man fivenines-run`.
"""

import re
import sys
from pathlib import Path
from typing import Any

import typer

from fivenines import __version__
from fivenines.cli.reference.pages import EXIT_CODES, paragraphs, parameters, write

_PROGRAM = "fivenines"


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    from fivenines.cli.main import app  # noqa: PLC0415  (only the pages need the program)

    command: Any = typer.main.get_command(app)
    found = _pages(command, _PROGRAM)
    others = [name.removesuffix(".1") for name in found if name != f"{_PROGRAM}.1"]
    return {name: text + _see_also(name, others) for name, text in found.items()}


def _pages(command: Any, path: str) -> dict[str, str]:
    found = {f"{path.replace(' ', '-')}.1": _page(command, path)}
    for name, inner in getattr(command, "commands", {}).items():
        found |= _pages(inner, f"{path} {name}")
    return found


def _page(command: Any, path: str) -> str:
    (_, first), *rest = paragraphs(command)
    title = path.replace(" ", "-")
    inner: dict[str, Any] = getattr(command, "commands", {})
    lines = [
        f'.TH {title.upper()} 1 "" "{_PROGRAM} {__version__}" "{_PROGRAM}"',
        # No hyphenation or justification, so that commands can be copied.
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{_plain(title)} \\- {_plain(first.rstrip('.'))}",
        ".SH SYNOPSIS",
        _synopsis(command, path, bool(inner)),
        ".SH DESCRIPTION",
        _plain(first),
        *(_paragraph(verbatim, text) for verbatim, text in rest),
    ]
    if inner:
        lines += [".SH COMMANDS"]
        for name, one in inner.items():
            lines += [".TP", f".B {_plain(f'{path} {name}')}", _plain(paragraphs(one)[0][1])]
    for heading, arguments in (("ARGUMENTS", True), ("OPTIONS", False)):
        rows = [(name, text) for is_argument, name, text in parameters(command) if is_argument == arguments]
        lines += [f".SH {heading}"] if rows else []
        for name, text in rows:
            lines += [".TP", f".B {_plain(name)}", _plain(text)]
    return "\n".join([*lines, ".SH EXIT STATUS", _plain(EXIT_CODES)]) + "\n"


def _synopsis(command: Any, path: str, group: bool) -> str:
    words = [name for argument, name, _ in parameters(command) if argument]
    words = ["COMMAND", "[ARGUMENTS]..."] if group else words
    return f".B {_plain(path)}\n[OPTIONS] {_plain(' '.join(words))}".rstrip()


def _paragraph(verbatim: bool, text: str) -> str:
    """Format a paragraph; examples stay verbatim."""
    return f".PP\n.nf\n.RS 2\n{_plain(text)}\n.RE\n.fi" if verbatim else f".PP\n{_plain(text)}"


def _see_also(name: str, others: list[str]) -> str:
    """Return the section that links the program's page and the others."""
    named = others if name == f"{_PROGRAM}.1" else [_PROGRAM]
    return ".SH SEE ALSO\n" + ",\n".join(f".BR {_plain(one)} (1)" for one in named) + "\n"


def _plain(text: str) -> str:
    """Escape text for roff: words in backticks become bold; lines never begin with a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`\n]+)`", r"\\fB\1\\fR", text)
    return re.sub(r"(?m)^(\s*)(?=[.'])", r"\1\\&", text)


if __name__ == "__main__":
    write(pages(), Path(sys.argv[1] if len(sys.argv) > 1 else "build/man"))
