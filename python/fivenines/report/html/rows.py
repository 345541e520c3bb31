"""Write the rows of tables in the fewest bytes that HTML allows, as a report of many trials has thousands.

End tags of rows and cells are left out (HTML, 13.1.2.4 Optional tags), and a table names its numeric columns
once. On a page with very many rows, those of long tables are compressed after the first; templates/page.js
adds them. Without scripts a note names them.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from fivenines.report.charts.live import packed
from fivenines.report.html.spaces import unbroken
from fivenines.report.table import Table

# A page with more rows in all compresses those of long tables.
_PLAIN = 2000
# Then the rows of a long table that are written plainly, and the most that a slightly longer table may have.
_SHOWN, _MOST = 20, 40

# The most columns that a style exists for; numbers of further columns have a class each.
COLUMNS = 40


def classes(table: Table) -> str:
    """Return the classes of a table: `n4` aligns its column 4, from 0, on the right."""
    numeric = [f"n{column}" for column in sorted(table.numeric) if column < COLUMNS]
    return " ".join([*(["wide"] if table.wide else []), *numeric])


def styles() -> str:
    """Return the style of numeric columns."""
    places = ",".join(f".n{column} tr>:nth-child({column + 1})" for column in range(COLUMNS))
    return f"{places},.n{{text-align:right;max-width:14rem;hyphens:none}}\n"


class Rows:
    """Write the rows of a page's tables, in full unless there are very many."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._many = sum(len(table.rows) for table in tables) > _PLAIN

    def first(self, table: Table, named: bool = False) -> Markup:
        """Return the rows that are written plainly; cells of `named` tables name their columns."""
        return Markup(_written(table, table.rows[: self._plain(table)], named))

    def further(self, table: Table) -> str:
        """Return the other rows as compressed HTML."""
        return packed(_written(table, table.rows[self._plain(table) :]))

    def left(self, table: Table) -> int:
        """Return the number of rows that are not written plainly."""
        return len(table.rows) - self._plain(table)

    def _plain(self, table: Table) -> int:
        return _SHOWN if self._many and len(table.rows) > _MOST else len(table.rows)


def _written(table: Table, rows: Sequence[Sequence[str]], named: bool = False) -> str:
    starts = []
    for column, name in enumerate(table.columns):
        kind = " class=n" if column in table.numeric and (named or column >= COLUMNS) else ""
        head = f' data-head="{escape(name)}"' if named else ""
        starts.append("<th scope=row>" if column < table.headers else f"<td{kind}{head}>")
    numeric = [column in table.numeric and column >= table.headers for column in range(len(table.columns))]
    lines = []
    for row in rows:
        cells = [
            start + (_value(cell) if is_number else _text(cell))
            for start, cell, is_number in zip(starts, row, numeric, strict=True)
        ]
        lines.append(f"<tr>{''.join(cells)}\n")
    return "".join(lines)


def _text(cell: str) -> str:
    return str(escape(unbroken(cell)))


def _value(cell: str) -> str:
    """Return a value with what is in brackets after it, such as its interval, on a line of its own."""
    first, bracket, rest = cell.partition(" (")
    return f"{_text(first)} <small>({_text(rest)}</small>" if bracket else _text(cell)
