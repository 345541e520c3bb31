"""Each kind of chart is valid Vega-Lite: the program composes specifications without checking them."""

import ast

import altair as alt
import pytest
from repository import ROOT

from fivenines.analysis.resources.series import Series
from fivenines.analysis.statistics.means import summarise
from fivenines.report.charts import (
    applications,
    basic,
    claims,
    distance,
    failover,
    multiples,
    phases,
    ratios,
    severity,
    sweep,
    theme,
    tolerance,
    tradeoff,
)
from fivenines.report.charts.drawing import Drawing

STYLE = theme.style(0)
SOME, BOUND = summarise([1.0, 2.0, 4.0]), summarise([5.0, 9.0], bounds=1)
LINE = basic.Line("a", STYLE, [(1, SOME), (8, summarise([9.0]))])

DRAWINGS: dict[str, list[Drawing]] = {
    "applications": [
        applications.applications(
            applications.Applications(
                -1.0,
                9.0,
                [applications.Line("psycopg", "3 s", [(-1.0, 0.0), (3.0, 9.0)], [(0.0, 3.0)])],
                "kill primary",
                2.5,
            )
        )
    ],
    "basic": [
        basic.lines([LINE], "tps"),
        basic.dots([basic.Dot("a", STYLE, SOME, [(1.0, "trial"), (4.0, "bound")])], "s", alike=2.0),
    ],
    "claims": [
        claims.claim_chart(
            [
                claims.ClaimRow("measured", False, 1.2, 0.8, 1.9, (1.0,)),
                claims.ClaimRow("printed", True, 1.1),
                claims.ClaimRow("open", False, 1.4, None, 2.0),
            ],
            "ratio",
            ratio,
        )
        for ratio in (False, True)
    ],
    "distance": [distance.over_distance([basic.Line("a", STYLE, [(0.0, SOME), (10.0, BOUND)])], "tps")],
    "failover": [
        failover.failover(
            failover.Failover(
                -1,
                9,
                [failover.Panel("writes", [(-1, 5), (0, 0)], [[(-1, 4)]], theme.INK, [(0, 9, "outage")])],
                "kill primary",
                [failover.Mark(1.0, "1")],
            )
        )
    ],
    "multiples": [
        multiples.multiples(
            multiples.Multiples(
                0.0,
                2.0,
                [
                    multiples.Multiple(
                        "lag, ms", {"node1": Series.of([0, 1000, 2000], [1.0, float("nan"), 3.0])}
                    )
                ],
                [1.0],
                wide,
            )
        )
        for wide in (False, True)
    ],
    "phases": [
        phases.bars(
            [
                phases.Bar("a", "3 s", "1 s, 2 s", [(1, 0.0, 1.0), (2, 1.0, 3.0)], 2.0, 4.0),
                phases.Bar("b", "more than 9 s", "", [], bound=9.0),
            ]
        )
    ],
    "ratios": [ratios.ratios([ratios.RatioRow("tps", "better", 1.4, 1.1, None)])],
    "severity": [
        severity.severity_chart(
            [severity.Row("a", "none", [0.1], [0.4], [0.9], zone)], "s", (0.0, 1.0), share
        )
        for zone, share in ((None, False), ((0.2, 0.6), True))
    ],
    "sweep": [
        sweep.sweep_chart(
            [
                sweep.SweepPanel(
                    "8 connections",
                    [
                        sweep.SweepRow("16 MB", True, [(1.0, False)], [(2.0, False), (3.0, False)]),
                        sweep.SweepRow("32 MB", False, [(1.0, False)], [(2.0, True)]),
                    ],
                )
            ],
            "tps",
            STYLE,
        )
    ],
    "tolerance": [
        tolerance.tolerance_chart(
            [
                tolerance.Point("a", STYLE, (1.0, 2.0, 3.0), "", SOME, "a"),
                tolerance.Point("b", STYLE, (None, 2.0, None), ">", BOUND, "b"),
            ]
        )
    ],
    "tradeoff": [tradeoff.tradeoff([tradeoff._Point("a", STYLE, SOME, BOUND)])],
}


def _drawing_modules() -> set[str]:
    """Return the modules of charts that make a whole specification, themselves or by `with_names`."""
    found = set()
    for file in (ROOT / "python/fivenines/report/charts").glob("*.py"):
        calls = (node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
        if {"whole", "with_names"} & {call.id for call in calls if isinstance(call, ast.Name)}:
            found.add(file.stem)
    return found


def test_each_kind_of_chart_is_among_those_that_are_checked() -> None:
    assert DRAWINGS.keys() == _drawing_modules()


@pytest.mark.parametrize("kind", DRAWINGS)
def test_a_specification_is_valid_vega_lite(kind: str) -> None:
    for drawing in DRAWINGS[kind]:
        alt.Chart.from_dict(drawing, validate=True)
