"""The chapter on client stacks: sentences, the matrix, the picture, and what it warns of."""

from pathlib import Path

import pytest
from synthetic_run import Matrix, Recipe, write_run
from synthetic_stacks import Planted, add_stacks, add_stacks_to

from fivenines.analysis.performance.sweeps import compared
from fivenines.analysis.wording import NOTHING
from fivenines.report.chapters.availability import applications
from fivenines.report.chapters.data import Data
from fivenines.report.export.documents import tables
from fivenines.report.html.section import Section
from fivenines.report.terminal.terminal import blocks
from fivenines.results.store import open_run

STACKS = (
    Planted("a", (None, None), kept=2),
    Planted("a:recommended", (2.0, 3.0), pool=[(-0.5, 0, 2, 2), (0.5, 2, 0, 2), (2.5, 0, 2, 4)]),
    Planted("b", (1.0, 1.0), twice=1, lost=2),
    Planted("c", (1.0, None)),
    Planted("d", died=0.5),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_run(
        tmp_path_factory.mktemp("stacks") / "run",
        Matrix([Recipe("alpha"), Recipe("beta")], faults=["kill", "freeze"], trials=2),
    )
    add_stacks(folder, STACKS)
    return folder


def _chapter(run: Path) -> Section:
    opened = open_run(run)
    return applications.chapter(Data(opened, compared(opened)))


def _sentences(run: Path) -> list[str]:
    opened = open_run(run)
    data = Data(opened, compared(opened))
    return [answer.text for answer in applications.application_answers(data.cells, data.names)]


def test_a_sentence_says_who_came_back_and_who_did_not(run: Path) -> None:
    said = _sentences(run)
    first = said[0]
    assert first.startswith("alpha, fault kill: outage of the load: ")
    assert "3 of 5 client stacks recovered after " in first and "(b) to " in first
    assert "not recovered at the end: a (in 2 of 2 trials) and d (in 2 of 2 trials)" in first
    assert "recovered without all workers: c (2 of 2 trials)" in first
    better = [text for text in said if "with the recommended settings" in text]
    assert len(better) == 4 and "a:recommended" in better[0]


def test_the_matrix_has_stacks_as_rows_and_faults_as_columns(run: Path) -> None:
    first, second = _chapter(run).tables
    assert "alpha" in first.caption and "beta" in second.caption
    assert first.columns == ["Client stack", "fault kill", "fault freeze"]
    cells = {row[0]: row[1] for row in first.rows}
    assert next(iter(cells)) == applications.LOAD
    assert cells["a"].startswith("at least ") and "(not ended in 2 of 2 trials)" in cells["a"]
    assert "without all workers (2 of 2)" in cells["c"]
    assert "its program ended (2 of 2)" in cells["d"]
    assert cells["a:recommended"].endswith(" s") and "at least" not in cells["a:recommended"]


def test_the_picture_has_every_stack(run: Path) -> None:
    chapter = _chapter(run)
    assert len(chapter.every_figure) == 4
    drawn = str(chapter.figures[0].svg)
    assert all(one.name in drawn for one in STACKS) and "the load writes again" in drawn


def test_details_count_rows_errors_and_settings(run: Path) -> None:
    details, pools, errors, programs = (drawer.tables[0] for drawer in _chapter(run).drawers if drawer.tables)
    row = next(row for row in details.rows if row[2] == "b")
    assert row[-3:] == ["2", "2", "4"]
    assert ["alpha", "fault kill", "a:recommended", "2 of 2", "0 to 2"] in [row[:5] for row in pools.rows]
    assert {row[2] for row in pools.rows} == {"a:recommended"}, "the others have no samples"
    assert ["alpha", "fault kill", "a", "acquire", "refused"] in [row[:5] for row in errors.rows]
    assert ["a:recommended", "driver 1.0", "pool.timeout=5"] in [row[:3] for row in programs.rows]


def test_rows_that_were_not_read_are_a_caution(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Matrix([Recipe("alpha")], trials=1))
    add_stacks(folder, [Planted("a", unread="server is away", lost=3)])
    chapter = _chapter(folder)
    assert chapter.cautions == ["0001: rows of a: server is away"]
    (details, *_) = (drawer.tables[0] for drawer in chapter.drawers if drawer.tables)
    assert details.rows[0][-3:] == [NOTHING] * 3


def test_the_sentences_are_in_every_form_of_the_results(run: Path) -> None:
    first = _sentences(run)[0]
    markdown = tables(run, "md")
    assert first in markdown and '"stacks"' in tables(run, "json")
    assert all(table.markdown() in markdown for table in _chapter(run).every_table)
    (block,) = (block for block in blocks(run, 100) if first in block.lines)
    assert len(block.lines) == 3 and block.lines[-1].endswith("more sentences on client stacks in the report")


def test_cells_in_which_stacks_did_not_recover_come_first(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", Matrix([Recipe("alpha"), Recipe("beta")], trials=1))
    add_stacks(folder, [Planted("a"), Planted("b")])
    beta = [trial for trial in open_run(folder).complete if trial.record.cell.solution == "beta"]
    add_stacks_to(beta, [Planted("a"), Planted("b", (None, None))])
    assert [text.partition(":")[0] for text in _sentences(folder)] == ["beta", "alpha"]


def test_a_run_without_stacks_has_no_such_chapter(tmp_path: Path) -> None:
    assert not _chapter(write_run(tmp_path / "run", Matrix([Recipe("alpha")], trials=1))).filled
