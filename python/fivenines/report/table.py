"""Tables of text, and their Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass, field

# The columns that name a cell.
CELL = ["Solution", "Conditions"]


@dataclass(frozen=True)
class Table:
    """A caption, column names and rows of equal length.

    Attributes:
        headers: the number of first columns that name the row.
        numeric: indices of right-aligned columns.
        wide: whether texts are long, so that columns must not become narrow.
    """

    caption: str
    columns: list[str]
    rows: list[list[str]]
    headers: int = 1
    numeric: frozenset[int] = field(default_factory=frozenset)
    wide: bool = False

    def markdown(self) -> str:
        """Return the table in GitHub's Markdown, below its caption as a bold line."""
        rule = ["--:" if index in self.numeric else "---" for index in range(len(self.columns))]
        lines = [self.columns, rule, *self.rows]
        text = "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)
        return f"**{_cell(self.caption)}**\n\n{text}\n"


def right(columns: list[str], *left: str) -> frozenset[int]:
    """Return the indices of all columns except those named."""
    return frozenset(index for index, name in enumerate(columns) if name not in left)


def without_empty(table: Table, column: str) -> Table:
    """Remove a column if it is empty in every row."""
    index = table.columns.index(column)
    return table if any(row[index] for row in table.rows) else without(table, column)


def without(table: Table, column: str) -> Table:
    """Remove a column."""
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
    """Return ids in short: "3, 7 to 9, 12"; after `limit` parts, the number of the others."""
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
