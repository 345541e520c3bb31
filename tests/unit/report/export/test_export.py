"""Exported files have every trial, the report's figures, and no lower bound in a column of values."""

import json
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb
import pytest
from synthetic_clients import run_of_two_clients
from synthetic_run import END, MARIADB, TRUTH, Matrix, Recipe, write_run

from fivenines.analysis.cells import analyse
from fivenines.analysis.measured import EVENTS, VALUES
from fivenines.analysis.measures.measures import MEASURES
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.report import tables
from fivenines.report.export.columns import ExportTable
from fivenines.report.export.file import export
from fivenines.report.export.tables import TABLES
from fivenines.results import layout, store
from fivenines.results.store import open_run

PLANTED = Matrix(
    [
        Recipe("sound", outage=4000.0, sampled="mariadb", known=True),
        Recipe("lossy", outage=5000.0, lost=3, gone=1, waits=900.0),
    ],
    trials=3,
    broken=1,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("runs") / "planted", PLANTED)


@pytest.fixture(scope="module")
def exported(run: Path) -> Path:
    to = run.parent / "planted.duckdb"
    export([open_run(run)], to)
    return to


def _rows(file: Path, sql: str) -> list[dict[str, Any]]:
    with duckdb.connect(str(file), read_only=True) as connection:
        found = connection.execute(sql)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_every_duckdb_since_1_0_can_open_the_file(exported: Path) -> None:
    """Storage format 64 is that of DuckDB 0.10 to 1.1; the default of 2.0 is another one."""
    head = exported.read_bytes()[:20]
    assert head[8:12] == b"DUCK"
    assert int.from_bytes(head[12:20], "little") == 64


def test_what_contradicts_only_the_order_of_time_has_its_own_column(run: Path, tmp_path: Path) -> None:
    sql = "SELECT DISTINCT isolation_anomalies AS i, real_time_anomalies AS t FROM trials ORDER BY ALL"
    for folder, expected in (
        (write_run(tmp_path / "run", TRUTH), [{"i": 0, "t": 0}, {"i": 5, "t": 3}]),
        (run, [{"i": None, "t": None}]),
    ):
        file = tmp_path / f"{folder.name}.duckdb"
        export([open_run(folder)], file)
        assert _rows(file, sql) == expected


def test_a_parquet_file_has_the_types_that_the_reference_promises(run: Path, tmp_path: Path) -> None:
    """No time has nanoseconds and a time zone: DuckDB 2.0 reads those as another type than 1.4."""
    for name, table in TABLES.items():
        file = tmp_path / f"{name}.parquet"
        export([open_run(run)], file, name)
        with duckdb.connect() as connection:
            read = connection.execute(f"DESCRIBE SELECT * FROM '{file}'").fetchall()
        assert [(column[0], column[1]) for column in read] == [
            (column.name, column.type) for column in table.columns
        ]


def test_no_trial_is_left_out(run: Path, exported: Path) -> None:
    found = _rows(
        exported,
        "SELECT status, count(*) AS n, any_value(reason) AS reason FROM trials"
        " GROUP BY status ORDER BY status",
    )
    assert [(one["status"], one["n"]) for one in found] == [("broken", 1), ("complete", 5)]
    assert "could not bind" in found[0]["reason"]


def test_a_planned_trial_without_an_attempt_is_missing(run: Path, tmp_path: Path) -> None:
    opened = open_run(run)
    planned = opened.manifest.plan[0].model_copy(update={"id": "9999", "number": 9})
    manifest = opened.manifest.model_copy(update={"plan": [*opened.manifest.plan, planned]})
    more = store.Run(opened.folder, manifest, opened.complete, opened.broken)
    export([more], tmp_path / "x.parquet")
    (row,) = _parquet(tmp_path / "x.parquet", "WHERE status = 'missing'")
    assert row["trial"] == "9999" and row["tps"] is None and row["solution"] == planned.cell.solution


def _parquet(file: Path, where: str = "") -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM read_parquet(?) {where}", [str(file)])
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_a_bound_is_never_a_value(exported: Path) -> None:
    """One trial did not recover: every unfinished period is a bound, in every table."""
    (gone,) = _rows(
        exported, "SELECT * FROM trials WHERE status = 'complete' AND solution = 'lossy' AND number = 1"
    )
    seen = END - gone["fault_at_ms"]
    for name in ("outage_writes", "outage_writes_total", "failover"):
        assert gone[f"{name}_ms"] is None and gone[f"{name}_is_bound"] is True
        assert gone[f"{name}_at_least_ms"] == pytest.approx(seen, abs=20)
    assert gone["not_recovered"] is True
    (fault,) = _rows(exported, f"SELECT * FROM faults WHERE trial = '{gone['trial']}'")
    assert fault["failover_ms"] is None and fault["failover_is_bound"]
    assert [name for name in fault if name.startswith("phase_") and fault[name] is True]
    spans = _rows(
        exported, f"SELECT * FROM interruptions WHERE trial = '{gone['trial']}' AND service = 'writes'"
    )
    assert spans and all(one["length_is_bound"] and one["length_ms"] is None for one in spans)


def test_a_complete_value_is_also_the_bound(exported: Path) -> None:
    rows = _rows(exported, "SELECT * FROM trials WHERE solution = 'sound' AND status = 'complete'")
    for one in rows:
        assert one["outage_writes_is_bound"] is False
        assert one["outage_writes_ms"] == one["outage_writes_at_least_ms"]


def test_no_row_has_both_a_value_and_a_bound(exported: Path) -> None:
    for table in TABLES.values():
        names = {one.name for one in table.columns}
        for name in [one for one in names if one.endswith("_is_bound")]:
            stem = name.removesuffix("_is_bound")
            (value,) = (
                {one for one in names if one.startswith(f"{stem}_")}
                - {one for one in names if one.startswith(f"{stem}_at_least_")}
                - {name}
                - {one for one in names if one.startswith(f"{stem}_total") or one.endswith("_noticed")}
            )
            wrong = _rows(exported, f"SELECT 1 FROM {table.name} WHERE {name} AND {value} IS NOT NULL")
            assert wrong == [], f"{table.name}.{value}"


def test_means_of_the_file_are_those_of_the_report(run: Path, exported: Path) -> None:
    report = {one["solution"]: one for one in json.loads(tables(run, "json"))["cells"]}
    found = _rows(
        exported,
        """
        SELECT solution, avg(tps) AS tps, avg(latency_p99_ms) AS p99, avg(deployment_s) AS deployment,
               avg(outage_writes_at_least_ms) AS outage, count(*) FILTER (outage_writes_is_bound) AS bounds,
               sum(lost_rows) AS lost, avg(interruptions_writes) AS interruptions,
               sum(in_doubt_writes) AS doubt
        FROM trials WHERE status = 'complete' GROUP BY solution
    """,
    )
    for one in found:
        cell = report[one["solution"]]
        assert one["tps"] == pytest.approx(cell["tps"]["mean"])
        assert one["p99"] == pytest.approx(cell["latency_p99_ms"]["mean"])
        assert one["deployment"] == pytest.approx(cell["deployment_s"]["mean"])
        assert one["outage"] == pytest.approx(cell["outage_writes_ms"]["mean"])
        assert one["bounds"] == cell["outage_writes_ms"]["bounds"]
        assert one["interruptions"] == pytest.approx(cell["interruptions_writes"]["mean"])
        assert (one["lost"], one["doubt"]) == (cell["loss"]["total"], cell["in_doubt"])
    assert {one["solution"] for one in found} == {"sound", "lossy"}


def test_phases_are_those_of_the_report(run: Path, exported: Path) -> None:
    for cell in analyse(open_run(run)):
        for phase in cell.faults[0].phases if cell.faults else []:
            column = f"phase_{phase.name.replace(' ', '_')}_at_least_ms"
            (found,) = _rows(
                exported,
                f"SELECT avg({column}) AS ms, count({column}) AS n FROM faults"
                f" JOIN trials USING (run, trial) WHERE solution = '{cell.key.solution}'"
                " AND status = 'complete'",
            )
            trials = [t.faults[0].failover.phase(phase.name) for t in cell.trials]
            known = [one.ms for one in trials if one]
            assert found["n"] == len(known)
            assert found["ms"] is None or found["ms"] == pytest.approx(sum(known) / len(known))


def test_seconds_add_up_to_the_throughput_and_count_from_the_fault(exported: Path) -> None:
    whole = _rows(
        exported,
        """
        SELECT trial, any_value(tps_trial) AS whole_tps, sum(transactions_ok) / 4 AS tps,
               count(*) FILTER (transactions_ok = 0 AND from_fault_s > 0) AS silent
        FROM (SELECT s.*, t.tps AS tps_trial FROM seconds s JOIN trials t USING (run, trial)
              WHERE status = 'complete' AND second BETWEEN 1 AND 4) GROUP BY trial
    """,
    )
    assert len(whole) == 5
    assert all(one["tps"] == pytest.approx(one["whole_tps"]) for one in whole)
    rows = _rows(
        exported,
        "SELECT seconds.*, fault_at_ms FROM seconds JOIN trials USING (run, trial)"
        " WHERE solution = 'sound' AND status = 'complete' ORDER BY second",
    )
    for one in rows:
        assert one["from_fault_s"] == pytest.approx(one["second"] - one["fault_at_ms"] / 1000)
    away = [one for one in rows if 1 <= one["from_fault_s"] < 2.8]
    assert away and all(one["transactions_ok"] == 0 and one["tps"] == 0 for one in away)


def test_histograms_give_the_percentiles_of_the_trial(exported: Path) -> None:
    trials = _rows(
        exported,
        "SELECT * FROM trials JOIN latencies USING (run, trial)"
        " WHERE status = 'complete' AND kind = 'transaction'"
        " AND part = 'steady'",
    )
    assert len(trials) == 5
    for one in trials:
        assert sum(one["counts"]) == one["n"] == one["transactions"]
        rank = max(1, int(0.99 * one["n"] + 0.5))
        us = one["highest_us"][bisect_left(list(accumulate(one["counts"])), rank)]
        assert us / 1000 == pytest.approx(one["latency_p99_ms"])


def test_every_measure_has_its_column() -> None:
    names = {one.name for table in ("trials", "faults") for one in TABLES[table].columns}
    for name, one in MEASURES.items():
        # An estimate is no value of a trial.
        assert one.kind == "estimate" or {one.key, f"{one.key}_ms"} & names, f"{name} is not exported"
    assert set(MEASURES) == {*VALUES, *EVENTS, "hosts", "cost", "availability"}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_names_are_unique_and_everything_is_described(table: ExportTable[Any]) -> None:
    names = [one.name for one in table.columns]
    assert len(names) == len(set(names))
    assert all(one.meaning and "|" not in one.meaning for one in table.columns)


def test_the_file_describes_its_tables(exported: Path) -> None:
    comments = _rows(exported, "SELECT table_name, column_name, comment FROM duckdb_columns()")
    wanted = {(table.name, one.name) for table in TABLES.values() for one in table.columns}
    assert {(one["table_name"], one["column_name"]) for one in comments if one["comment"]} == wanted


def test_settings_are_those_of_the_cell_alone(exported: Path) -> None:
    rows = _rows(
        exported,
        "SELECT solution, settings->>'$.solution.name' AS name,"
        " settings->>'$.timing.steady' AS steady, engine_version, cores"
        " FROM trials",
    )
    assert all(one["name"] == one["solution"] and one["steady"] == "4s" for one in rows)
    assert {(one["engine_version"], one["cores"]) for one in rows} == {("10.11.14-MariaDB-0+deb12u2", 2)}


def test_several_runs_keep_their_names_and_machines(run: Path, tmp_path: Path) -> None:
    other = write_run(tmp_path / "planted", Matrix([Recipe("sound")], trials=1, seed=5))
    to = tmp_path / "both.duckdb"
    numbers = export([open_run(run), open_run(other)], to)
    assert numbers["runs"] == 2 and numbers["trials"] == 7
    names = {one["run"] for one in _rows(to, "SELECT DISTINCT run FROM trials")}
    assert names == {str(run), str(other)}, "folders of the same name are distinguished by their path"


def test_parquet_has_one_table_with_the_meaning_of_its_columns(run: Path, tmp_path: Path) -> None:
    to = tmp_path / "seconds.parquet"
    assert list(export([open_run(run)], to, "seconds")) == ["seconds"]
    assert len(_parquet(to)) == 5 * 15
    with duckdb.connect() as connection:
        metadata = dict(
            connection.execute(
                "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(to)]
            ).fetchall()
        )
    assert set(json.loads(metadata["columns"])) == {one.name for one in TABLES["seconds"].columns}


def test_a_file_appears_whole_or_not_at_all(run: Path, tmp_path: Path) -> None:
    to = tmp_path / "kept.parquet"
    to.write_text("before")
    with pytest.raises(UsageError, match="named twice"):
        export([open_run(run), open_run(run)], to)
    assert to.read_text() == "before" and list(tmp_path.iterdir()) == [to]
    with pytest.raises(FiveninesError, match="stop"):
        export([open_run(run)], to, report=_stop)
    assert to.read_text() == "before" and list(tmp_path.iterdir()) == [to]


def _stop(_done: int, _of: int) -> None:
    raise FiveninesError("stop")


@pytest.mark.parametrize(
    ("name", "table", "says"),
    [
        ("x.csv", None, "must end with .duckdb or .parquet"),
        ("x.duckdb", "trials", "has all tables"),
        ("x.parquet", "wrong", "the tables are trials, clients"),
        ("none/x.parquet", None, "does not exist: create it first"),
    ],
)
def test_invalid_targets_are_refused(
    run: Path, tmp_path: Path, name: str, table: str | None, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        export([open_run(run)], tmp_path / name, table)


def test_a_damaged_log_leaves_the_rest_of_the_trial(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("a")], trials=2))
    log = layout.trial_folder(run, "0001") / layout.LATENCY
    log.write_text("Tag=transaction,0.000,1.000,1.0,HISTFAAAnonsense\n")
    to = tmp_path / "x.duckdb"
    export([open_run(run)], to)
    rows = {one["trial"]: one for one in _rows(to, "SELECT * FROM trials")}
    assert rows["0001"]["latency_p99_ms"] is None and rows["0001"]["tps"] > 0
    assert any("damaged" in note for note in rows["0001"]["notes"])
    assert rows["0002"]["latency_p99_ms"] > 0
    (seconds,) = _rows(to, "SELECT count(*) AS n, count(latency_p99_ms) AS known FROM seconds")
    assert (seconds["n"], seconds["known"]) == (30, 15)


def test_all_cells_of_a_matrix_are_exported(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix(MARIADB.recipes, connections=[1, 8], trials=1))
    to = tmp_path / "x.parquet"
    export([open_run(run)], to)
    assert len({(one["solution"], one["connections"]) for one in _parquet(to)}) == 8


def test_counters_have_a_table(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Matrix([Recipe("a", sampled="mariadb", known=True)], trials=2))
    file = tmp_path / "x.duckdb"
    export([open_run(run)], file)
    rows = _rows(file, "SELECT * FROM counters WHERE name = 'Com_commit' ORDER BY trial")
    assert [one["per_second"] for one in rows] == [pytest.approx(1800.0)] * 2
    exported_rows = _rows(
        file, "SELECT tps, host_cpu, memory, stalls, rows_s, reported_lag_max_ms FROM trials"
    )
    for one, row in zip(exported_rows, rows, strict=True):
        assert row["per_transaction"] == pytest.approx(1800 / one["tps"], rel=0.02)
        assert one["stalls"] is not None and one["reported_lag_max_ms"] == 0


def test_each_client_has_a_row_with_its_load(tmp_path: Path, exported: Path) -> None:
    run = run_of_two_clients(tmp_path)
    file = tmp_path / "x.duckdb"
    export([run], file)
    rows = _rows(file, "SELECT * FROM clients ORDER BY trial, client")
    assert [(one["client"], one["site"], one["endpoint"]) for one in rows] == [
        ("ann", "east", "local"),
        ("bob", "west", "node2"),
    ] * 2
    assert [one["connections"] for one in rows] == [6, 2] * 2
    for ann, bob in (rows[:2], rows[2:]):
        assert ann["tps"] == pytest.approx(400, rel=0.2) and bob["tps"] == pytest.approx(100, rel=0.2)
        assert ann["latency_p50_ms"] < 10 < bob["latency_p50_ms"]
        assert ann["outage_writes_ms"] < 3500 < bob["outage_writes_ms"]
    # one client alone is the trial itself
    assert not _rows(exported, "SELECT * FROM clients")
