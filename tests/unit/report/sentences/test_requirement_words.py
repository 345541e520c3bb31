"""Requirements in words, their rules, and their exact conditions."""

from pathlib import Path

import pytest
from synthetic_run import QUICKSTART, write_run

from fivenines.analysis.measures.condition import parse_requirement
from fivenines.analysis.measures.decide import REQUIREMENTS
from fivenines.report import tables
from fivenines.report.chapters.decision import conditions_table, requirements_table
from fivenines.report.html.page import render
from fivenines.report.sentences.decision import decide
from fivenines.report.sentences.requirement_words import how_judged, in_words
from fivenines.results.store import open_run


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("not_recovered = 0", "writes recovered"),
        ("lost = 0", "no acknowledged row lost"),
        ("stale <= 5%", "reads that missed an acknowledged row in at most 5% of trials"),
        ("outage_writes < 10s", "outage of writes < 10s"),
        ("failover p95 <= 8s", "failover time <= 8s, 95 % of trials"),
        ("hosts <= 4", "hosts <= 4"),
    ],
)
def test_a_requirement_in_words(condition: str, words: str) -> None:
    assert in_words(parse_requirement(condition)) == words


def test_no_default_requirement_is_shown_by_its_name() -> None:
    for condition in REQUIREMENTS:
        words = in_words(parse_requirement(condition))
        assert "_" not in words and "=" not in words
        assert "which takes 29 trials" in how_judged(parse_requirement(condition))


def test_the_table_has_the_words_and_the_page_the_exact_conditions(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", QUICKSTART))
    decided = decide(run)
    assert "no acknowledged row lost" in requirements_table(decided).columns
    assert "lost = 0" not in requirements_table(decided).columns
    assert ["no acknowledged row lost", "lost = 0"] in [row[:2] for row in conditions_table(decided).rows]
    page = render(run)
    assert "Exact requirements, and how they are judged" in page and "lost = 0" in page


def test_markdown_begins_with_the_decision_and_its_table(tmp_path: Path) -> None:
    text = tables(write_run(tmp_path / "run", QUICKSTART), "md")
    answer = text.partition("## Results")[2].partition("## Tables")[0]
    assert answer.lstrip().startswith("**Recommended: 2-safe (on), the only one with ")
    assert "- Decision: 1-safe (local) does not meet 1 requirement: " in answer
    assert "| 1-safe (local) | excluded |" in answer
    assert "| no acknowledged row lost | lost = 0 | not met after one trial" in text
