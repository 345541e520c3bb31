"""Rewrite Typer's messages about a command line in plain English."""

import re
from typing import Any

_PLAIN = tuple(
    (re.compile(pattern, re.S), text)
    for pattern, text in (
        (r"Invalid value for '([^']+)': ", r"\1: "),
        (r"Input should be greater than or equal to (\S+)", r"must be at least \1"),
        (r"Input should be less than or equal to (\S+)", r"must be at most \1"),
        (r"(\S+) is not in the range x?(\d+)<=x<=(\d+)\.?", r"\1 is not between \2 and \3"),
        (r"Input should be a valid integer.*", "must be a whole number"),
        (r"Input should be a valid number.*", "must be a number"),
        (r"Value error, ", ""),
        (r"'([^']*)' is not one of (.*?)\.?$", r"unknown value '\1': must be one of \2"),
        (r"\. Choose from:\s*(.*)$", r": must be one of \1"),
    )
)


def message(error: Any) -> str:
    """Return the message of Typer's error; empty if help has been shown instead."""
    text: str = error.format_message()
    for pattern, plain in _PLAIN:
        text = pattern.sub(plain, text)
    head, mark, words = text.partition("must be one of ")
    return head + mark + ", ".join(words.replace("'", "").replace(",", " ").split())
