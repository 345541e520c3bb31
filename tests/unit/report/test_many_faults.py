"""Many faults in few sentences."""

from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.report.answers import answers
from fivenines.report.groups import names_of
from fivenines.report.many_faults import MOST, worst_outages
from fivenines.results.store import open_run


def test_many_faults_are_told_by_solution(tmp_path: Path) -> None:
    faults = [f"fault {number}" for number in range(MOST + 1)]
    recipes = [Recipe("slow", outage=6000.0), Recipe("never", outage=None)]
    cells = analyse(open_run(write_run(tmp_path / "run", Matrix(recipes, faults=faults, trials=1))))
    told = [answer.text for answer in answers(cells, names_of(cells)) if answer.topic == "Outage"]
    assert len(told) == 2
    assert told[0].startswith("slow: writes were unavailable longest after fault ") and "6." in told[0]
    assert told[0].count("fault ") == 3
    assert told[1].startswith("never: writes were unavailable at least ")
    assert told[1].count("(not back) after fault ") == MOST + 1


def test_what_did_no_harm_is_named(tmp_path: Path) -> None:
    recipes = [Recipe("calm", outage=0.0)]
    cells = analyse(open_run(write_run(tmp_path / "run", Matrix(recipes, trials=2))))
    assert worst_outages([("a pause", cells)]) == ["calm: not noticeably unavailable after a pause."]
    assert worst_outages([("nothing", [])]) == []
