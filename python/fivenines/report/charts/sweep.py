"""The chart of a sweep: a panel for each condition, with a row for each variant and both halves."""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.statistics.means import Summary, summarise
from fivenines.analysis.wording import mean_with_interval, number
from fivenines.report.charts import theme
from fivenines.report.charts.drawing import (
    THIN_LABEL,
    WIDTH,
    Drawing,
    bar,
    between,
    heading,
    layer,
    mark,
    pixels,
    points,
    text,
    whole,
)

_GAP = 22
_ROW = 42
# The places of the trials of the choosing and of the reporting half in a row, in px.
_LANES = (22, 33)

# Names of up to this number of characters leave room for two columns of panels.
_SHORT = 22


@dataclass(frozen=True)
class SweepRow:
    """A variant: the trials of both halves, each as a value and whether it is a lower bound."""

    name: str
    best: bool
    choosing: Sequence[tuple[float, bool]]
    reporting: Sequence[tuple[float, bool]]

    @property
    def summary(self) -> Summary:
        """Return the summary of the reporting half; empty if any value is a lower bound."""
        known = [value for value, bound in self.reporting if not bound]
        return summarise(known if len(known) == len(self.reporting) else [])


@dataclass(frozen=True)
class SweepPanel:
    """One condition with all variants."""

    title: str
    rows: Sequence[SweepRow]


def sweep_chart(panels: Sequence[SweepPanel], axis: str, style: theme.Style) -> Drawing:
    """Draw small panels in one or two columns with separate scales, which need not begin at 0."""
    longest = max(len(row.name) + 7 * row.best for panel in panels for row in panel.rows)
    two = len(panels) > 1 and longest <= _SHORT
    width = (WIDTH - _GAP - 24) / 2 if two else WIDTH - 24
    drawn = [_panel(panel, axis, style, width) for panel in panels]
    return whole({"concat": drawn, "columns": 2 if two else 1, "spacing": {"row": 14, "column": _GAP}})


def _panel(panel: SweepPanel, axis: str, style: theme.Style, width: float) -> Drawing:
    ticks = {"format": ",.4~r", "labelExpr": THIN_LABEL, "tickCount": 4 if width > WIDTH / 2 else 3}
    x = between("x", axis, _range(panel.rows), **ticks)
    layers = [each for n, row in enumerate(panel.rows) for each in _row(row, x, n * _ROW, style)]
    title = {"title": heading(panel.title, 4, fontSize=12)} if panel.title else {}
    return {"width": width, "height": _ROW * len(panel.rows), "layer": layers, **title}


def _range(rows: Sequence[SweepRow]) -> tuple[float, float]:
    """Return a range slightly wider than all trials; wider intervals are cut at its ends."""
    values = [value for row in rows for value, _ in (*row.choosing, *row.reporting)] or [0.0, 1.0]
    least, most = min(values), max(values)
    room = (most - least) / 2 or abs(most) / 10 or 1.0
    return (max(0.0, least - room) if least >= 0 else least - room), most + room


def _row(row: SweepRow, x: Drawing, top: float, style: theme.Style) -> list[Drawing]:
    colour = style.colour if row.best else theme.MUTED
    label = f"{row.name} \N{BLACK LEFT-POINTING TRIANGLE} best" if row.best else row.name
    weight = {"fontWeight": "bold"} if row.best else {}
    layers = [text(label, 0, top + 9, align="left", color=theme.INK, **weight)]
    chose, reported = (top + lane for lane in _LANES)
    summary = row.summary
    if summary.ci_low is not None and summary.ci_high is not None:
        ends = (summary.ci_low, summary.ci_high)
        layers.append(bar(ends, x, reported, color=colour, strokeWidth=7, opacity=0.3, clip=True))
    for values, filled, y in ((row.choosing, False, chose), (row.reporting, True, reported)):
        for bound, shape in ((False, "circle"), (True, "triangle-right")):
            some = [value for value, is_bound in values if is_bound is bound]
            half = "reporting" if filled else "choosing"
            least = "at least " if bound else ""
            tips = [f"{row.name}\n{half} half, one trial: {least}{number(each)}" for each in some]
            layers += points(some, x, y, tips, shape=shape, size=34, filled=filled, color=colour)
    if summary.mean is not None:
        tick = mark("tick", color=theme.INK, thickness=2.5, height=14, orient="vertical")
        tip = f"{row.name}\nreporting half: {mean_with_interval(summary)}"
        layers.append(layer([{"x": summary.mean, "tip": tip}], tick, x=x, **pixels(y=reported)))
    return layers
