"""An SVG in fewer bytes is the same picture; a chart that is the same is not drawn again."""

import re
from pathlib import Path
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import QUICKSTART, write_run

from fivenines.report.charts import drawing_cache
from fivenines.report.charts.compact import compact
from fivenines.report.html.page import render
from fivenines.results.store import open_run

Point = tuple[str, str]

numbers = st.integers(-99, 99).map(str)


def _points(path: str) -> list[Point]:
    """The corners of a path of straight lines."""
    found: list[Point] = []
    for letter, first, second in re.findall(r"([MLHV])(-?[\d.]+)(?:,(-?[\d.]+))?", path):
        x, y = found[-1] if found else ("", "")
        found.append({"H": (first, y), "V": (x, first)}.get(letter, (first, second)))
    return found


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=30), st.booleans())
def test_a_path_has_the_same_corners(points: list[Point], closed: bool) -> None:
    steps = "L".join(f"{x},{y}" for x, y in points)
    end = "Z" if closed else ""
    (found,) = re.findall(r' d="([^"]*)"', compact(f'<path d="M{steps}{end}"/>'))
    assert _points(found) == points
    assert found.endswith("Z") == closed
    assert len(found) <= len(f"M{steps}{end}")


def test_a_level_line_needs_one_number() -> None:
    assert compact('<path d="M0,5L3,5L3,7L4,8"/>') == '<path d="M0,5H3V7L4,8"/>'


def test_a_round_mark_is_a_circle() -> None:
    arc = "M3.2,0A3.2,3.2,0,1,1,-3.2,0A3.2,3.2,0,1,1,3.2,0"
    mark = f'<path transform="translate(268.4,353)" d="{arc}" stroke="red"/>'
    assert compact(mark) == '<circle cx="268.4" cy="353" r="3.2" stroke="red"/>'


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
    return re.sub(r"\bc\d+-(?:clip\d+)?", "", page)
