"""Tables of text, and how they read as Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass, field

CELL = ["Solution", "Conditions"]
"""The columns that name a cell."""


@dataclass(frozen=True)
class Table:
    """A caption, column names and rows of equal length; the first `headers` columns name the row.

    `numeric` are the indices of the columns that are set flush right.
    """

    caption: str
    columns: list[str]
    rows: list[list[str]]
    headers: int = 1
    numeric: frozenset[int] = field(default_factory=frozenset)
    wide: bool = False
    """Whether its texts are long, so that columns must not become narrow."""

    def markdown(self) -> str:
        """The table in GitHub's Markdown, its caption as a bold line above."""
        rule = ["--:" if index in self.numeric else "---" for index in range(len(self.columns))]
        lines = [self.columns, rule, *self.rows]
        text = "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)
        return f"**{_cell(self.caption)}**\n\n{text}\n"


def right(columns: list[str], *left: str) -> frozenset[int]:
    """The indices of all columns but those named."""
    return frozenset(index for index, name in enumerate(columns) if name not in left)


def without_empty(table: Table, column: str) -> Table:
    """The table without a column that says nothing in any row."""
    index = table.columns.index(column)
    return table if any(row[index] for row in table.rows) else without(table, column)


def without(table: Table, column: str) -> Table:
    """The table without one of its columns."""
    index = table.columns.index(column)
    return Table(
        table.caption,
        [name for n, name in enumerate(table.columns) if n != index],
        [[cell for n, cell in enumerate(row) if n != index] for row in table.rows],
        table.headers - (index < table.headers),
        frozenset(n - (n > index) for n in table.numeric if n != index),
        table.wide,
    )


def ranges(ids: Iterable[int], limit: int = 60) -> str:
    """Ids in short: "3, 7 to 9, 12"; after `limit` parts the rest is counted."""
    spans: list[list[int]] = []
    for identifier in sorted(ids):
        if spans and identifier == spans[-1][1] + 1:
            spans[-1][1] = identifier
        else:
            spans.append([identifier, identifier])
    parts = [
        str(low) if low == high else f"{low}, {high}" if high == low + 1 else f"{low} to {high}"
        for low, high in spans
    ]
    rest = sum(high - low + 1 for low, high in spans[limit:])
    return ", ".join(parts[:limit]) + (f" and {rest} more" if rest else "")


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
