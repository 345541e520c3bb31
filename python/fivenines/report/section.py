"""A part of the page: its texts, tables and figures, and what is folded away."""

from dataclasses import dataclass, field

from fivenines.report.figures import Figure
from fivenines.report.table import Table

_SHORT = 15
"""A table of more rows is folded away where the page has its sum already."""


@dataclass(frozen=True)
class Drawer:
    """Tables that are folded away until wanted."""

    title: str
    tables: list[Table] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page with its heading; what is empty is left out."""

    id: str
    title: str
    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    drawers: list[Drawer] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        """Whether there is anything in it."""
        return any((self.texts, self.tables, self.figures, self.drawers))


@dataclass(frozen=True)
class Content:
    """What a section shows, before it has a name; `folded` tables each have a drawer of their own."""

    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)

    def section(self, id_: str, title: str) -> Section:
        """The section of it."""
        drawers = [Drawer(table.caption, [table]) for table in self.folded if table.rows]
        return Section(id_, title, self.texts, self.tables, self.figures, drawers)


def full(*tables: Table) -> list[Table]:
    """Those that have rows."""
    return [table for table in tables if table.rows]


def drawer(title: str, *tables: Table, text: str = "") -> list[Drawer]:
    """A drawer with what is not empty; none if all is."""
    found = full(*tables)
    return [Drawer(title, found, text)] if found or text else []


def is_long(table: Table) -> bool:
    """Whether it is folded away where the page has its sum already."""
    return len(table.rows) > _SHORT
