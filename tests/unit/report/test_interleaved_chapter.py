"""Interleaved blocks in the report, in exports and on the terminal."""

import json
from pathlib import Path

from synthetic_interleaved import SyntheticBlock, write_interleaved_run
from synthetic_run import QUICKSTART

from fivenines.report import tables, write_html
from fivenines.report.chapters.performance.interleaved import interleaved_answers
from fivenines.results.store import open_run

NAMES = ("1-safe (local)", "2-safe (on)")


def _sentences(folder: Path) -> list[str]:
    return [answer.text for answer in interleaved_answers(open_run(folder))]


def test_the_answer_is_a_percentage_of_the_interleaved_and_trials_do_not_contradict_it(
    tmp_path: Path,
) -> None:
    folder = write_interleaved_run(tmp_path / "run", SyntheticBlock(names=NAMES), QUICKSTART)
    first, response, *_ = _sentences(folder)
    assert first.startswith("1-safe (local) is 12 % faster than 2-safe (on) (1")
    assert first.endswith("interleaved (means of all windows; ratios of neighbouring windows).")
    assert response.startswith("The mean response time of 1-safe (local) is 11 % shorter than 2-safe")
    text = tables(folder, "md")
    assert "has the highest mean" not in text
    assert "**Throughput**" not in text and "**Outage of writes**" in text
    found = json.loads(tables(folder, "json"))
    (throughput,) = (one for one in found["blocks"] if one["metric"] == "throughput")
    assert throughput["low"] < 1.12 < throughput["high"] and throughput["differs"]
    assert not any(one["metric"] == "throughput" for one in found["differences"])
    page = write_html(folder).read_text()
    assert "Speed, interleaved" in page
    assert "Detectable differences" in page
    assert "2 of 2 planned blocks and 6 of 6 planned trials" in page


def test_a_run_of_blocks_alone_has_a_report(tmp_path: Path) -> None:
    folder = write_interleaved_run(tmp_path / "run", SyntheticBlock(blocks=3, broken=1))
    page = write_html(folder).read_text()
    assert "fast is 12" in page
    assert "2 of 3 planned blocks complete" in page
    assert "node1 of fast did not answer at the end" in page
    assert "There are no results" not in page
    assert "block-001" in page


def test_cautions_name_busy_neighbours_late_transactions_and_blocks_that_differ(tmp_path: Path) -> None:
    quiet = write_interleaved_run(tmp_path / "quiet", SyntheticBlock())
    assert len(_sentences(quiet)) == 3
    folder = write_interleaved_run(
        tmp_path / "run", SyntheticBlock(blocks=3, shifts=(-0.2, 0.0, 0.2), idle_cpu=0.5, after=400.0)
    )
    text = "\n".join(_sentences(folder))
    assert "The blocks differ by more than their windows explain" in text
    assert "Idle solutions were not idle (fast 0.500 cores and slow 0.500 cores" in text
    assert "Transactions continued into the measured part of the next window" in text
    assert "not shown to differ" in text


def test_a_damaged_block_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    folder = write_interleaved_run(tmp_path / "run", SyntheticBlock())
    (folder / "blocks/block-001/block.json").write_text("{")
    run = open_run(folder)
    assert len(run.blocks) == 1 and "block.json is damaged" in run.problems[0]
    assert "1 planned block not complete: block-001." in write_html(folder).read_text()
