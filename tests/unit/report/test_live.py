"""What the page's script reads: texts of marks that cannot break out of their element, and the policy."""

import base64
import gzip
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


def test_texts_are_packed() -> None:
    text = live.packed({"c1": ["</script>"]})
    assert json.loads(gzip.decompress(base64.b64decode(text))) == {"c1": ["</script>"]}


def test_a_drawing_has_colours_of_the_page() -> None:
    drawn = to_svg(basic.dots(ROWS, "seconds"))
    assert "</script" not in drawn
    assert "=var(--s0)" in drawn
    assert not re.search(r'=["\']?#[0-9a-f]{6}', drawn)


def test_values_tell_the_figures_as_the_tables_round_them() -> None:
    tips = to_svg(basic.dots(ROWS, "seconds")).tips
    assert "a\n2.33 (0 to 6.1)\nmean of 3 values; in brackets its 95 % interval" in tips
    assert "a\none trial: at least 4.00 seconds" in tips
    assert "</script><b>&amp;\none trial: 1.00 seconds" in tips


def test_a_drawing_names_the_solutions_of_its_parts() -> None:
    drawn = to_svg(basic.dots(ROWS, "seconds"))
    assert drawn.count("data-of=s0") == drawn.count("data-of=s1") == 1


def test_points_of_a_line_have_its_values() -> None:
    drawn = to_svg(
        {
            "config": theme.config(),
            "data": {"values": [{"x": n, "y": n, "tip": f"value {n}"} for n in range(3)]},
            "mark": "line",
            "encoding": {
                "x": {"field": "x", "type": "quantitative"},
                "y": {"field": "y", "type": "quantitative"},
                "tooltip": {"field": "tip", "type": "nominal"},
            },
        }
    )
    (points,) = drawn.tips
    assert [point[2] for point in points] == ["value 0", "value 1", "value 2"]
    assert drawn.count("<circle") == 0


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
