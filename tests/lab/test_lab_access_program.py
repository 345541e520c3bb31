"""Proxies that one brings, before real servers: PgBouncer is told of a new primary, Pgpool-II finds it."""

from pathlib import Path

import duckdb
import pytest
from lab_support import run_one

from fivenines.experiment.examples import FOLDER


def _short(recipe: str) -> str:
    """A recipe as it is shipped, with shorter phases and less to load."""
    text = (FOLDER / "programs" / f"{recipe}.yaml").read_text()
    head, _, _ = text.partition("faults:")
    small = "workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]"
    return (
        head.replace("trials: 3", "trials: 1").replace("workloads: [oltp_read_write]", small)
        + "faults: [{fault: kill, target: primary, restart_after: 3s}]\n"
        + "timing: {warmup: 1s, steady: 2s, recovery: 20s, settle: 40s}\n"
    )


@pytest.mark.parametrize("recipe", ["pgbouncer", "pgpool"])
def test_clients_get_to_the_new_primary_through_it(tmp_path: Path, recipe: str) -> None:
    run = run_one(tmp_path, _short(recipe), {})
    (trial,) = run.complete
    record = trial.record
    assert record.fault is not None and record.fault.verified and record.fault.rejoined
    assert {event.kind for event in record.events} >= {"decided", "promoted"}
    told = [event.detail for event in record.events if event.node == "proxy"]
    assert told == (["pgbouncer was told of node2"] if recipe == "pgbouncer" else [])
    # all went through it, and after the failover, too
    assert all(":5432" not in where for where in record.load["endpoints"])
    after = next(one for one in record.events if one.kind == "promoted").t
    written = _acknowledged_after(trial.folder, after)
    assert written > 0
    check = record.check
    assert check is not None and check.acknowledged > 0
    assert [node.lost for node in check.nodes] == [0, 0]
    # a copy of its files without passwords is kept
    kept = trial.folder / "logs" / "proxy" / "conf"
    assert any("***" in file.read_text() for file in kept.iterdir())


def _acknowledged_after(folder: Path, t_ms: float) -> int:
    with duckdb.connect() as connection:
        sql = (
            f"SELECT count(*) FROM read_parquet('{folder / 'ledger.parquet'}') "
            f"WHERE kind = 'write' AND outcome = 'ok' AND started_us > {1000 * t_ms}"
        )
        found = connection.execute(sql).fetchone()
    return int(found[0]) if found else 0
