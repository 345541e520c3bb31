"""Figures: a drawing, its finding in words, and its values as a table."""

from dataclasses import dataclass, field

from markupsafe import Markup

from fivenines.report.charts.svg import Drawn
from fivenines.report.charts.theme import Style
from fivenines.report.groups import Group
from fivenines.report.table import Table

SPREAD = ["n", "Mean", "Standard deviation", "Coefficient of variation", "95 % interval"]


DOTS_LEGEND = "Vertical line: mean of the trials. Bar: its 95 % interval. Circles: single trials."


@dataclass(frozen=True)
class Figure:
    """A chart for the page.

    Attributes:
        title: heading of the chart.
        finding: caption and text alternative.
        svg: the drawing.
        table: the values of the drawing.
        notes: events in the drawing, each with its time.
        style: style of the solution, if the chart shows only one.
        times: time lines from which readers may choose, as `timelines.packed` writes them.
        caption: text below the chart instead of a finding with which the chapter begins already.
    """

    title: str
    finding: str
    svg: Markup
    table: Table
    notes: list[tuple[str, str]] = field(default_factory=list)
    style: Style | None = None
    times: str = ""
    caption: str = ""

    @property
    def valued(self) -> Drawn | None:
        """Return the drawing if its marks have texts and no time line replaces it."""
        return self.svg if isinstance(self.svg, Drawn) and self.svg.tips and not self.times else None


def title_of(what: str, group: Group) -> str:
    """Return "Throughput: oltp_read_write", without the label if there is only one group."""
    return f"{what}: {group.label}" if group.label else what
