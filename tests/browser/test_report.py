"""The report in a real browser is self-contained and small, and has unique ids."""

from pathlib import Path

import pytest
from driven import Driven
from page_checks import unfold
from synthetic_run import MARIADB, write_run

from fivenines.report import write_html

# Dozens of drawings take minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(write_run(tmp_path_factory.mktemp("browser") / "run", MARIADB))


@pytest.mark.parametrize("width", [390, 1280])
def test_page_fetches_nothing(report: Path, page: Driven, width: int) -> None:
    page.asked.clear()
    page.window(width, 800)
    page.open(report.as_uri())
    unfold(page)
    assert page.errors == []
    assert page.asked == [report.as_uri()]
    charts = page.js(
        "[...document.querySelectorAll('.chart svg')].map(one => one.getBoundingClientRect().width)"
    )
    assert len(charts) > 20
    assert all(0 < chart < width for chart in charts)
    ids = page.js("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    boxes = page.js(
        "[...document.querySelectorAll('.scroll')]"
        ".map(one => [one.scrollWidth > one.clientWidth, one.tabIndex])"
    )
    assert all(reachable == 0 for _, reachable in boxes)
    if width == 390:
        assert any(wide for wide, _ in boxes), "wide tables scroll in a box of their own"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_scheme(report: Path, page: Driven, scheme: str) -> None:
    page.window(1280, 800, dark=scheme == "dark")
    page.open(report.as_uri())
    colour = page.js("getComputedStyle(document.body).backgroundColor")
    assert (min(map(int, colour.strip("rgb()").split(","))) > 200) == (scheme == "light")


def test_page_is_small(report: Path) -> None:
    assert report.stat().st_size < 3_000_000
