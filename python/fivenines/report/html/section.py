"""Sections of the page: sentences, tables and figures, and drawers with the details."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fivenines.report.html.figures import Figure
from fivenines.report.table import Table

# Tables with more rows are folded away if the page has a summary of them.
_SHORT = 15

# The number of figures in a row on a wide page; the others of a chapter are folded away.
_ROW = 3


@dataclass(frozen=True)
class Drawer:
    """A part that is folded away at first; tables without rows are left out.

    `source` is shown verbatim.
    """

    title: str
    tables: list[Table] = field(default_factory=list)
    source: str = ""
    texts: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        """Return whether it has any content."""
        return bool(self.source or self.texts or self.figures) or any(t.rows for t in self.tables)


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading; tables without rows and empty drawers are left out.

    The first of its `texts` is the finding. `cautions` are shown next to the finding.
    """

    id: str
    title: str
    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    drawers: list[Drawer] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        """Return whether it has any content."""
        shown = [*(table.rows for table in self.tables), *(one.filled for one in self.drawers)]
        return bool(self.texts or self.figures) or any(shown)

    @property
    def every_table(self) -> list[Table]:
        """Return all tables, including those of drawers."""
        return [*self.tables, *(table for one in self.drawers for table in one.tables)]

    @property
    def every_figure(self) -> list[Figure]:
        """Return all figures, including those of drawers."""
        return [*self.figures, *(figure for one in self.drawers for figure in one.figures)]


def folded(*tables: Table) -> list[Drawer]:
    """Return a drawer for each table, titled with the table's caption."""
    return [Drawer(table.caption, [table]) for table in tables]


def explained(*texts: str) -> Drawer:
    """Return a drawer that explains how to read the chapter."""
    return Drawer("How to read this", texts=list(texts))


def in_row(figures: Sequence[Figure], rest: str) -> tuple[list[Figure], list[Drawer]]:
    """Return the figures of a row, and a drawer titled `rest` with the others."""
    shown, others = list(figures[:_ROW]), list(figures[_ROW:])
    return shown, [Drawer(rest, figures=others)] if others else []


def is_long(table: Table) -> bool:
    """Return whether a table is folded away if the page has a summary of it."""
    return len(table.rows) > _SHORT
