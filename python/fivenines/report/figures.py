"""Figures: a drawing, its finding in words, and its figures as a table."""

from dataclasses import dataclass, field

from markupsafe import Markup

from fivenines.report.groups import Group
from fivenines.report.table import Table

SPREAD = ["n", "Mean", "Standard deviation", "Coefficient of variation", "95 % interval"]


DOTS_LEGEND = (
    "The upright stroke is the mean of the trials, the bar its 95 % interval, each circle a trial."
)


@dataclass(frozen=True)
class Figure:
    """A chart for the page; `finding` is its caption and text alternative, `notes` its events."""

    title: str
    finding: str
    svg: Markup
    table: Table
    notes: list[tuple[str, str]] = field(default_factory=list)


def title_of(what: str, group: Group) -> str:
    """ "Throughput: oltp_read_write", or without the label where there is only one group."""
    return f"{what}: {group.label}" if group.label else what
