"""What is wrong with a command line, in plain English: typer says it in the words of its libraries."""

import re
from typing import Any

_PLAIN = tuple(
    (re.compile(pattern, re.S), text)
    for pattern, text in (
        (r"Invalid value for '([^']+)': ", r"\1: "),
        (r"Input should be greater than or equal to (\S+)", r"it has to be \1 at least"),
        (r"Input should be less than or equal to (\S+)", r"it can be \1 at most"),
        (r"(\S+) is not in the range x?(\d+)<=x<=(\d+)\.?", r"\1 is not between \2 and \3"),
        (r"Input should be a valid integer.*", "it has to be a whole number"),
        (r"Input should be a valid number.*", "it has to be a number"),
        (r"Value error, ", ""),
        (r"'([^']*)' is not one of (.*?)\.?$", r"there is no '\1': it is one of \2"),
        (r"\. Choose from:\s*(.*)$", r": it is one of \1"),
    )
)


def message(error: Any) -> str:
    """The message of typer's error; empty where help has been shown instead."""
    text: str = error.format_message()
    for pattern, plain in _PLAIN:
        text = pattern.sub(plain, text)
    head, mark, words = text.partition("it is one of ")
    return head + mark + ", ".join(words.replace("'", "").replace(",", " ").split())
