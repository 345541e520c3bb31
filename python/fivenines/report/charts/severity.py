"""The chart of a fault's severity: where each solution stops serving, where it fails over, and between."""

from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.report.charts import theme
from fivenines.report.charts.drawing import WIDTH, Drawing, axis, bar, logarithmic, points, text, whole

_PLOT = WIDTH - 24
_ROW = 44
_TOP = 6


@dataclass(frozen=True)
class Row:
    """A solution; severities in seconds or as shares.

    Attributes:
        figure: the result in words.
        served: severities of trials in which at least half was served.
        starved: severities of trials in which less was served, without a failover.
        failed_over: severities of trials with a failover.
        zone: the dead zone; None: none was shown.
    """

    name: str
    figure: str
    served: Sequence[float]
    starved: Sequence[float]
    failed_over: Sequence[float]
    zone: tuple[float, float] | None


def severity_chart(rows: Sequence[Row], title: str, ends: tuple[float, float], share: bool) -> Drawing:
    """Draw a row for each solution on a logarithmic axis: its trials as marks, its dead zone as a band."""
    # Percent, or seconds without trailing zeros.
    labels = ".3~%" if share else ".3~g"
    x = axis("x", title, logarithmic(ends), format=labels, tickCount=5, grid=True)
    layers: list[Drawing] = []
    for number, row in enumerate(rows):
        y = _TOP + _ROW * number + 8
        layers += [
            text(row.name, 0, y, align="left", fontWeight="bold"),
            text(row.figure, _PLOT, y, align="right", color=theme.MUTED),
        ]
        layers += _marks(row, x, y + 20)
    return whole({"width": _PLOT, "height": _TOP + _ROW * len(rows), "layer": layers})


def _marks(row: Row, x: Drawing, y: float) -> list[Drawing]:
    layers = []
    if row.zone is not None:
        layers.append(bar(row.zone, x, y, color=theme.FAULT, strokeWidth=16, opacity=0.25))
    layers += points(row.served, x, y, color=theme.MUTED, shape="circle", size=45)
    layers += points(row.starved, x, y, color=theme.FAULT, shape="circle", size=45, filled=True)
    return layers + points(row.failed_over, x, y, color=theme.INK, shape="cross", size=60, filled=True)
