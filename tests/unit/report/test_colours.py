"""Colours mean one thing: hues are those of solutions, and red is the fault."""

from itertools import pairwise

import pytest

from fivenines.report.charts import phases, theme


def hue(colour: str) -> int:
    """How far a colour is from grey, up to 255."""
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return max(channels) - min(channels)


@pytest.mark.parametrize(
    "colour",
    [*map(phases._colour, (1, 2)), theme.NEUTRAL.colour, *(theme.node_style(n).colour for n in range(9))],
)
def test_marks_without_a_solution_are_drawn_in_ink(colour: str) -> None:
    assert colour not in theme.SERIES
    assert hue(colour) < 32


def test_solutions_have_hues_and_none_is_the_faults() -> None:
    assert theme.FAULT not in theme.SERIES
    assert all(hue(colour) > 60 for colour in theme.SERIES[:-1])


def test_neighbouring_phases_and_nodes_are_distinguishable() -> None:
    colours = [phases._colour(number) for number in range(1, 7)]
    assert all(one != other for one, other in pairwise(colours))
    styles = [theme.node_style(n) for n in range(8)]
    assert len({(one.colour, *one.dash) for one in styles}) == 8
