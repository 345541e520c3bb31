"""Charts of the same conditions share a scale, legends name what is drawn, columns say what they count."""

import base64
import gzip
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.measures.decide import DecideSettings
from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.resources.series import Series
from fivenines.analysis.statistics.means import Summary
from fivenines.report.chapters.availability.failover import timeline_figures
from fivenines.report.chapters.availability.outage import times_table
from fivenines.report.chapters.data import Data
from fivenines.report.charts import basic, theme
from fivenines.report.charts.multiples import Multiple, Multiples, multiples
from fivenines.report.charts.phases import Bar, bars
from fivenines.report.sentences.answers import answers
from fivenines.report.sentences.decision import verdicts
from fivenines.report.sentences.node_failure import node_failure
from fivenines.results.store import open_run

RECIPES = [
    Recipe("slow", tps=400, outage=1000.0, views=True, known=True),
    Recipe("fast", tps=2000, outage=6000.0, views=True, known=True, catch_up=4000.0),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    run = open_run(write_run(tmp_path_factory.mktemp("runs") / "run", Matrix(RECIPES, trials=3)))
    return Data(run, compared(run))


def test_time_lines_of_the_same_conditions_have_one_scale(data: Data) -> None:
    figures, _ = timeline_figures(data)
    packs = [json.loads(gzip.decompress(base64.b64decode(one.times))) for one in figures]
    assert len(packs) == 2 and packs[0]["tops"] == packs[1]["tops"]
    most = packs[0]["tops"]["writes"]
    slow, fast = (_most_in_100_ms(pack) for pack in packs)
    # blocks begin elsewhere, so a count may be a little larger
    assert 0.7 * fast <= most <= 1.3 * fast
    assert slow < 0.5 * most, "its own scale would be another one"


def _most_in_100_ms(pack: dict[str, Any]) -> float:
    return max(
        float(sum(values[at : at + 100 // width]))
        for trial in pack["trials"]
        for _, width, values in trial["panels"]["writes"]["steps"]
        for at in range(0, len(values), 100 // width)
    )


def _tops(drawing: dict[str, object]) -> list[float]:
    """The upper ends of all axes of heights."""
    found: list[float] = []

    def look(part: object) -> None:
        if isinstance(part, dict):
            height = part.get("encoding", {}).get("y", {})
            if isinstance(height, dict) and "domain" in (height.get("scale") or {}):
                found.append(height["scale"]["domain"][1])
            for inner in part.values():
                look(inner)
        elif isinstance(part, list):
            for inner in part:
                look(inner)

    look(drawing)
    return found


def test_panels_of_one_unit_share_their_scale() -> None:
    def series(*values: float) -> dict[str, Series]:
        return {"node1": Series(np.arange(len(values), dtype=np.float64), np.array(values))}

    truth, reported = (
        Multiple("truth, ms", series(0, 3000), 1.0),
        Multiple("reported, s", series(0, 1), 1e3),
    )
    drawn = _tops(multiples(Multiples(0.0, 1.0, [truth, reported])))
    assert drawn[0] == pytest.approx(1000 * drawn[-1])
    alone = _tops(multiples(Multiples(0.0, 1.0, [truth, replace(reported, unit=None)])))
    assert alone[0] != pytest.approx(1000 * alone[-1])


def test_the_legend_names_the_present_phases() -> None:
    row = Bar("a", "2 s", "1 s + 1 s", [(1, 0.0, 1.0), (5, 1.0, 2.0)])
    text = json.dumps(bars([row]))
    for name, there in (("detect", True), ("reconnect", True), ("client", False), ("route", False)):
        assert (f'"text": "{name}"' in text) is there
    assert '"text": "2"' in text and '"text": "5"' not in text, "numbers without a gap"


def test_a_ratio_has_a_line_at_1_and_circles_below_its_interval() -> None:
    row = basic.Dot("a / b", theme.NEUTRAL, Summary(3, 1.2, ci_low=1.1, ci_high=1.3), [(1.2, "trial")])
    layers = basic.dots([row], "times as many", alike=1.0)["layer"]
    (line,) = [one for one in layers if one["data"]["values"] == [{"x": 1.0}]]
    assert line["mark"]["strokeDash"]
    (interval,) = [one for one in layers if one["data"]["values"][0].get("x2") == 1.3]
    (circles,) = [one for one in layers if one["mark"].get("shape") == "circle"]
    apart = circles["encoding"]["y"]["value"] - interval["encoding"]["y"]["value"]
    assert apart > interval["mark"]["strokeWidth"] / 2 + 3


def test_one_table_compares_the_times_after_a_fault(data: Data) -> None:
    table = times_table(data)
    assert [row[0] for row in table.rows] == ["slow", "fast"]
    assert table.columns[1:] == [
        "Outage",
        "All interruptions",
        "New connections",
        "To the first write",
        "To caught up",
        "Drawn trial",
    ]
    assert all(cell for row in table.rows for cell in row)


def test_catching_up_has_a_sentence(data: Data) -> None:
    texts = [one.text for one in answers(data.done, data.names) if one.topic == "Failover"]
    (text,) = [one for one in texts if one.startswith("From then on, until throughput recovered")]
    assert "slow " in text and "fast " in text


def test_the_manuals_say_what_the_recommended_solution_can_lose(data: Data) -> None:
    decided = verdicts(data.run, data.swept, DecideSettings(prefer=["tps"]), data.blocks)
    assert decided[0].decision.best == ["fast"]
    assert node_failure(decided, data.done) == [
        "If a node of fast fails, according to its manuals: nothing. It can lose: what was not sent."
    ]
