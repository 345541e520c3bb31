"""The layout of the report in a real browser: length, first screen, and defects."""

import re
from pathlib import Path

import form_runs
import pytest
from driven import Driven
from page_checks import defects, screens, unfold, unreached
from page_form import LAPTOP, PHONE

from fivenines.report import write_html

RUNS = ("quickstart", "twelve_cells", "wide")


# Dozens of drawings take minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


class Reports(dict[str, str]):
    """The address of each run's report, which is written on first access."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, run: str) -> str:
        self[run] = write_html(getattr(form_runs, run)(self._folder / run)).as_uri()
        return self[run]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(tmp_path_factory.mktemp("form"))


def show(page: Driven, address: str, window: tuple[int, int] = LAPTOP, scheme: str = "light") -> None:
    page.window(*window, dark=scheme == "dark")
    page.open(address)


def still(page: Driven, address: str) -> None:
    """Open a page without its scripts, which redraw charts near the viewport."""
    page.scripts(False)
    show(page, address)
    page.scripts(True)


@pytest.mark.parametrize(("run", "most"), [("quickstart", 6), ("twelve_cells", 12)])
def test_a_report_is_as_long_as_its_run_deserves(page: Driven, reports: Reports, run: str, most: int) -> None:
    show(page, reports[run])
    assert screens(page, LAPTOP[1]) <= most
    unfold(page)
    assert screens(page, LAPTOP[1]) > 2 * most, "the evidence is there all the same"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", [LAPTOP, PHONE])
@pytest.mark.parametrize("run", RUNS)
def test_nothing_is_cut_or_overlaps_and_all_can_be_read(
    page: Driven, reports: Reports, run: str, window: tuple[int, int], scheme: str
) -> None:
    show(page, reports[run], window, scheme)
    assert defects(page) == []
    unfold(page)
    assert defects(page) == []


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (
            "document.body.append(Object.assign(document.createElement('p'), {innerText: 'x'.repeat(9),"
            " style: 'width: 3000px'}))",
            "the page is 3",
        ),
        ("document.querySelector('.verdict').style.marginBottom = '-2rem'", "overlap in decision"),
        (
            "document.querySelector('svg text').setAttribute('transform', 'translate(900 20)')",
            "leaves its FIGURE",
        ),
        (
            "{ const [a, b] = document.querySelectorAll('figure svg text');"
            " b.textContent = a.textContent; a.after(b);"
            " for (const name of ['x', 'y']) b.setAttribute(name, a.getAttribute(name)) }",
            "overlap in decision",
        ),
        (
            "{ const cell = document.querySelector('td'); cell.style.cssText ="
            " 'max-width: 2rem; white-space: nowrap'; cell.textContent = 'a long text that stays' }",
            "leaves its TD",
        ),
        (
            "document.querySelector('.finding').style.cssText = 'width: 9rem; overflow: hidden;"
            " white-space: nowrap'",
            "is cut by P.finding",
        ),
        ("document.querySelector('.finding').style.color = '#999'", "has a contrast of 2.8"),
        ("document.documentElement.style.setProperty('--s0', '#e0e0e0')", "marks of the colour --s0"),
        ("document.querySelector('svg text').setAttribute('fill', '#c0c0c0')", "has a contrast of"),
    ],
)
def test_injected_defects_are_detected(page: Driven, reports: Reports, plant: str, words: str) -> None:
    still(page, reports["quickstart"])
    page.js(f"{plant}; 1")
    assert any(words in one for one in defects(page)), defects(page)


BOTTOM = "Math.round(document.querySelector('{}').getBoundingClientRect().bottom)"


def test_the_first_screen_decides(page: Driven, reports: Reports) -> None:
    show(page, reports["quickstart"])
    texts = page.js("document.querySelector('header').innerText")
    assert "What do the replication modes cost" in texts and "Recommended: 2-safe durable (on)" in texts
    assert "✗ not met" in texts and "? inconclusive" in texts
    for part in (".verdict", ".requirements table", "#decision svg"):
        assert page.js(BOTTOM.format(part)) <= LAPTOP[1], part
    box = "document.querySelector('.requirements .scroll')"
    assert page.js(f"{box}.scrollWidth - {box}.clientWidth") <= 1, "a table that is cut"
    show(page, reports["quickstart"], PHONE)
    for part in (".verdict", ".requirements table"):
        assert page.js(BOTTOM.format(part)) <= PHONE[1], part
    top = page.js("document.querySelector('#decision svg').getBoundingClientRect().top")
    assert top < 0.75 * PHONE[1], "a good part of the chart is there, too"


def test_cautions_are_next_to_the_verdict(page: Driven, reports: Reports) -> None:
    for window in (LAPTOP, PHONE):
        show(page, reports["twelve_cells"], window)
        texts = page.js("document.querySelector('#decision').innerText")
        assert "In all 3 conditions, recommended: replication semi-sync AFTER_SYNC" in texts
        assert "3 trials are too few to distinguish" in texts
        assert page.js(BOTTOM.format(".caution:last-of-type")) <= window[1] / 2


def test_every_chapter_starts_with_a_sentence(page: Driven, reports: Reports) -> None:
    for run in RUNS:
        show(page, reports[run])
        first = page.js(
            "[...document.querySelectorAll('main > section')].map(one =>"
            " [one.id, one.children[1].tagName, one.children[1].innerText])"
        )
        sentences = {name: text for name, tag, text in first if tag == "P" and text.endswith(".")}
        assert set(sentences) == {name for name, *_ in first} - {"reading"}
        assert len(set(sentences.values())) == len(sentences), "two chapters start with the same sentence"


def test_the_keyboard_reaches_and_opens_everything(page: Driven, reports: Reports) -> None:
    still(page, reports["quickstart"])
    assert unreached(page) == []
    page.js("document.querySelector('#phases summary').focus()")
    is_open = "document.querySelector('#phases details').open"
    assert page.js(is_open) is False
    page.press("Enter")
    assert page.js(is_open) is True


def test_a_removed_frame_is_detected(page: Driven, reports: Reports) -> None:
    still(page, reports["quickstart"])
    page.js(
        "document.styleSheets[0].insertRule('summary:focus-visible { outline: 0 !important }',"
        " document.styleSheets[0].cssRules.length)"
    )
    assert any("shows no focus" in one for one in unreached(page))
    page.js("document.querySelector('nav a').tabIndex = -1")
    assert any("is not reached" in one for one in unreached(page))


@pytest.mark.parametrize("run", RUNS)
def test_it_prints_on_paper(page: Driven, reports: Reports, run: str) -> None:
    show(page, reports[run])
    pdf = page.print()
    assert pdf.startswith(b"%PDF")
    assert 2 <= pdf.count(b"/Type /Page\n") <= 15
    page.paper()
    assert defects(page) == []


def test_words_agree_with_their_numbers(page: Driven, reports: Reports) -> None:
    show(page, reports["twelve_cells"])
    text = page.js("document.querySelector('main').textContent")
    assert "1 connection" in text
    wrong = re.findall(r"(?<![\d.,\u202f])1 (?:connections|trials|cells|conditions|rounds)\b", text)
    assert wrong == []


def test_the_first_screen_has_no_empty_half(page: Driven, reports: Reports) -> None:
    show(page, reports["quickstart"])
    boxes = page.js(
        "['.decision', '.rules', 'figure', '.reasons'].map(name => {"
        " const box = document.querySelector(name).getBoundingClientRect();"
        " return [box.width, box.top, box.bottom]; })"
    )
    (whole, *_), (_, _, left), (_, _, right), (wide, below, _) = boxes
    assert wide > 0.98 * whole, "the reasons have the whole width"
    assert below >= max(left, right)
    assert abs(left - right) < 200, "neither the requirements nor the chart end far above the other"
