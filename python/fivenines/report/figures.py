"""Figures: a drawing, its finding in words, and its figures as a table."""

from dataclasses import dataclass, field

from markupsafe import Markup

from fivenines.report.charts.svg import Drawn
from fivenines.report.charts.theme import Style
from fivenines.report.groups import Group
from fivenines.report.table import Table

SPREAD = ["n", "Mean", "Standard deviation", "Coefficient of variation", "95 % interval"]


DOTS_LEGEND = "The upright stroke is the mean of the trials, the bar its 95 % interval, each circle a trial."


@dataclass(frozen=True)
class Figure:
    """A chart for the page; `finding` is its caption and text alternative, `notes` its events.

    `style` is that of the one solution it is about, if it is about one. `times` are the time lines that the
    reader may choose from, as `timelines.packed` writes them.
    """

    title: str
    finding: str
    svg: Markup
    table: Table
    notes: list[tuple[str, str]] = field(default_factory=list)
    style: Style | None = None
    times: str = ""
    caption: str = ""
    """Stands below the chart in the place of a finding with which the chapter begins already."""

    @property
    def spec(self) -> Markup:
        """The chart as JSON for the page's script; nothing of a drawing that has none."""
        return Markup(self.svg.spec) if isinstance(self.svg, Drawn) and not self.times else Markup()


def title_of(what: str, group: Group) -> str:
    """ "Throughput: oltp_read_write", or without the label where there is only one group."""
    return f"{what}: {group.label}" if group.label else what
