"""Labels of charts are within a few px of the marks that they name."""

from collections.abc import Iterator
from typing import NamedTuple

import form_runs
import pytest
from driven import Driven, browser
from page_checks import unfold

from fivenines.report import write_html

# The largest offset of a label in px, if no other label is in its way.
NEAR = 4.0

pytestmark = pytest.mark.timeout(300)


class Mark(NamedTuple):
    """A part of a drawing: its box in px of the window, and its style."""

    tag: str
    text: str
    x: float
    y: float
    width: float
    height: float
    colour: str
    stroke: float
    of: str

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    """Open a quickstart's report without its scripts, which redraw charts."""
    folder = tmp_path_factory.mktemp("labels")
    address = write_html(form_runs.quickstart(folder / "run")).as_uri()
    with browser(folder / "profile") as found:
        found.scripts(False)
        found.window(1280, 800)
        found.open(address)
        found.scripts(True)
        unfold(found)
        yield found


def marks(page: Driven, chart: str) -> list[Mark]:
    """Return all parts of the first chart of a chapter."""
    found = page.js(
        f"[...document.querySelector('#{chart} figure svg').querySelectorAll('text, path, line, circle')]"
        ".map(one => { const box = one.getBoundingClientRect(), of = one.closest('[data-of]');"
        # A group may have what all its parts have.
        " const value = name => one.closest(`[${name}]`)?.getAttribute(name) ?? '';"
        " const fill = value('fill');"
        " return [one.tagName, one.textContent, box.x, box.y, box.width, box.height,"
        " fill === 'none' ? value('stroke') : fill,"
        " Number(value('stroke-width')), of ? of.dataset.of : '']; })"
    )
    return [Mark(*one) for one in found]


def test_a_name_is_next_to_the_point_of_its_solution(page: Driven) -> None:
    drawn = [one for one in marks(page, "decision") if one.of]
    names = [one for one in drawn if one.tag == "text"]
    assert len(names) == 2
    for name in names:
        shapes = [o for o in drawn if o.of == name.of and o.tag != "text" and o.stroke == 2]
        point, repeated = sorted(shapes, key=lambda one: one.x)
        assert name.colour == point.colour == repeated.colour
        assert abs(name.middle[1] - point.middle[1]) <= NEAR
        # It stands before the first line of the name.
        assert name.y <= repeated.middle[1] <= name.middle[1] + NEAR
        assert name.x > repeated.x > point.x


def test_each_phase_has_its_number_within_its_bar_and_its_name_in_the_legend(page: Driven) -> None:
    drawn = marks(page, "phases")
    bars = [one for one in drawn if one.tag == "line" and one.stroke == 16]
    numbers = [one for one in drawn if one.tag == "text" and one.text.isdigit() and "page" in one.colour]
    assert len(numbers) > 6
    for number in numbers:
        (bar,) = [
            one
            for one in bars
            if one.x <= number.middle[0] <= one.x + one.width
            and abs(one.middle[1] - number.middle[1]) <= NEAR
        ]
        assert abs(bar.middle[0] - number.middle[0]) <= NEAR
    legend = {one.text for one in numbers if not one.of}
    assert {one.text for one in numbers} == legend, "no number without a name"
    for of in ("s0", "s1"):
        (figures,) = [one.text for one in drawn if one.of == of and " + " in one.text]
        assert len(figures.split(" + ")) == len(legend), "a figure for each name of the legend"


def test_events_are_numbered_above_their_rules_and_brackets_have_their_lengths(page: Driven) -> None:
    drawn = marks(page, "failover")
    fault = next(one for one in drawn if "fault" in one.colour and one.tag == "line")
    name = next(one for one in drawn if one.text == "kill primary")
    assert 0 <= fault.x - (name.x + name.width) <= 2 * NEAR
    above = [one for one in drawn if one.tag == "text" and one.y == name.y and one is not name]
    rules = [
        one for one in drawn if one.tag == "line" and one.width == 0 and one.height > 20 and not one.stroke
    ]
    first = sorted(rules, key=lambda one: (one.y, one.x))[: len(above)]
    assert [one.text for one in above] == [str(n + 1) for n in range(len(first))]
    # the last one has nothing in its way; others were moved apart, in their order, no further than they must
    assert abs(above[-1].middle[0] - first[-1].x) <= NEAR
    for label, rule in zip(above, first, strict=True):
        assert abs(label.middle[0] - rule.x) <= 13 * len(above)
    (length,) = [one for one in drawn if one.text.endswith("time-out")][:1]
    (bracket,) = [
        one
        for one in drawn
        if one.tag == "line" and one.height == 0 and one.stroke == 1.5 and one.y < length.y
    ]
    # It starts at the bracket, or left of it where the plot ends: its width depends on the machine's fonts.
    assert length.x <= bracket.x + NEAR and bracket.x <= length.x + length.width
    assert length.y - bracket.y <= 2 * NEAR
