"""The figures of the chapter on sweeps."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.statistics import summarise
from fivenines.analysis.sweeps import Compared, Sweep, Unit
from fivenines.report import theme
from fivenines.report.figures import Figure, in_seconds
from fivenines.report.groups import Names, names_of
from fivenines.report.svg import to_svg
from fivenines.report.sweep_chart import SweepPanel, SweepRow, sweep_chart
from fivenines.report.sweeps import conditions_of, counted, values_of, variant_table

_PANELS = 12
"""So many conditions of a sweep are drawn; tables have all of them."""


def sweep_figures(found: Compared) -> list[Figure]:
    """A figure for each sweep, all variants below it as a table."""
    names = names_of(found.variants)
    return [_figure(sweep, names) for sweep in found.sweeps]


def _figure(sweep: Sweep, names: Names) -> Figure:
    panels = [
        SweepPanel(label, _rows(sweep, unit, cells))
        for unit in sweep.units
        for label, cells in conditions_of(sweep, unit, names).items()
    ]
    drawn = panels[:_PANELS]
    axis = "s" if sweep.by.milli and _long(drawn) else "ms" if sweep.by.milli else "transactions/s"
    if axis == "s":
        drawn = [_scaled(panel) for panel in drawn]
    finding = counted(sweep)
    if len(panels) > _PANELS:
        finding += f" The first {_PANELS} of {len(panels)} are drawn."
    style = theme.style(0)
    svg = to_svg(sweep_chart(drawn, axis, style))
    return Figure(f"Sweep of {sweep.name}", finding, svg, variant_table(sweep, names))


def _rows(sweep: Sweep, unit: Unit, cells: Sequence[CellResult]) -> list[SweepRow]:
    best = unit.choice.best.name if unit.choice else ""
    rows = []
    for name, variant in sweep.variants.items():
        own = [cell for cell in cells if cell.key.solution == name]
        choosing, reporting = (values_of(sweep.by, own, choosing=half) for half in (True, False))
        rows.append(
            SweepRow(variant.words, name == best, choosing, reporting, summarise(reporting))
        )
    return rows


def _long(panels: Sequence[SweepPanel]) -> bool:
    """Whether times are better read in seconds."""
    return any(value >= 1000 for panel in panels for row in panel.rows for value in row.choosing)


def _scaled(panel: SweepPanel) -> SweepPanel:
    rows = [
        SweepRow(
            row.name, row.best, [value / 1000 for value in row.choosing],
            [value / 1000 for value in row.reporting], in_seconds(row.summary),
        )
        for row in panel.rows
    ]  # fmt: skip
    return SweepPanel(panel.title, rows)
