"""A part of the page: its answer, what decides, and the evidence, which is folded away."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fivenines.report.figures import Figure
from fivenines.report.table import Table

_SHORT = 15
"""A table of more rows is folded away where the page has its sum already."""

_ROW = 3
"""So many figures stand beside each other on a wide page; the others of a chapter are folded away."""


@dataclass(frozen=True)
class Drawer:
    """What is folded away until wanted; tables without rows are left out.

    `source` is shown as it is, letter by letter.
    """

    title: str
    tables: list[Table] = field(default_factory=list)
    source: str = ""
    texts: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.source or self.texts or self.figures) or any(t.rows for t in self.tables)


@dataclass(frozen=True)
class Section:
    """A part of the page with its heading; tables without rows and empty drawers are left out.

    The first of its `texts` is the finding.
    """

    id: str
    title: str
    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    drawers: list[Drawer] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    """What makes its finding doubtful, and stands beside it."""

    @property
    def filled(self) -> bool:
        """Whether there is anything in it."""
        shown = [*(table.rows for table in self.tables), *(one.filled for one in self.drawers)]
        return bool(self.texts or self.figures) or any(shown)

    @property
    def every_table(self) -> list[Table]:
        """Its tables, those of its drawers included."""
        return [*self.tables, *(table for one in self.drawers for table in one.tables)]

    @property
    def every_figure(self) -> list[Figure]:
        """Its figures, those of its drawers included."""
        return [*self.figures, *(figure for one in self.drawers for figure in one.figures)]


def folded(*tables: Table) -> list[Drawer]:
    """A drawer for each table, called as the table is."""
    return [Drawer(table.caption, [table]) for table in tables]


def explained(*texts: str) -> Drawer:
    """How the chapter's figures came about and are to be read."""
    return Drawer("How to read this", texts=list(texts))


def beside(figures: Sequence[Figure], rest: str) -> tuple[list[Figure], list[Drawer]]:
    """As many figures as stand in a row, and a drawer called `rest` with the others."""
    shown, others = list(figures[:_ROW]), list(figures[_ROW:])
    return shown, [Drawer(rest, figures=others)] if others else []


def is_long(table: Table) -> bool:
    """Whether it is folded away where the page has its sum already."""
    return len(table.rows) > _SHORT
