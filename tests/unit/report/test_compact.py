"""An SVG in fewer bytes is the same picture; a chart that is the same is not drawn again."""

import re
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import QUICKSTART, write_run

from fivenines.report.charts import drawing_cache
from fivenines.report.charts.compact import compact
from fivenines.report.charts.paths import straight
from fivenines.report.html.page import render
from fivenines.results.store import open_run

tenths = st.integers(-999, 999).map(lambda value: value / 10)


def _points(path: str) -> list[tuple[float, float]]:
    """The corners of a path of straight lines."""
    found: list[tuple[float, float]] = []
    number = r"-?(?:\d*\.\d|\d+)"
    for letter, first, second in re.findall(rf"([MLlhv])({number})(?:,?({number}))?", path):
        x, y = found[-1] if found and letter.islower() else (0.0, 0.0)
        across = 0.0 if letter == "v" else float(first)
        upright = float(second or first) if letter != "h" else 0.0
        found.append((round(x + across, 1), round(y + upright, 1)))
    return found


def _compact(svg: str) -> str:
    """Return a part of a drawing in fewer bytes."""
    return compact(f'<svg width="9" height="9" viewBox="0 0 9 9">{svg}</svg>').svg.partition(">")[2][:-6]


@given(st.lists(st.tuples(tenths, tenths), min_size=2, max_size=30, unique=True), st.booleans())
def test_a_path_has_the_same_corners(points: list[tuple[float, float]], closed: bool) -> None:
    steps = "L".join(f"{x:g},{y:g}" for x, y in points)
    path = f"M{steps}{'Z' if closed else ''}"
    found = straight(path)
    assert _points(found) == points
    assert found.endswith("Z") == closed
    assert len(found) <= len(path)


def test_a_level_line_needs_one_number() -> None:
    assert straight("M0,5L3,5L3,7L4,8.5") == "M0,5h3v2l1,1.5"


def test_a_path_that_relative_steps_make_longer_stays() -> None:
    assert straight("M1.1,1.1L0,0") == "M1.1,1.1L0,0"


def test_other_paths_stay() -> None:
    arc = "M3.2,0A3.2,3.2,0,1,1,-3.2,0"
    assert straight(arc) == arc


def test_a_round_mark_is_a_circle() -> None:
    arc = "M3.2,0A3.2,3.2,0,1,1,-3.2,0A3.2,3.2,0,1,1,3.2,0"
    mark = f'<path transform="translate(268.4,353)" d="{arc}" stroke="red"/>'
    assert _compact(mark) == "<circle cx=268.4 cy=353 r=3.2 stroke=red />"


def test_what_all_marks_have_is_written_once() -> None:
    marks = "".join(f'<line transform="translate({x},0)" x2="0" y2="5" stroke="red"/>' for x in (1, 2))
    assert _compact(f"<g>{marks}</g>") == (
        "<g stroke=red><line transform=translate(1,0) y2=5 /><line transform=translate(2,0) y2=5 /></g>"
    )


def test_ticks_of_an_axis_are_one_path() -> None:
    marks = "".join(f'<line transform="translate({x},0)" x2="0" y2="-5" stroke="red"/>' for x in (1, 2))
    assert _compact(f'<g class="mark-rule role-axis-tick">{marks}</g>') == (
        "<path d=M1,0v-5M2,0v-5 stroke=red />"
    )


def test_texts_of_marks_are_collected_in_their_order() -> None:
    named = '<path aria-label="{}" role="graphics-symbol" d="M0,0h1v1Z" fill="red"/>'
    group = '<g class="mark-rect role-mark of_s1_2_marks">{}</g>'
    first = group.format(named.format("a&#xA;1") + named.format("&lt;b>"))
    found = compact(
        f'<svg width="9" height="9" viewBox="0 0 9 9">{first}{group.format(named.format("c"))}</svg>'
    )
    assert found.tips == ["a\n1", "<b>", "c"]
    assert found.svg.count("class=t") == 2 and found.svg.count("data-of=s1") == 1


def test_lines_of_a_text_stay_at_its_place() -> None:
    text = '<text transform="translate(9,5)"><tspan>a</tspan><tspan x="0" dy="9">b</tspan></text>'
    assert _compact(text) == "<text transform=translate(9,5)><tspan>a</tspan><tspan x=0 dy=9>b</tspan></text>"


def test_invisible_points_are_left_to_the_script() -> None:
    arc = "M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0"
    points = "".join(
        f'<path aria-label="{n}" role="graphics-symbol" transform="translate({n},5)" d="{arc}" opacity="0"/>'
        for n in range(2)
    )
    group = f'<g class="mark-symbol role-mark">{points}</g>'
    found = compact(f'<svg width="9" height="9" viewBox="0 0 9 9">{group}</svg>')
    assert found.svg.endswith("><g class=t /></svg>")
    assert found.tips == [[(0.0, 5.0, "0"), (1.0, 5.0, "1")]]


def test_a_drawing_of_its_own_is_xml() -> None:
    svg = compact(
        '<svg width="9" height="9" viewBox="0 0 9 9"><text fill="red">a &lt; b</text></svg>', file=True
    ).svg
    assert ElementTree.fromstring(svg)[0].text == "a < b"


def test_a_report_draws_only_what_is_new(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", QUICKSTART))
    first = render(run)
    with patch.object(drawing_cache.vl_convert, "vegalite_to_svg", side_effect=AssertionError):
        again = render(run)
    assert _without_ids(again) == _without_ids(first)


def test_damaged_drawings_are_drawn_anew(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", QUICKSTART))
    first = render(run)
    place = run.folder / "cache" / "drawings"
    place.write_bytes(place.read_bytes()[:-100])
    assert _without_ids(render(run)) == _without_ids(first)


def _without_ids(page: str) -> str:
    """The library counts the clips of a process, and the page its charts."""
    page = re.sub(r"\bc\d+-(?:clip\d+)?", "", page)
    page = re.sub(r"<svg id=c\d+", "<svg", page)
    return re.sub(r'id="tips">.*?<', "<", page)
