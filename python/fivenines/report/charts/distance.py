"""The chart of means over a round trip: both axes logarithmic, with a place for 0 at the left."""

import math
from collections.abc import Callable, Sequence

import altair as alt

from fivenines.analysis.statistics import Summary
from fivenines.report.charts.basic import Line, end_labels
from fivenines.report.charts.drawing import THIN_LABEL, WIDTH, Altair, Drawing, layer, mark, whole

_LABELS = 128
_HEIGHT = 230


def over_distance(series: Sequence[Line], title: str) -> Drawing:
    """Means over round trips in ms, intervals as bands, names at the line ends.

    A logarithmic axis has no 0: it stands a decade left of the shortest other round trip.
    """
    trips = sorted({rtt for line in series for rtt, _ in line.points})
    zero = min((rtt for rtt in trips if rtt > 0), default=1.0) / 10
    low, high = _range([summary for line in series for _, summary in line.points])
    width = WIDTH - _LABELS - 50
    x = alt.X(
        "x:Q",
        title="round trip, ms",
        scale=alt.Scale(type="log", domain=[trips[0] or zero, trips[-1]], nice=False),
        axis=alt.Axis(
            values=[rtt or zero for rtt in trips],
            grid=False,
            labelExpr=f"datum.value == {zero!r} ? '0' : format(datum.value, '~g')",
        ),
    )
    y = alt.Y(
        "y:Q",
        title=None,
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(format=",~g", labelExpr=THIN_LABEL, tickCount=5),
    )
    layers = [each for line in series for each in _line(line, x, y, lambda rtt: rtt or zero, low)]
    ends = [(_place(line.points[-1][1], low, high), line) for line in series]
    layers += end_labels(ends, width, _HEIGHT)
    heading = {"text": title, "fontWeight": "normal", "offset": 10}
    return whole({"width": width, "height": _HEIGHT, "title": heading, "layer": layers})


def _range(summaries: Sequence[Summary]) -> tuple[float, float]:
    """What holds all means, a little wider; intervals are cut where they leave it."""
    means = [summary.mean for summary in summaries if summary.mean]
    if not means:
        return 0.1, 10.0
    return min(means) / 1.5, max(means) * 1.3


def _place(summary: Summary, low: float, high: float) -> float:
    """Pixels from the upper edge of the plot."""
    mean = max(summary.mean or low, low)
    return _HEIGHT * (1 - math.log(mean / low) / math.log(high / low))


def _line(
    line: Line, x: Altair, y: Altair, place: Callable[[float], float], low: float
) -> list[Drawing]:
    values = [
        {
            "x": place(rtt),
            "y": summary.mean,
            "low": max(low, summary.mean if summary.ci_low is None else summary.ci_low),
            "high": summary.mean if summary.ci_high is None else summary.ci_high,
        }
        for rtt, summary in line.points
        if summary.mean
    ]
    colour = line.style.colour
    dash = {"strokeDash": line.style.dash} if line.style.dash else {}
    band = mark().mark_area(color=colour, opacity=0.16, clip=True)
    stroke = mark().mark_line(color=colour, strokeWidth=2, **dash)
    points = mark().mark_point(
        shape=line.style.shape, size=60, filled=True, color=colour, opacity=1
    )
    lower = alt.Y("low:Q", title=None)
    return [
        layer(values, band, x=x, y=lower, y2=alt.Y2("high:Q")),
        layer(values, stroke, x=x, y=y),
        layer(values, points, x=x, y=y),
    ]
