"""Figures of finished trials: computed once, and never believed where they may be of something else."""

import ast
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_run import Matrix, Recipe, write_run

from fivenines.analysis import figure_cache, trials
from fivenines.analysis.availability.traces import LINES
from fivenines.analysis.cells import analyse
from fivenines.analysis.listening import listening
from fivenines.analysis.performance.steady import STEADY
from fivenines.analysis.replication.lag import CURVES, FIGURES
from fivenines.analysis.resources.counted import COUNTED
from fivenines.analysis.resources.links import LINKS
from fivenines.analysis.resources.sampled import SAMPLED, WATCHED
from fivenines.analysis.resources.side_by_side import USE
from fivenines.analysis.trials import MEASURES, TrialMeasures, measure_all, measures
from fivenines.report.export.documents import tables
from fivenines.results import cache, figure_store, layout
from fivenines.results.codec import codec_of
from fivenines.results.store import open_run

KINDS: list[figure_cache.Kind[Any]] = [
    *(MEASURES, FIGURES, LINKS, SAMPLED, USE),
    *(STEADY, COUNTED, LINES, CURVES, WATCHED),
]
MATRIX = Matrix([Recipe("a", sampled="mariadb", views=True, known=True, lost=2)], trials=2)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("kept") / "run", MATRIX)


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "run"))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The trials whose tables were read for their measures."""
    result: list[str] = []

    def counted(some: trials.Sequence[trials.StoredTrial]) -> list[TrialMeasures]:
        result.extend(item.folder.name for item in some)
        return measure_all(some)

    monkeypatch.setattr(trials, "measure_all", counted)
    return result


def tps(folder: Path) -> list[float]:
    return [measure.throughput.tps for measure in measures(open_run(folder).complete) if measure.throughput]


def test_the_second_time_no_table_of_a_trial_is_read(run: Path) -> None:
    first = tables(run, "json")
    for path in run.glob("trials/*/*"):
        if path.suffix in (".parquet", ".hlog"):
            known = path.stat()
            path.write_bytes(b"x" * known.st_size)
            os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert tables(run, "json") == first


def test_only_what_is_new_is_computed(run: Path, computed: list[str]) -> None:
    last = run / "trials" / "0002"
    last.rename(run / "elsewhere")
    tps(run)
    (run / "elsewhere").rename(last)
    tps(run)
    tps(run)
    assert computed == ["0001", "0002"]


def test_a_trial_with_another_file_is_computed_anew(run: Path, computed: list[str]) -> None:
    before = tps(run)
    shutil.copy2(run / "trials/0001/timeline.parquet", run / "trials/0002/timeline.parquet")
    after = tps(run)
    assert computed == ["0001", "0002", "0002"]
    assert before[0] == after[0] == after[1] != before[1]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data.replace(b"1", b"2"),
        lambda data: data[: data.index(b"\n") + 1] + b"\x00" * 40,
        lambda data: b"\xff" * len(data),
    ],
)
def test_what_is_damaged_is_computed_anew(
    run: Path, computed: list[str], spoil: Callable[[bytes], bytes]
) -> None:
    before = tps(run)
    store = run / "cache" / "figures.sqlite"
    store.write_bytes(spoil(store.read_bytes()))
    assert tps(run) == before
    once = len(computed)
    assert tps(run) == before
    assert len(computed) == once, "it is whole again"


@pytest.mark.parametrize("column", ["data", "checksum", "key"])
def test_a_damaged_row_is_computed_anew(run: Path, computed: list[str], column: str) -> None:
    before = tps(run)
    with closing(sqlite3.connect(run / "cache" / "figures.sqlite")) as store, store:
        store.execute(f"UPDATE figures SET {column} = CAST({column} || 'x' AS BLOB) WHERE trial = '0002'")
    assert tps(run) == before
    assert computed == ["0001", "0002", "0002"]
    tps(run)
    assert len(computed) == 3, "it is whole again"


def test_a_store_of_another_version_and_older_entries_are_replaced(run: Path, computed: list[str]) -> None:
    folder = run / layout.CACHE
    folder.mkdir()
    assert cache.write(folder / "0001.measures", "key", b"figures")
    assert cache.write(folder / "drawings", "key", b"drawings")
    (folder / "notes.txt").write_text("of a user")
    tps(run)
    assert {path.name for path in folder.iterdir()} == {"drawings", "figures.sqlite", "notes.txt"}
    with closing(sqlite3.connect(folder / "figures.sqlite")) as store, store:
        store.execute("ALTER TABLE figures RENAME COLUMN checksum TO sum")
    tps(run)
    tps(run)
    assert computed == ["0001", "0002"] * 2


def test_each_kind_that_reports_need_is_computed_at_once(run: Path) -> None:
    tps(run)
    with closing(sqlite3.connect(run / "cache" / "figures.sqlite")) as store:
        kinds = store.execute("SELECT DISTINCT kind FROM figures").fetchall()
    assert {kind for (kind,) in kinds} == {kind.name for kind in (MEASURES, FIGURES, SAMPLED, USE, LINKS)}


def test_within_one_look_files_are_looked_at_once(run: Path, computed: list[str]) -> None:
    with figure_cache.one_look():
        tps(run)
        os.utime(run / "trials/0001/timeline.parquet", ns=(1, 1))
        tps(run)
    assert computed == ["0001", "0002"]
    tps(run)
    assert computed == ["0001", "0002", "0001"]


def stale(folder: Path) -> list[int | None]:
    return [measure.stale for measure in measures(open_run(folder).complete)]


def test_what_could_not_be_read_takes_nothing_along_and_is_not_kept(run: Path) -> None:
    before = stale(run), tps(run)
    assert all(item is not None for item in before[0])
    shutil.rmtree(run / layout.CACHE)
    spoilt = [run / "trials/0001" / f"{name}.parquet" for name in ("ledger", "timeline")]
    whole = [(path, path.read_bytes(), path.stat()) for path in spoilt]
    for path, data, known in whole:
        path.write_bytes(b"x" * len(data))
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert stale(run) == [None, before[0][1]], "the neighbour is read all the same"
    assert tps(run) == before[1][1:]
    # what stood in the way is gone, and no file's name, size or time tells of it
    for path, data, known in whole:
        path.write_bytes(data)
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert (stale(run), tps(run)) == before


def test_the_program_is_that_of_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    before = figure_cache.program()
    monkeypatch.setattr(figure_cache, "sources", list)
    assert figure_cache.program() == before


def test_entries_of_another_trial_are_not_believed(run: Path) -> None:
    before = tps(run)
    with closing(sqlite3.connect(run / "cache" / "figures.sqlite")) as store, store:
        store.execute(
            "UPDATE figures SET data = first.data, checksum = first.checksum FROM figures AS first"
            " WHERE figures.trial = '0002' AND first.trial = '0001' AND figures.kind = first.kind"
        )
    assert tps(run) == before


def test_another_program_or_library_computes_anew(
    run: Path, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tps(run)
    monkeypatch.setattr(figure_cache, "program", lambda: "another")
    tps(run)
    assert computed == ["0001", "0002"] * 2


def test_without_the_cache_nothing_is_lost(run: Path) -> None:
    first = tables(run, "md")
    shutil.rmtree(run / layout.CACHE)
    assert tables(run, "md") == first


def test_where_nothing_can_be_written_figures_stay_in_memory(run: Path, computed: list[str]) -> None:
    # a file in the place of the folder: it holds for root, too
    (run / layout.CACHE).write_text("in the way")
    assert tps(run) == tps(run)
    assert computed == ["0001", "0002"]
    assert (run / layout.CACHE).read_text() == "in the way"


def test_trials_outside_of_runs_are_kept_nowhere(run: Path, tmp_path: Path) -> None:
    away = Path(shutil.copytree(run / "trials/0001", tmp_path / "away" / "0001"))
    (trial, _) = open_run(run).complete
    assert len(measures([replace(trial, folder=away)])) == 1
    assert [path.name for path in away.parent.iterdir()] == ["0001"]


def test_the_cache_is_no_trial(run: Path) -> None:
    cells = analyse(open_run(run))
    again = open_run(run)
    assert [path.name for path in (run / layout.CACHE).iterdir()] == ["figures.sqlite"]
    assert [trial.record.id for trial in again.trials] == ["0001", "0002"]
    assert again.problems == []
    assert [cell.complete for cell in cells] == [2]


def test_two_processes_at_once_leave_whole_entries(run: Path) -> None:
    code = (
        "import sys, pathlib; from fivenines.report.export.documents import tables;"
        "print(tables(pathlib.Path(sys.argv[1]), 'csv'))"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(run)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    first, second = (item.communicate(timeout=120)[0] for item in both)
    assert first == second == tables(run, "csv") + "\n"
    assert not list((run / layout.CACHE).glob(".*"))
    keys = {name: cache.key_of(run / "trials" / name, figure_cache.program()) for name in ("0001", "0002")}
    assert figure_store.read(run, MEASURES.name, keys).keys() == keys.keys()


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_only_what_was_written_under_a_key_comes_back(data: bytes, noise: bytes) -> None:
    import tempfile  # noqa: PLC0415  (hypothesis wants a folder for each example)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache" / "0001.x"
        assert cache.write(path, "key", data)
        assert cache.read(path, "key") == data
        assert cache.read(path, "other") is None
        path.write_bytes(path.read_bytes() + noise)
        assert cache.read(path, "key") == (None if noise else data)


def test_all_that_is_kept_can_be_written(run: Path) -> None:
    complete = open_run(run).complete
    for kind in KINDS:
        codec_of(kind.shape)
        assert len(list(figure_cache.cached(kind, complete))) == 2
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_computing_is_told_and_kept_figures_are_not(run: Path) -> None:
    messages: list[tuple[int, int]] = []
    with listening(lambda done, total: messages.append((done, total))):
        tps(run)
        assert messages == [(2, 2)]
        tps(run)
    tps(run)
    assert messages == [(2, 2)]


def test_the_program_is_all_code_that_figures_are_computed_by() -> None:
    """The key covers all modules that the kinds' modules import, directly or indirectly."""
    modules = {sys.modules[kind.compute.__module__].__file__ for kind in KINDS}
    open_files = [Path(name) for name in modules if name]
    reached: set[Path] = set()
    while open_files:
        file = open_files.pop()
        if file not in reached:
            reached.add(file)
            open_files += _imported(file)
    assert len(reached) > 40
    assert reached <= set(figure_cache.sources())


def _imported(file: Path) -> list[Path]:
    names = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names += [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{item.name}" for item in node.names)]
    root = Path(figure_cache.__file__).parents[2]
    places = [root.joinpath(*name.split(".")) for name in names if name.startswith("fivenines")]
    result = [place.with_suffix(".py") for place in places] + [place / "__init__.py" for place in places]
    return [path for path in result if path.is_file()]
