"""Charts: small SVG, labels that do not overlap."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.analysis.statistics.means import summarise
from fivenines.report.charts import basic as charts
from fivenines.report.charts import failover as fc
from fivenines.report.charts import theme
from fivenines.report.charts.drawing import spread_out
from fivenines.report.charts.svg import to_svg

LINES = [
    charts.Line(f"solution <{n}>", theme.style(n), [(1, summarise([1.0 + n, 2])), (8, summarise([9]))])
    for n in range(12)
]
DOTS = [charts.Dot("a & b", theme.style(0), summarise([1.0, 2.0]), [(1.0, "trial"), (2.0, "bound")])]
FAILOVER = fc.Failover(
    -1,
    9,
    [
        fc.Panel("writes", [(-1, 5), (0, 0), (9, 0)], [[(-1, 4), (9, 4)]], theme.INK, [(0, 9, "gone")]),
        fc.Panel("reads", [(-1, 5), (9, 5)], [], theme.INK),
    ],
    "kill primary",
    [fc.Mark(1.0, "1"), fc.Mark(1.01, "2")],
)
ALL = [charts.lines(LINES, "tps"), charts.dots(DOTS, "s"), fc.failover(FAILOVER)]


@pytest.mark.parametrize("drawing", ALL)
def test_svg_has_only_known_colours_and_no_noise(drawing: dict[str, object]) -> None:
    svg = to_svg(drawing)
    assert svg.startswith(f"<svg id={svg.id} aria-hidden=true")
    assert "var(--ink)" in svg
    assert "role=" not in svg
    assert 'fill="white"' not in svg
    assert "NaN" not in svg


def test_all_zero_is_drawn() -> None:
    to_svg(charts.dots([charts.Dot("a", theme.style(0), summarise([0.0]), [(0.0, "trial")])], "s"))
    zero = [charts.Line("a", theme.style(0), [(1, summarise([0.0])), (2, summarise([0.0]))])]
    to_svg(charts.lines(zero, "tps"))


def test_two_drawings_share_no_id() -> None:
    first, second = to_svg(ALL[2]), to_svg(ALL[2])
    assert "clip" in first
    assert first != second


def test_styles_differ_without_colour() -> None:
    styles = [theme.style(n) for n in range(8)]
    assert len({style.shape for style in styles}) == 8
    assert len({tuple(style.dash) for style in styles}) == 8
    many = [theme.style(n) for n in range(40)]
    assert len({(style.colour, style.shape) for style in many}) == 40


@given(st.lists(st.tuples(st.floats(0, 200), st.floats(5, 20)), max_size=8))
def test_labels_never_overlap(boxes: list[tuple[float, float]]) -> None:
    centres, sizes = [b[0] for b in boxes], [b[1] for b in boxes]
    placed = sorted(zip(spread_out(centres, sizes, 0, 200), sizes, strict=True))
    for (one, a), (other, b) in pairwise(placed):
        assert other - one >= (a + b) / 2 - 1e-6
