"""What the page's script reads: charts as small JSON that cannot break out of its element, and the policy."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_reader import Page
from synthetic_run import QUICKSTART, write_run

from fivenines.analysis.statistics.means import summarise
from fivenines.report import write_html
from fivenines.report.charts import basic, live, theme
from fivenines.report.charts.svg import to_svg
from fivenines.report.html import script

ROWS = [
    basic.Dot(
        name,
        theme.Style("#0072b2", "circle", [], f"s{n}"),
        summarise([1.0, 2.0, 4.0]),
        [(1.0, "trial"), (4.0, "bound")],
        "2.33 (0 to 6.1)",
    )
    for n, name in enumerate(("a", "</script><b>&amp;"))
]


@given(st.text())
def test_nothing_in_a_text_ends_the_element_around_it(text: str) -> None:
    written = live.safe({"name": text})
    assert not set("<>&\u2028\u2029") & set(written)
    assert json.loads(written) == {"name": text}


def test_a_chart_as_json_has_no_configuration_and_colours_of_the_page() -> None:
    drawn = to_svg(basic.dots(ROWS, "seconds"))
    spec = json.loads(drawn.spec)
    assert not {"config", "$schema"} & spec.keys()
    assert "</script" not in drawn.spec
    assert "var(--s0,#0072b2)" in drawn.spec
    assert not re.search(r'"#[0-9a-f]{6}"', drawn.spec)
    assert drawn.spec.count('"labelExpr"') == 1, "an encoding that all layers have is written once"


def test_values_tell_the_figures_as_the_tables_round_them() -> None:
    spec = to_svg(basic.dots(ROWS, "seconds")).spec
    tips = re.findall(r'"tip":"([^"]*)"', spec)
    assert "a\\n2.33 (0 to 6.1)\\nmean of 3 values; in brackets its 95 % interval" in tips
    assert "a\\none trial: at least 4.00 seconds" in tips


def test_drawing_and_specification_name_the_solution_of_a_layer() -> None:
    drawn = to_svg(basic.dots(ROWS, "seconds"))
    assert 'data-of="s0"' in drawn
    assert 'data-of="s1"' in drawn
    names = [layer["name"] for layer in json.loads(drawn.spec)["layer"]]
    assert len(names) == len(set(names)) > 6
    assert {name.rsplit("_", 1)[0] for name in names} == {"of_s0", "of_s1"}


def test_long_data_have_their_columns_once() -> None:
    rows = [{"x": n, "y": n * n} for n in range(9)]
    spec = json.loads(live.specification({"data": {"values": rows}, "mark": "point"}))
    assert spec["data"]["values"] == {"columns": ["x", "y"], "rows": [[n, n * n] for n in range(9)]}


@pytest.mark.parametrize("text", ["a </SCRIPT> b", "<!-- c"])
def test_a_script_that_would_end_its_element_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be embedded in a page"):
        script.inline(text)


def test_the_policy_allows_these_two_scripts_and_nothing_else(tmp_path: Path) -> None:
    page = write_html(write_run(tmp_path / "run", QUICKSTART)).read_text()
    (policy,) = [one["content"] for one in Page(page).named("meta") if "http-equiv" in one]
    assert policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy
    allowed = re.search("script-src ([^;]*)", policy)
    assert allowed
    bodies = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in bodies]
    assert allowed[1].split() == [f"'sha256-{one}'" for one in hashes]
    assert len(bodies) == 2
