"""The chapter on two tools: a sentence first, then each pair and each cell."""

import json
from pathlib import Path

from synthetic_run import QUICKSTART, write_run
from two_programs import Speeds, two_programs

from fivenines.analysis.performance.sweeps import compared
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.agreement import chapter
from fivenines.report.export.documents import tables
from fivenines.report.html.page import render
from fivenines.report.sentences.run_answers import run_answers
from fivenines.results import store
from fivenines.results.store import Run

AGREE: Speeds = {"fivenines": {"a": 1800, "b": 800}, "sysbench": {"a": 1900, "b": 950}}
DISAGREE: Speeds = {"fivenines": {"a": 1600, "b": 800}, "sysbench": {"a": 700, "b": 1400}}


def _answers(run: Run, topic: str) -> list[str]:
    return [
        one.text
        for one in run_answers(run, compared(run))
        if one.topic == topic and one.chapter == "agreement"
    ]


def test_agreement_is_a_sentence(tmp_path: Path) -> None:
    run = two_programs(tmp_path / "run", AGREE)
    (text,) = _answers(run, "Load generators")
    assert text.startswith("fivenines and sysbench agree on the throughput: a is ")
    assert text.count(" % faster than b (") + text.count(" times as fast as b (") == 2
    assert "by fivenines and" in text and text.endswith("by sysbench.")
    assert not _answers(run, "Caution")


def test_disagreement_is_a_caution(tmp_path: Path) -> None:
    run = two_programs(tmp_path / "run", DISAGREE)
    (text,) = _answers(run, "Load generators")
    assert text.startswith("fivenines and sysbench disagree on the throughput: ")
    caution = _answers(run, "Caution")[0]
    assert "do not rely on either" in caution
    assert "do not rely on either" in render(run)


def test_several_comparisons_are_counted(tmp_path: Path) -> None:
    three: Speeds = {
        "fivenines": {"a": 1600, "b": 800, "c": 400},
        "sysbench": {"a": 1600, "b": 400, "c": 800},
    }
    (text,) = _answers(two_programs(tmp_path / "run", three), "Load generators")
    assert text == ("fivenines and sysbench agree in 2 and disagree in 1 of 3 comparisons of throughput.")


def test_tables_have_every_pair_and_every_cell(tmp_path: Path) -> None:
    run = two_programs(tmp_path / "run", DISAGREE)
    section = chapter(Data(run, compared(run)))
    pairs, cells = section.tables
    assert pairs.columns == ["Conditions", "Solutions", "Measure", "By fivenines", "By sysbench", "Verdict"]
    first = pairs.rows[0]
    assert first[1:3] == ["a / b", "throughput"] and first[-1] == "disagree"
    assert [row[0] for row in cells.rows if row[1] == "throughput"] == ["a", "b"]
    assert "sysbench / fivenines" in cells.columns
    assert any("sysbench 1.0.20" in text for text in section.drawers[-1].texts)


def test_one_program_has_no_chapter(tmp_path: Path) -> None:
    run = store.open_run(write_run(tmp_path / "run", QUICKSTART))
    assert not chapter(Data(run, compared(run))).filled
    assert not _answers(run, "Load generators")
    assert json.loads(tables(run, "json"))["agreement"]["solutions"] == []


def test_json_and_markdown_have_it(tmp_path: Path) -> None:
    run = two_programs(tmp_path / "run", DISAGREE)
    found = json.loads(tables(run, "json"))["agreement"]
    speed = next(one for one in found["solutions"] if one["measure"] == "throughput")
    assert (speed["a"], speed["b"], speed["verdict"]) == ("a", "b", "disagree")
    assert speed["by"]["fivenines"]["low"] > 1 > speed["by"]["sysbench"]["high"]
    assert {one["solution"] for one in found["cells"]} == {"a", "b"}
    assert found["programs"]["oltp_read_write (sysbench)"] == "sysbench"
    assert "Ratio of two solutions by each program" in tables(run, "md")
