"""Sentences on runs with many faults."""

from pathlib import Path

from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.report.groups import names_of
from fivenines.report.sentences.answers import answers
from fivenines.report.sentences.many_faults import MOST, worst_outages
from fivenines.results.store import open_run


def test_many_faults_get_one_sentence_per_solution(tmp_path: Path) -> None:
    faults = [f"fault {number}" for number in range(MOST + 1)]
    recipes = [Recipe("slow", outage=6000.0), Recipe("never", outage=None)]
    cells = analyse(open_run(write_run(tmp_path / "run", Matrix(recipes, faults=faults, trials=1))))
    texts = [answer.text for answer in answers(cells, names_of(cells)) if answer.topic == "Outage"]
    assert len(texts) == 2
    assert texts[0].startswith("slow: writes were unavailable longest after fault ") and "6." in texts[0]
    assert texts[0].count("fault ") == 3
    assert texts[1].startswith("never: writes were unavailable at least ")
    assert texts[1].count("(not recovered) after fault ") == MOST + 1


def test_faults_without_an_outage_are_named(tmp_path: Path) -> None:
    recipes = [Recipe("calm", outage=0.0)]
    cells = analyse(open_run(write_run(tmp_path / "run", Matrix(recipes, trials=2))))
    assert worst_outages([("a pause", cells)]) == ["calm: no noticeable outage after a pause."]
    assert worst_outages([("nothing", [])]) == []
