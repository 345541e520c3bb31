"""The figures of the chapter on sweeps."""

from collections.abc import Sequence

from fivenines.analysis.cells import CellResult
from fivenines.analysis.sweeps import Compared, Sweep, Unit
from fivenines.report.charts import theme
from fivenines.report.charts.svg import to_svg
from fivenines.report.charts.sweep import SweepPanel, SweepRow, sweep_chart
from fivenines.report.figures import Figure
from fivenines.report.groups import Names, names_of
from fivenines.report.sweeps import conditions_of, finding, values_of, variant_table

_PANELS = 12
"""So many conditions of a sweep are drawn; tables have all of them."""


def sweep_figures(found: Compared) -> list[Figure]:
    """A figure for each sweep, all variants below it as a table."""
    names = names_of(found.variants)
    return [_figure(sweep, names) for sweep in found.sweeps]


def _figure(sweep: Sweep, names: Names) -> Figure:
    conditions = [
        (label, unit, cells)
        for unit in sweep.units
        for label, cells in conditions_of(sweep, unit, names).items()
    ]
    said = finding(sweep, names)
    if len(conditions) > _PANELS:
        said += f" The first {_PANELS} of {len(conditions)} are drawn."
    axis, factor = _axis(sweep)
    panels = [
        SweepPanel(label, _rows(sweep, unit, cells, factor))
        for label, unit, cells in conditions[:_PANELS]
    ]
    svg = to_svg(sweep_chart(panels, axis, theme.style(0)))
    return Figure(f"Sweep of {sweep.name}", said, svg, variant_table(sweep, names))


def _axis(sweep: Sweep) -> tuple[str, float]:
    """The unit of the axes, and what values are divided by: long times are better read in seconds."""
    if not sweep.by.milli:
        return "transactions/s", 1.0
    cells = [cell for unit in sweep.units for cell in unit.cells]
    longest = max((value for value, _ in values_of(sweep.by, cells, choosing=True)), default=0.0)
    return ("s", 1000.0) if longest >= 1000 else ("ms", 1.0)


def _rows(sweep: Sweep, unit: Unit, cells: Sequence[CellResult], factor: float) -> list[SweepRow]:
    best = unit.choice.best.name if unit.choice else ""
    rows = []
    for name, variant in sweep.variants.items():
        own = [cell for cell in cells if cell.key.solution == name]
        halves = (values_of(sweep.by, own, choosing=half) for half in (True, False))
        choosing, reporting = ([(value / factor, gone) for value, gone in half] for half in halves)
        rows.append(SweepRow(variant.words, name == best, choosing, reporting))
    return rows
