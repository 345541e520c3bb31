"""Make the reference page of options in connection strings from the tables that the parser uses."""

from collections.abc import Sequence

from fivenines.load.dsn.words import IGNORED, REFUSED, TAKEN


def page(notice: str) -> str:
    """Return the reference page: the spellings of supported options, and the ignored and refused options.

    Args:
        notice: a comment that states how the page is made.
    """
    sections = [
        "# Options in connection strings",
        notice,
        "[What supported options do, and all formats](../how-to/connection-strings.md). "
        "Case, `-`, `_`, `.` and spaces in names do not matter.",
        "## Supported\n\nNames in one row mean the same.",
        _table(["names"], [[_names(words)] for words in TAKEN.values()]),
        "## Ignored\n\nEach prints a note on stderr.",
        _table(["why", "options"], [[reason, _names(words)] for reason, words in IGNORED]),
        "## Refused",
        _table(["options", "what to do"], [[_names(words), instead] for words, instead in REFUSED]),
    ]
    return "\n\n".join(sections) + "\n"


def _names(words: str) -> str:
    return ", ".join(f"`{word}`" for word in words.split())


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = "|".join("---" for _ in headings)
    lines = [f"| {' | '.join(row)} |" for row in (headings, *rows)]
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])
