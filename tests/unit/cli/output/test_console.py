"""Tables for the terminal: nothing is cut off, an interval stays together where it can."""

import io

import pytest
from rich.console import Console

from fivenines.cli.output import console

ROWS = [["group", "1 229 (1 102 to 1 355)"], ["another", "9.5 (8.1 to 11)"]]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (80, ["group    1 229 (1 102 to 1 355)", "another  9.5 (8.1 to 11)"]),
        (28, ["group    1 229", "         (1 102 to 1 355)", "another  9.5", "         (8.1 to 11)"]),
        (20, ["group    1 229", "(1 102 to", "1 355)", "another  9.5", "(8.1 to", "11)"]),
    ],
)
def test_an_interval_is_not_torn(monkeypatch: pytest.MonkeyPatch, width: int, lines: list[str]) -> None:
    text = io.StringIO()
    monkeypatch.setattr(console, "stdout", lambda: Console(file=text, width=width))
    console.table(["Solution", "Per second"], ROWS)
    shown = [line.rstrip() for line in text.getvalue().splitlines()]
    assert shown[0].split() == ["Solution", "Per", "second"]
    assert [line.split() for line in shown[1:]] == [line.split() for line in lines]
