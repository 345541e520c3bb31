"""Reading and writing of run folders, and the errors for damaged or foreign ones."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from synthetic_run import QUICKSTART, write_broken, write_run

from fivenines.base.errors import FiveninesError
from fivenines.results import layout, store
from fivenines.results.records import FORMAT


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "quick", QUICKSTART)


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "run"))


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_run_is_read(run: Path) -> None:
    result = store.open_run(run)
    assert [trial.record.id for trial in result.complete] == [f"000{n}" for n in range(1, 7)]
    assert (result.broken, result.missing, result.problems) == ([], [], [])
    assert result.manifest.engines == {"mariadb-10.11": "10.11.14-MariaDB-0+deb12u2"}
    assert store.opened(result) is result
    assert store.opened(run) == result


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError) as caught:
        store.open_run(tmp_path / "nowhere")
    assert str(caught.value) == f"{tmp_path}/nowhere: no such folder"


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError) as caught:
        store.open_run(tmp_path)
    assert str(caught.value) == f"{tmp_path} is not a run of fivenines: it has no manifest.json"


def test_a_newer_version(run: Path) -> None:
    edit(run / layout.MANIFEST, format=FORMAT + 1, fivenines="9.0")
    with pytest.raises(FiveninesError) as caught:
        store.open_run(run)
    assert str(caught.value) == (
        f"{run}: written by fivenines 9.0 in format {FORMAT + 1}, but this fivenines 0.1.0 reads format"
        f" {FORMAT}; update fivenines"
    )


@pytest.mark.parametrize(("version", "writer"), [(1, "0.0.3"), (3, "0.1.0")])
def test_a_run_of_an_older_version_must_be_made_again(run: Path, version: int, writer: str) -> None:
    edit(run / layout.MANIFEST, format=version, fivenines=writer)
    with pytest.raises(FiveninesError) as caught:
        store.open_run(run)
    assert str(caught.value) == (
        f"{run}: written by fivenines {writer} in format {version}, but this fivenines 0.1.0 reads format 4;"
        " fivenines 0.1.0 was never released, so make the run again in another folder"
    )


def test_no_version(run: Path) -> None:
    (run / layout.MANIFEST).write_text("{}")
    with pytest.raises(FiveninesError, match="written by an unknown version without a format version"):
        store.open_run(run)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "manifest.json is damaged: Expecting"),
        ("[]", "it contains no JSON object"),
        (f'{{"format": {FORMAT}}}', "manifest.json is damaged: fivenines: Field required"),
    ],
)
def test_a_damaged_manifest(run: Path, text: str, message: str) -> None:
    (run / layout.MANIFEST).write_text(text)
    with pytest.raises(FiveninesError, match=message):
        store.open_run(run)


def test_broken_trials_stay_next_to_their_successful_retry(run: Path) -> None:
    planned = store.open_run(run).manifest.plan[0]
    write_broken(run, planned, "the server did not start")
    result = store.open_run(run)
    assert [trial.folder.name for trial in result.broken] == [f"{planned.id}.broken-1"]
    assert result.broken[0].record.reason == "the server did not start"
    assert len(result.complete) == 6
    assert len(result.trials) == 7


def test_an_interrupted_or_damaged_trial_counts_as_broken(run: Path) -> None:
    (run / layout.TRIALS / "0001" / layout.TRIAL).unlink()
    (run / layout.TRIALS / "0002" / layout.TRIAL).write_text('{"format": 1}')
    result = store.open_run(run)
    assert [trial.id for trial in result.missing] == sorted_by_plan(result, {"0001", "0002"})
    reasons = {trial.record.id: trial.record.reason for trial in result.broken}
    assert "does not exist; the trial was probably interrupted" in reasons["0001"]
    assert "is damaged: id: Field required" in reasons["0002"]
    assert reasons.keys() == {"0001", "0002"}


def test_unknown_and_unfinished_folders(run: Path) -> None:
    (run / layout.TRIALS / "9999").mkdir()
    (run / layout.TRIALS / ".0007.part").mkdir()
    result = store.open_run(run)
    assert len(result.complete) == 6
    assert len(result.problems) == 1
    assert "the trial is not in the plan" in result.problems[0]


def test_query_spans_trials(run: Path) -> None:
    result = store.open_run(run)
    columns = store.query(
        result.complete, "timeline", "SELECT trial, count(*) AS n FROM rows GROUP BY trial ORDER BY 1"
    )
    assert columns["trial"].tolist() == [trial.record.id for trial in result.complete]
    assert columns["n"].min() > 1000
    item = store.query(result.complete[:1], "timeline", "SELECT max(slot_ms) AS last FROM rows")
    assert item["last"].tolist() == [14990]


def test_query_without_any_table_is_empty(run: Path) -> None:
    result = store.open_run(run)
    assert len(store.query(result.complete, "hosts", "SELECT trial, host FROM rows")["host"]) == 0
    assert len(store.query([], "timeline", "SELECT slot_ms FROM rows")["slot_ms"]) == 0


def test_a_damaged_table_is_named(run: Path) -> None:
    first = store.open_run(run).complete[0]
    path = store.table_path(first.folder, "timeline")
    path.write_bytes(b"PAR1 this is none")
    with pytest.raises(FiveninesError, match=r"0001/timeline.parquet cannot be read"):
        store.query([first], "timeline", "SELECT * FROM rows")


def test_text_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    store.write_text(path, "one\n")
    with pytest.raises(UnicodeEncodeError):
        store.write_text(path, "two\ud800")
    assert path.read_text() == "one\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="cannot be written: No such file or directory"):
        store.write_text(tmp_path / "no" / "a.txt", "x")


def test_json_of_records_and_plain_data(tmp_path: Path) -> None:
    store.write_json(tmp_path / "a.json", {"name": "Fünf"})
    assert (tmp_path / "a.json").read_text() == '{\n "name": "Fünf"\n}\n'


HEADER = ",".join(layout.TABLES["hosts"]) + "\n"
MIXED = "host,t_ms,net_sent_bytes,net_received_bytes,disk_written_bytes,disk_read_bytes,"
MIXED += "memory_bytes,cpu_cores\n"


def test_csv_becomes_parquet_in_the_order_of_the_layout(tmp_path: Path) -> None:
    csv, parquet = tmp_path / "hosts.csv", tmp_path / "hosts.parquet"
    csv.write_text(MIXED + '"a,b",0.5,4,3,2,1,9000000000,\nc,1,,,,,2,0.25\n')
    assert store.csv_to_parquet(csv, parquet, "hosts") == 2
    rows = duckdb.sql(f"SELECT * FROM '{parquet}'")
    assert rows is not None
    assert dict(zip(rows.columns, map(str, rows.types), strict=True)) == layout.TABLES["hosts"]
    assert rows.fetchall() == [
        (0.5, "a,b", None, 9_000_000_000, 1, 2, 3, 4),
        (1.0, "c", 0.25, 2, None, None, None, None),
    ]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["hosts.csv", "hosts.parquet"]


def test_a_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "hosts.csv").write_text(HEADER)
    assert store.csv_to_parquet(tmp_path / "hosts.csv", tmp_path / "h.parquet", "hosts") == 0
    assert (tmp_path / "h.parquet").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the header has no columns; the table hosts has t_ms, host, cpu_cores, memory_bytes"),
        ("t_ms,host\n", "the header has t_ms, host; the table hosts has"),
        (HEADER + "soon,a,1,2,3,4,5,6\n", "cannot be converted to"),
        (HEADER + "1,a,1\n", "cannot be converted to"),
    ],
)
def test_a_csv_that_does_not_fit(tmp_path: Path, text: str, message: str) -> None:
    csv, parquet = tmp_path / "hosts.csv", tmp_path / "hosts.parquet"
    csv.write_text(text)
    with pytest.raises(FiveninesError, match=message):
        store.csv_to_parquet(csv, parquet, "hosts")
    assert not parquet.exists()


def test_a_csv_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FiveninesError, match="cannot be read: No such file"):
        store.csv_to_parquet(tmp_path / "no.csv", tmp_path / "no.parquet", "hosts")


def sorted_by_plan(run: store.Run, ids: set[str]) -> list[str]:
    return [planned.id for planned in run.manifest.plan if planned.id in ids]
