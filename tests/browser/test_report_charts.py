"""Charts and tables of the report react to pointer and keys, and work without scripts and on paper."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from driven import Driven
from synthetic_run import QUICKSTART, Matrix, Recipe, write_run

from fivenines.analysis.wording import milliseconds
from fivenines.report import write_html

FIRST = "#speed .chart"
LINE = "#failover .chart"
TRIALS = 11
OPEN = "document.querySelectorAll('details').forEach(e => e.open = true)"
# The text under the pointer.
TIP = "(e => e && !e.hidden && e.innerText)(document.querySelector('#tip'))"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("charts") / "run"
    return write_html(write_run(run, replace(QUICKSTART, trials=TRIALS)))


@pytest.fixture
def page(page: Driven, report: Path) -> Driven:
    """Open the report and return its page."""
    page.scripts(on=True)
    page.window(1280)
    page.errors.clear()
    page.asked.clear()
    page.open(report)
    return page


def live(page: Driven, selector: str) -> None:
    """Scroll to a chart and wait until it is live."""
    page.into_view(selector)
    page.wait(f"document.querySelector('{selector}').dataset.live === 'yes'")
    page.into_view(selector)


def middle_of(page: Driven, mark: str) -> tuple[float, float]:
    """Return the centre of the element that an expression names."""
    place = page.js(
        f"(() => {{ const b = ({mark}).getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    return place[0], place[1]


def valued(selector: str, n: int = 0) -> str:
    """Return the n-th mark of a chart that has a value."""
    return f"document.querySelectorAll('{selector} svg g.t > *, {selector} svg .t:not(g)')[{n}]"


def test_drawings_are_live_at_once_and_time_lines_near_the_screen(page: Driven, report: Path) -> None:
    page.wait("document.querySelectorAll('.chart[data-live]').length > 5")
    waiting = page.js(
        "[...document.querySelectorAll('.chart:not([data-live])')].map(e => e.closest('section').id)"
    )
    assert waiting == ["failover", "failover"]
    page.js(OPEN)
    for n in range(page.js("document.querySelectorAll('figure .chart').length")):
        page.js(f"document.querySelectorAll('figure .chart')[{n}].scrollIntoView()")
        page.wait(f"document.querySelectorAll('figure .chart')[{n}].dataset.live === 'yes'")
    assert page.js("document.querySelectorAll('figure .chart').length") > 8
    ids = "[...document.querySelectorAll('[id]')].map(e => e.id)"
    assert page.js(f"{ids}.length - new Set({ids}).size") == 0
    assert page.asked == [report.as_uri()]
    assert page.errors == []


def test_the_pointer_shows_a_value(page: Driven) -> None:
    live(page, FIRST)
    page.move(*middle_of(page, valued(FIRST)))
    tip = page.wait(TIP)
    assert tip.startswith("1-safe (local)\n")
    assert "transactions per second" in tip
    page.move(2, 2)
    page.wait(f"!({TIP})")


def test_arrow_keys_go_through_the_values_of_a_chart(page: Driven) -> None:
    live(page, FIRST)
    page.js(f"document.querySelector('{FIRST}').focus()")
    page.press("ArrowRight")
    first = page.wait(TIP)
    page.press("ArrowRight")
    page.wait(f"({TIP}) !== {first!r}")
    assert page.js("document.querySelector('[aria-live]').textContent")


def test_a_solution_is_shown_and_the_others_fade_in_all_charts(page: Driven) -> None:
    page.js(OPEN)
    live(page, FIRST)
    faded = "[...document.querySelectorAll('.chart [data-of]')].filter(e => getComputedStyle(e).opacity < .5)"
    assert page.js(f"{faded}.length") == 0
    # Charts outside the viewport fade as well.
    page.move(*middle_of(page, valued(FIRST)))
    page.wait(f"{faded}.length > 5")
    page.wait(f"{faded}.every(e => e.dataset.of === 's1')")
    assert page.js(f"{faded}.some(e => e.getBoundingClientRect().top > innerHeight)")
    page.move(2, 2)
    page.wait(f"{faded}.length === 0")
    # held by its button, let go by Escape
    page.js("document.querySelector('.legend button[data-of=s1]').focus()")
    page.press("Enter")
    page.wait(f"{faded}.length > 5 && {faded}.every(e => e.dataset.of === 's0')")
    assert "2-safe (on)" in page.js("document.querySelector('.chip').innerText")
    page.wait("getComputedStyle(document.querySelector('figure[data-about=s0] .chart')).opacity < .5")
    page.press("Escape")
    page.js("document.activeElement.blur()")
    page.wait(f"{faded}.length === 0 && document.querySelector('.chip').hidden")


def test_a_row_of_a_table_shows_its_solution(page: Driven) -> None:
    page.js(OPEN)
    page.into_view("#summary tbody tr[data-of=s0] th")
    page.click(*middle_of(page, "document.querySelector('#summary tbody tr[data-of=s0] th')"))
    page.wait("document.documentElement.dataset.picked === 's0'")
    assert page.js("document.querySelector('.legend [aria-pressed=true]').dataset.of") == "s0"


def test_a_table_sorts_by_value_with_pointer_and_keys(page: Driven) -> None:
    page.js(OPEN)
    number = "c => c.tagName === 'TD' && fivenines.number(c.textContent) !== null"
    long = f"t => t.tBodies[0].rows.length === {TRIALS} && [...t.tBodies[0].rows[0].cells].some({number})"
    table = f"[...document.querySelectorAll('#failover table')].find({long})"
    column = page.js(f"[...{table}.tBodies[0].rows[0].cells].findIndex({number})")
    head = f"{table}.tHead.rows[0].cells[{column}]"
    cells = f"[...{table}.tBodies[0].rows].map(r => r.cells[{column}])"
    values = f"{cells}.map(c => fivenines.number(c.textContent))"
    written = page.js(values)
    page.js(f"{head}.scrollIntoView({{block: 'center'}})")
    page.click(*middle_of(page, f"{head}.querySelector('button')"))
    assert page.js(f"{head}.getAttribute('aria-sort')") == "ascending"
    assert page.js(values) == sorted(written) != written
    page.js(f"{head}.querySelector('button').focus()")
    page.press("Enter")
    assert page.js(f"{head}.getAttribute('aria-sort')") == "descending"
    assert page.js(values) == sorted(written, reverse=True)
    page.press("Enter")
    assert page.js(values) == written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 254 (1 180 to 1 320)", 1254),
        ("1\u202f254", 1254),
        ("<0.1 s", 0.1),
        ("3 of 10", 3),
        ("at least 7.99 s (not recovered in 1 of 2 trials)", 7.99),
        ("870 µs", 870e-6),
        ("2 min", 120),
        ("410 to 440 ms", 0.41),
        ("1.5\u00a0MiB", 1.5 * 2**20),
        ("\N{MINUS SIGN}34 %", -34),
        ("+5.02 s", 5.02),
        ("18", 18),
        ("\N{EN DASH}", None),
        ("", None),
        ("node1", None),
        ("not measured", None),
    ],
)
def test_a_cell_is_worth_its_first_number(page: Driven, text: str, value: float | None) -> None:
    found = page.js(f"fivenines.number({json.dumps(text)})")
    assert found == (None if value is None else pytest.approx(value))


def test_times_sort_by_length_whatever_their_unit(page: Driven) -> None:
    times = [milliseconds(10 ** (n / 3)) for n in range(-9, 21)]
    values = page.js(f"{json.dumps(times)}.map(fivenines.number)")
    assert values == sorted(values) and None not in values


def test_a_long_table_has_a_filter_and_a_short_one_has_none(page: Driven) -> None:
    page.js(OPEN)
    rows = "[...document.querySelectorAll('#failover table')[0].tBodies[0].rows]"
    wanted = page.js(f"{rows}[4].cells[0].textContent")
    page.js("document.querySelector('#failover .filter input').focus()")
    page.type(wanted)
    page.wait(f"{rows}.filter(r => !r.hidden).length === 1")
    assert page.js(f"{rows}.find(r => !r.hidden).cells[0].textContent") == wanted
    assert page.js("document.querySelector('#failover .filter output').value") == f"1 of {TRIALS}"
    tables = "[...document.querySelectorAll('.scroll table')]"
    has = "Boolean(t.parentElement.previousElementSibling?.matches('.filter'))"
    assert page.js(f"{tables}.every(t => (t.tBodies[0].rows.length > 10) === {has})")


def test_the_first_column_of_a_wide_table_stays(page: Driven) -> None:
    page.window(390)
    box = "document.querySelector('#summary .scroll')"
    assert page.js(f"{box}.scrollWidth > {box}.clientWidth")
    left = f"{box}.querySelector('tbody th').getBoundingClientRect().left"
    before = page.js(left)
    page.js(f"{box}.scrollLeft = 200")
    assert page.js(left) == before
    whole = "document.documentElement"
    assert page.js(f"{whole}.scrollWidth === {whole}.clientWidth")


def test_a_time_line_zooms_to_10_ms_and_back(page: Driven) -> None:
    live(page, LINE)
    line = f"document.querySelector('{LINE}')"
    span = f"{line}.dataset.to - {line}.dataset.from"
    whole = page.js(span)
    assert whole > 10
    assert page.js(f"{line}.dataset.slot") == "100"
    plot = page.js(
        f"(() => {{ const b = {line}.querySelector('.u-over')"
        ".getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
    )
    x, y = plot[0] + plot[2] * 3 / 13, plot[1] + plot[3] / 2
    page.drag(x - 30, y, x + 30)
    page.wait(f"{span} < {whole / 3}")
    dragged = page.js(span)
    page.wheel(x, y, 120)
    page.wait(f"{span} < {dragged}")
    zoom_in = f"{line}.previousElementSibling.querySelector('[aria-label=\"Zoom in\"]')"
    for _ in range(4):
        page.js(f"{zoom_in}.click()")
    page.wait(f"{line}.dataset.slot === '10'")
    assert "per 10 ms" in page.wait(f"{line}.innerText.includes('per 10 ms') && {line}.innerText")
    page.js(f"{line}.scrollIntoView({{block: 'center'}})")
    x, y = middle_of(page, f"{line}.querySelector('.u-over')")
    page.move(x, y)
    tip = page.wait(TIP)
    assert "from the fault" in tip
    assert "in 10 ms" in tip
    page.click(x, y, times=2)
    page.wait(f"Math.abs({span} - {whole}) < 0.01")
    assert page.errors == []


def test_a_time_line_switches_trials_with_its_words_and_events(page: Driven) -> None:
    live(page, LINE)
    figure = "document.querySelector('#failover figure')"
    field = f"{figure}.querySelector('select')"
    assert page.js(f"{field}.options.length") == TRIALS
    before = page.js(f"{figure}.querySelector('figcaption').innerText")
    picture = f"{figure}.querySelector('canvas').toDataURL()"
    chart = page.js(picture)
    wanted = page.js(f"{field}.options[3].textContent")
    page.js(f"{field}.focus()")
    for _ in range(3):
        page.press("ArrowDown")
    page.wait(f"{figure}.querySelector('figcaption').innerText.includes('trial {wanted},')")
    assert page.js(f"{figure}.querySelector('figcaption').innerText") != before
    page.wait(f"{picture} !== {chart!r}")


def test_live_charts_have_the_colours_of_dark_pages(page: Driven) -> None:
    live(page, FIRST)
    colour = f"getComputedStyle({valued(FIRST)}).stroke"
    light = page.js(colour)
    page.window(1280, dark=True)
    assert page.wait(f"{colour} !== '{light}' && {colour}") == "rgb(92, 184, 240)"


def test_time_lines_have_the_colours_of_dark_pages(page: Driven) -> None:
    live(page, LINE)
    # The brightest pixel of the line of the solution, whose area is nearly transparent.
    colours = (
        "(c => [...new Set(new Uint32Array(c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data.buffer))])"
        f"(document.querySelector('{LINE} canvas'))"
    )
    light, dark = 0xFFB27200, 0xFFF0B85C  # as ABGR: #0072b2, #5cb8f0
    assert light in page.js(colours)
    page.window(1280, dark=True)
    page.wait(f"{colours}.includes({dark})")
    assert light not in page.js(colours)


def test_without_scripts_drawings_stay_and_no_control_is_dead(page: Driven, report: Path) -> None:
    page.scripts(on=False)
    page.open(report)
    counts = page.js(
        "[document.querySelectorAll('figure .chart').length,"
        " document.querySelectorAll('figure .chart > svg').length,"
        " document.querySelectorAll('button, select, input').length]"
    )
    assert counts[0] == counts[1] > 8
    assert counts[2] == 0
    assert page.js("document.querySelector('.chart > svg').getBoundingClientRect().width") > 200


def test_paper_has_no_controls(page: Driven) -> None:
    live(page, LINE)
    shown = "['.legend', '.controls'].map(each => document.querySelector(each).checkVisibility())"
    assert page.js(shown) == [True, True]
    page.paper()
    try:
        assert page.js(shown) == [False, False]
    finally:
        page.window(1280, 800)


def test_paper_gets_the_drawing_as_it_was_written(page: Driven) -> None:
    live(page, LINE)
    line = f"document.querySelector('{LINE}')"
    page.js(f"{line}.previousElementSibling.querySelector('[aria-label=\"Zoom in\"]').click()")
    page.js(
        "addEventListener('beforeprint', () => { window.printed ="
        f" [{line}.querySelectorAll(':scope > svg').length,"
        " [...document.querySelectorAll('.chart')].every(c => c.querySelector('svg'))]; })"
    )
    assert page.print().startswith(b"%PDF")
    assert page.js("window.printed") == [1, True]
    assert page.js(f"{line}.querySelectorAll(':scope > svg').length") == 0


def test_names_that_look_like_markup_break_no_chart(page: Driven, tmp_path: Path) -> None:
    evil = "</script><script>window.got_in = 1</script><!--\"'"
    matrix = Matrix([Recipe(evil), Recipe("b")], workloads=[evil], name=evil, trials=2)
    page.errors.clear()
    page.open(write_html(write_run(tmp_path / "run", matrix)))
    live(page, FIRST)
    page.move(*middle_of(page, valued(FIRST)))
    assert page.wait(TIP).startswith(evil)
    live(page, LINE)
    assert page.js("window.got_in === undefined")
    assert page.errors == []


@pytest.mark.parametrize("gaps", [1, 2, 3, 5, 9])
@pytest.mark.parametrize(
    "cause", ["kill primary", "partition primary, kill primary and return of node1 to node3"]
)
def test_labels_of_interruptions_stay_within_their_time_line(page: Driven, cause: str, gaps: int) -> None:
    places = page.js(
        "(async () => { const at = document.createElement('div'); at.style.width = '400px';"
        " document.body.append(at);"
        f" const gaps = [...Array({gaps}).keys()].map(n => [n * 0.8, n * 0.8 + 0.5, `1.2${{n}} s: {cause}`]);"
        " const writes = {steps: [[-3, 100, Array(110).fill(5)]], gaps};"
        " const panels = {writes, reads: {steps: [], gaps: []}};"
        " const trial = {id: '0001', about: '', fault: 'kill primary', from: -3, to: 8, marks: [], panels};"
        " const slot = document.createElement('div'); at.append(slot);"
        " window.fivenines.timeline(slot, {note: '', tops: {}, trials: [trial]});"
        " await new Promise(done => setTimeout(done, 50));"
        " const frame = slot.querySelector('.uplot').getBoundingClientRect();"
        " const found = [...slot.querySelectorAll('.label')].filter(one => / s(:|$)/.test(one.textContent))"
        " .map(one => { const box = one.getBoundingClientRect();"
        " return [box.left - frame.left, box.right - frame.right, box.top]; });"
        " at.remove(); return found; })()"
    )
    assert places, "at least one interruption has its length"
    assert all(left >= -1 and right <= 1 for left, right, _ in places)
