"""The page of a comparison in a real browser is self-contained and readable at both widths."""

import pytest
from driven import Driven
from page_form import LAPTOP, PageForm
from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import Matrix, Recipe

from fivenines.analysis.decision.ratio_thresholds import judge_ratios
from fivenines.analysis.measures.ratios import parse_ratio
from fivenines.analysis.versus import versus
from fivenines.report.groups import names_of_keys
from fivenines.report.html.versus_page import render
from fivenines.report.versus import keys_of
from fivenines.results.store import open_run

NAMES = ("1-safe (local)", "2-safe durable (on)")

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Render a comparison of two runs with blocks: the second is slower and lost rows."""
    folder = tmp_path_factory.mktemp("runs")
    runs = []
    for n, (name, tps, lost) in enumerate((("before", 1000.0, 0), ("after", 600.0, 3))):
        recipes = [Recipe(NAMES[0], tps=tps, lost=lost), Recipe(NAMES[1], tps=900)]
        block = SyntheticBlock(names=NAMES, tps=(tps, 900.0), blocks=3, seed=n)
        matrix = Matrix(recipes, trials=3, seed=n)
        runs.append(open_run(write_interleaved_run(folder / name, block, matrix)))
    found = versus(*runs)
    judged = judge_ratios(found, [parse_ratio("tps >= 0.95")])
    page = folder / "compare.html"
    page.write_text(render(found, runs, names_of_keys(keys_of(found)), judged), encoding="utf-8")
    return page.as_uri()


class TestForm(PageForm):
    pass


def test_the_first_screen_shows_regressions(page: Driven, address: str) -> None:
    page.window(*LAPTOP)
    page.open(address)
    verdict = page.js("document.querySelector('.verdict').innerText")
    assert verdict == "1 threshold on ratios, judged 4 times (cell by cell): 2 passed, 2 failed."
    bottom = "document.querySelector('#first tbody tr').getBoundingClientRect().bottom"
    assert page.js(bottom) <= LAPTOP[1], "the first regression is on it"
    row = page.js("document.querySelectorAll('#first table')[1].tBodies[0].rows[0].innerText")
    assert "✗ worse" in row and NAMES[0] in row


def test_each_interval_is_visible_with_its_mark_and_a_line_at_1(page: Driven, address: str) -> None:
    page.window(*LAPTOP)
    page.open(address)
    boxes = page.js(
        "[...document.querySelectorAll('#ratios svg line, #ratios svg path, #ratios svg rect')].map(one => {"
        " const box = one.getBoundingClientRect(), style = getComputedStyle(one);"
        " return [box.width, parseFloat(style.strokeWidth), style.strokeOpacity, box.height]; })"
    )
    bars = [wide for wide, stroke, *_ in boxes if stroke == 12]
    rows = page.js("document.querySelectorAll('#ratios svg text').length")
    assert bars and len(bars) <= rows
    symbols = [high for wide, stroke, _, high in boxes if 5 < wide < 14 and high > 4]
    assert symbols and max(symbols) < 12, "no mark is as high as the bar behind it"
    # the stroke at 1 and the ends of the bar are higher than any mark of a verdict
    upright = [high for wide, stroke, _, high in boxes if wide < 3 and stroke < 3 and high > 10]
    assert len(upright) >= 3 * len(bars)
