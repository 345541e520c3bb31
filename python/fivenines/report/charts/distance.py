"""The chart of means over a round trip: both axes logarithmic, with 0 at the left."""

import math
from collections.abc import Sequence
from dataclasses import replace

from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import number
from fivenines.report.charts.basic import Line, curve, with_names
from fivenines.report.charts.drawing import THIN_LABEL, Drawing, axis, logarithmic

_HEIGHT = 230


def over_distance(series: Sequence[Line], title: str) -> Drawing:
    """Draw means over round trips in ms, with intervals as bands and names at the line ends.

    A logarithmic axis has no 0, so 0 is drawn a decade left of the shortest other round trip.
    """
    trips = sorted({rtt for line in series for rtt, _ in line.points})
    zero = min((rtt for rtt in trips if rtt > 0), default=1.0) / 10
    low, high = _range([summary for line in series for _, summary in line.points])
    x = axis(
        "x",
        "round trip, ms",
        logarithmic((trips[0] or zero, trips[-1])),
        values=[rtt or zero for rtt in trips],
        grid=False,
        labelExpr=f"datum.value == {zero!r} ? '0' : format(datum.value, '~g')",
    )
    y = axis("y", None, logarithmic((low, high)), format=",~g", labelExpr=THIN_LABEL, tickCount=5)
    drawn = [replace(line, points=_shown(line, zero)) for line in series]
    layers = [
        each for line in drawn for each in curve(line, x, y, (low, math.inf), (title, _round_trip), clip=True)
    ]
    ends = [(_place(line.points[-1][1], low, high), line) for line in series]
    return with_names(layers, ends, title, _HEIGHT)


def _round_trip(at: float) -> str:
    return f"round trip of {number(at)} ms"


def _shown(line: Line, zero: float) -> list[tuple[float, Summary]]:
    """Return the points that a logarithmic axis can show."""
    return [(rtt or zero, summary) for rtt, summary in line.points if summary.mean]


def _range(summaries: Sequence[Summary]) -> tuple[float, float]:
    """Return a range slightly wider than all means; intervals are cut at its ends."""
    means = [summary.mean for summary in summaries if summary.mean]
    if not means:
        return 0.1, 10.0
    return min(means) / 1.5, max(means) * 1.3


def _place(summary: Summary, low: float, high: float) -> float:
    """Return the place of a mean in px from the upper edge of the plot."""
    mean = max(summary.mean or low, low)
    return _HEIGHT * (1 - math.log(mean / low) / math.log(high / low))
