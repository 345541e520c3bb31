"""A part of the page: its texts, tables and figures, and what is folded away."""

from dataclasses import dataclass, field

from fivenines.report.figures import Figure
from fivenines.report.table import Table

_SHORT = 15
"""A table of more rows is folded away where the page has its sum already."""


@dataclass(frozen=True)
class Drawer:
    """Tables that are folded away until wanted; those without rows are left out."""

    title: str
    tables: list[Table] = field(default_factory=list)
    text: str = ""

    @property
    def filled(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.text) or any(table.rows for table in self.tables)


@dataclass(frozen=True)
class Section:
    """A part of the page with its heading; tables without rows and empty drawers are left out."""

    id: str
    title: str
    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    drawers: list[Drawer] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        """Whether there is anything in it."""
        shown = [*(table.rows for table in self.tables), *(one.filled for one in self.drawers)]
        return bool(self.texts or self.figures) or any(shown)


def folded(*tables: Table) -> list[Drawer]:
    """A drawer for each table, called as the table is."""
    return [Drawer(table.caption, [table]) for table in tables]


def is_long(table: Table) -> bool:
    """Whether it is folded away where the page has its sum already."""
    return len(table.rows) > _SHORT
