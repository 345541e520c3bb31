"""The chart of speed against outage, with a point for each solution."""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import noun, title
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import mean_with_interval
from fivenines.report.chapters.data import Data
from fivenines.report.charts import theme
from fivenines.report.charts.basic import Line, with_names
from fivenines.report.charts.drawing import Drawing, cross, interval, of, quantity
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import before_faults
from fivenines.report.html.figures import Figure
from fivenines.report.table import Table, right

CHAPTER = "decision"

_HEIGHT = 220


@dataclass(frozen=True)
class _Point:
    """A solution: transactions per second before the fault, and seconds without writes after it."""

    name: str
    style: theme.Style
    tps: Summary
    outage: Summary


def figures(data: Data) -> list[Figure]:
    """Return one chart, for the largest number of connections; [] without measured faults."""
    faulted = [cell for cell in data.done if cell.faulted and cell.writes.summary.mean is not None]
    if not faulted:
        return []
    first = max(faulted, key=lambda cell: cell.key.connections)
    like = [cell for cell in faulted if _place(cell) == _place(first)]
    points = [_point(cell, data) for cell in like]
    known = [one for one in points if one.tps.mean is not None]
    if len(known) < 2:
        return []
    label = data.names.label(first.key)
    title = f"Speed against outage{f': {label}' if label else ''}"
    finding = "Further right is faster, further down is a shorter outage; bars are 95 % intervals."
    if any(one.outage.bounds for one in known):
        finding += " Outages of solutions that did not recover are lower bounds."
    return [Figure(title, finding, to_svg(tradeoff(known)), _table(known))]


def tradeoff(points: Sequence[_Point]) -> Drawing:
    """Draw the means as points with intervals as bars, and names at the right."""
    right_end = 1.05 * max(max(one.tps.ci_high or 0, one.tps.mean or 0) for one in points)
    top = 1.05 * max(_seconds(max(one.outage.ci_high or 0, one.outage.mean or 0)) for one in points)
    top = top or 1.0
    x = quantity("x", noun("tps"), right_end or 1.0, tickCount=4)
    y = quantity("y", None, top or 1.0, format=",.3~g")
    layers = [each for one in points for each in _cross(one, x, y)]
    ends = []
    for one in points:
        middle = _HEIGHT * (1 - _seconds(one.outage.mean or 0.0) / top)
        name = f"{one.name} (not recovered)" if one.outage.bounds else one.name
        ends.append((middle, Line(name, one.style, [])))
    return with_names(layers, ends, f"{noun('outage_writes')}, in seconds", _HEIGHT, marked=True)


def _place(cell: CellResult) -> tuple[str, int, str, str]:
    return cell.key.workload, cell.key.connections, cell.key.network, cell.key.fault


def _point(cell: CellResult, data: Data) -> _Point:
    same = [one for one in data.done if one.key.without_fault == cell.key.without_fault]
    (calm,) = before_faults(same)
    # Interleaved blocks, if any, compare the speed better than trials, between which the machine may change.
    rate = data.interleaved_rate(cell.key)
    tps = calm.tps if rate is None else Summary(1, rate)
    style = data.names.styles[cell.key.solution]
    return _Point(cell.called, style, tps, cell.writes.summary)


def _seconds(ms: float) -> float:
    return ms / 1000


def _cross(one: _Point, x: Drawing, y: Drawing) -> list[Drawing]:
    """Draw the point with a bar for each known interval."""
    at = one.tps.mean or 0.0, _seconds(one.outage.mean or 0.0)
    tip = (
        f"{one.name}\n{mean_with_interval(one.tps)} {noun('tps')}"
        f"\n{noun('outage_writes')} {mean_with_interval(one.outage, milli=True)}"
    )
    across, upright = interval(one.tps), interval(one.outage, 1000)
    return of(one.style.tag, cross(at, across, upright, (x, y), one.style.colour, one.style.shape, tip))


def _table(points: Sequence[_Point]) -> Table:
    columns = ["Solution", title("tps"), title("outage_writes")]
    rows = [
        [one.name, mean_with_interval(one.tps), mean_with_interval(one.outage, milli=True)] for one in points
    ]
    return Table("Means and their 95 % intervals", columns, rows, 1, right(columns, "Solution"))
