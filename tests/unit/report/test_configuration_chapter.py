"""The chapter with the configuration files of a run, and the exports."""

import json
from pathlib import Path

import pytest
from synthetic_run import SIDE_BY_SIDE, write_run

from fivenines.analysis.configuration import READ_BACK, of_run, with_read_back
from fivenines.analysis.performance.sweeps import compared
from fivenines.report import tables, write_html
from fivenines.report.chapters.configuration import chapter
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Section
from fivenines.results import layout, store
from fivenines.results.configuration import Configuration, ConfigurationFile, keep
from fivenines.results.store import Run, open_run


def _configuration(text: str) -> Configuration:
    file = {
        "path": "/run/node/conf/my.cnf",
        "text": f"[mysqld]\n{text}",
        "marks": {2: "an address in the lab"},
    }
    return Configuration(
        files=[ConfigurationFile.model_validate({**file, "host": host}) for host in ("node1", "node2")]
    )


def _with_files(folder: Path, *differing: str) -> Run:
    """Return a run whose solutions have these lines, one after another."""
    solutions: dict[str, str] = {}
    for trial in open_run(write_run(folder, SIDE_BY_SIDE)).complete:
        name = trial.record.cell.solution
        line = solutions.setdefault(name, differing[min(len(solutions), len(differing) - 1)])
        configuration = _configuration(f"bind=10.99.0.11\n{line}")
        keep(folder, configuration)
        assert trial.record.deployment is not None
        deployment = trial.record.deployment.model_copy(update={"configuration": configuration.digest})
        store.write_json(
            trial.folder / layout.TRIAL, trial.record.model_copy(update={"deployment": deployment})
        )
    return open_run(folder)


def _chapter(run: Run) -> Section:
    return chapter(Data(run, compared(run)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return _with_files(tmp_path_factory.mktemp("files") / "run", "sync=1  5 s\n", "sync=0\n")


def test_differences_come_before_the_files(run: Run) -> None:
    section = _chapter(run)
    titles = [drawer.title for drawer in section.drawers]
    assert titles[0].startswith("Settings in which ")
    assert titles[1:-1] == [f"Files of {name}" for name in of_run(run)]
    (table,) = section.drawers[0].tables
    assert table.columns == ["Setting", *of_run(run)]
    assert table.caption.startswith("my.cnf of ") and [row[0] for row in table.rows] == ["mysqld.sync"]
    assert section.texts[0] == "The solutions differ in 1 setting of their files."


def test_equal_files_are_shown_once_as_they_are(run: Run, tmp_path: Path) -> None:
    (source, *_) = [drawer.source for drawer in _chapter(run).drawers if drawer.source]
    assert source.startswith("==> node1, node2: /run/node/conf/my.cnf <==\n[mysqld]\n")
    assert "bind=10.99.0.11 # set by fivenines for measuring: an address in the lab\n" in source
    page = write_html(run, tmp_path / "report.html").read_text()
    assert "sync=1  5 s" in page, "a file keeps its plain spaces"
    assert page.index('id="configuration"') < page.index('id="settings"')


def test_exports_have_them(run: Run) -> None:
    assert "mysqld.sync" in tables(run, "md")
    files = json.loads(tables(run, "json"))["configuration"]
    assert list(files) == list(of_run(run))
    assert next(iter(files.values()))[0]["path"] == "/run/node/conf/my.cnf"


def test_equal_solutions_have_no_table_of_differences(tmp_path: Path) -> None:
    section = _chapter(_with_files(tmp_path / "run", "sync=1\n"))
    assert all(drawer.title.startswith(("Files of", "How to")) for drawer in section.drawers)


def test_a_run_without_files_has_no_chapter(tmp_path: Path) -> None:
    run = open_run(write_run(tmp_path / "run", SIDE_BY_SIDE))
    assert not _chapter(run).filled
    reported = with_read_back(run)
    assert {file.path for one in reported.values() for file in one.files} <= {READ_BACK}
