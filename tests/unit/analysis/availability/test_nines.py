"""Availability, nines and downtime, alone and together, with their intervals and bounds."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.availability.nines import Term, assumed_mtbf, availabilities, nines, unavailable
from fivenines.analysis.cells import CellResult, analyse
from fivenines.analysis.statistics.means import summarise
from fivenines.base.units import YEAR
from fivenines.results.store import open_run

DAY = 86_400.0


def test_the_textbook_case() -> None:
    """One failure in 1000 h that takes 1 h: 99.9 %, almost 3 nines, 8.76 h a year."""
    term = Term(summarise([3_600_000.0] * 3), 1000 * 3600.0)
    result = unavailable([term])
    assert result.value == pytest.approx(1 / 1001)
    assert (result.low, result.high) == (result.value, result.value)
    assert nines(0.001) == pytest.approx(3)
    assert nines(0) == math.inf
    assert result.value * YEAR == pytest.approx(8.757 * 3600, rel=1e-3)


def test_the_interval_is_that_of_the_mean() -> None:
    outage = summarise([4000.0, 4200.0, 4400.0])
    result = unavailable([Term(outage, DAY)])
    assert outage.ci_low is not None
    assert outage.ci_high is not None
    assert result.low == pytest.approx(outage.ci_low / 1000 / DAY, rel=1e-4)
    assert result.high == pytest.approx(outage.ci_high / 1000 / DAY, rel=1e-4)


def test_one_trial_gives_no_interval() -> None:
    result = unavailable([Term(summarise([4000.0]), DAY)])
    assert (result.low, result.high) == (None, None)


@pytest.mark.parametrize("terms", [[], [Term(summarise([]), DAY)], [Term(summarise([1.0]), 0.0)]])
def test_what_says_nothing_is_refused(terms: list[Term]) -> None:
    with pytest.raises(ValueError, match="needs a mean outage and an MTBF"):
        unavailable(terms)


OUTAGES = st.lists(st.floats(1, 1e6), min_size=2, max_size=10)
TERM = st.builds(Term, OUTAGES.map(summarise), st.floats(3600, 1e9))


@given(st.lists(TERM, min_size=1, max_size=6))
def test_rates_add_up(terms: list[Term]) -> None:
    result = unavailable(terms)
    odds = sum(u / (1 - u) for u in (unavailable([term]).value for term in terms))
    assert result.value == pytest.approx(odds / (1 + odds))
    assert result.low is not None
    assert result.high is not None
    assert 0 <= result.low <= result.value <= result.high <= 1
    for term in terms:
        assert result.value >= unavailable([term]).value - 1e-12


@given(TERM)
def test_the_same_class_twice_as_often_is_twice_as_bad(term: Term) -> None:
    twice = unavailable([replace(term, mtbf=term.mtbf / 2)]).value
    once = unavailable([term]).value
    assert twice / (1 - twice) == pytest.approx(2 * once / (1 - once))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipes = [Recipe("back", outage=4000.0), Recipe("gone", outage=None), Recipe("calm", outage=1.0)]
    matrix = Matrix(recipes, faults=["kill", "stop"], trials=3)
    return write_run(tmp_path_factory.mktemp("runs") / "nines", matrix)


@pytest.fixture(scope="module")
def cells(run: Path) -> list[CellResult]:
    return analyse(open_run(run))


def test_assumptions_come_from_the_experiment(run: Path) -> None:
    assert assumed_mtbf(open_run(run)) == {"kill": 90 * DAY}


def test_one_for_each_fault_and_one_for_all_together(cells: list[CellResult]) -> None:
    result = availabilities(cells, {"kill": 90 * DAY})
    assert [(item.key.solution, item.fault) for item in result[:2]] == [
        ("back", "kill primary"),
        ("gone", "kill primary"),
    ]
    together = {item.key.solution: item for item in result if item.fault == "all together"}
    back = [item for item in result if item.key.solution == "back" and item.fault == "kill primary"]
    assert together["back"].unavailable
    assert together["back"].unavailable.value == pytest.approx(
        sum(item.unavailable.value for item in back if item.unavailable), rel=1e-5
    )
    assert together["back"].mtbf == pytest.approx(45 * DAY)
    assert together["back"].trials == 6


def test_bounds_and_intervals(cells: list[CellResult]) -> None:
    result = {
        availability.key.solution: availability
        for availability in availabilities(cells, {"kill": 90 * DAY})[:6]
    }
    assert [result[name].bound for name in ("back", "gone", "calm")] == ["", "at most", "at least"]
    back = result["back"]
    assert back.share
    assert back.nines
    assert back.downtime
    assert back.share.value == pytest.approx(1 - 4.0 / (90 * DAY), abs=1e-7)
    for estimate in (back.share, back.nines, back.downtime):
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high
    assert back.needed_mtbf == pytest.approx(99_999 * back.mttr.value)


def test_without_assumptions_only_what_would_be_needed(cells: list[CellResult]) -> None:
    result = availabilities(cells, {})
    assert len(result) == 6
    assert all(item.share is item.nines is item.downtime is None for item in result)
    assert all(item.needed_mtbf > 0 for item in result)
