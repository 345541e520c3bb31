"""Fixed work, sessions shorter than the load, and the windows of a trial whose load ended with its work."""

import time
from pathlib import Path
from typing import Any

import pytest
from lab_prepare import Site, each_site, workload_flags
from lab_support import HEAD, kill, run_trial

from fivenines.servers.postgres.server import Postgres

place = each_site

OLTP: dict[str, Any] = {"tables": 2, "table_size": 500}
CRUD: dict[str, Any] = {"parents": 2, "children": 2, "rows": 400, "batch": 20, "batch_share": 40}


def _prepared(place: Site, kind: str, **settings: Any) -> list[str]:
    place.drop_tables()
    flags = workload_flags(kind, **settings)
    done = place.prepare(*flags)
    assert done.code == 0, done.stderr
    return flags


def _rows(place: Site, tables: list[str]) -> int:
    return int(place.one("SELECT " + " + ".join(f"(SELECT COUNT(*) FROM {table})" for table in tables)))


def _sessions(place: Site) -> int:
    """Return the number of connections to the server, including this one."""
    if isinstance(place.node, Postgres):
        return int(place.one("SELECT sessions FROM pg_stat_database WHERE datname = current_database()"))
    return int(place.query("SHOW GLOBAL STATUS LIKE 'Connections'")[0][1])


def test_fixed_work_is_done_to_the_row(place: Site, tmp_path: Path) -> None:
    flags = _prepared(place, "oltp_insert", **OLTP)
    summary = place.load(tmp_path, *flags, "--transactions", "500", "--duration", "60s")
    assert _rows(place, ["sbtest1", "sbtest2"]) == 1000 + 500
    assert (summary["done"], summary["completed"], summary["cut"]) == (500, True, False)
    assert 0 < summary["total_s"] <= summary["duration_s"] + 0.001


def test_a_session_for_each_transaction_is_seen_by_the_server(place: Site, tmp_path: Path) -> None:
    flags = _prepared(place, "oltp_insert", **OLTP)
    before = _sessions(place)
    work = ("--transactions-each", "10", "--duration", "60s", "--reconnect", "transaction")
    summary = place.load(tmp_path, *flags, *work)
    connects = summary["connects"]
    assert (summary["done"], connects["ok"], connects["refused"]) == (120, 120, 0), summary
    assert summary["reconnects"] == 120 - 12 and connects["p99_ms"] >= connects["p50_ms"] > 0
    seen = _sessions(place) - before
    asked_again = 0
    while seen < 120 and asked_again < 20:
        # PostgreSQL adds a session's statistics when it ends, and its client does not wait for that.
        time.sleep(0.25)
        asked_again += 1
        seen = _sessions(place) - before
    # Additional sessions are the check before the load, and these queries.
    assert 120 <= seen <= 120 + 3 + asked_again


def test_inserts_of_one_row_and_of_batches_share_a_mix(place: Site, tmp_path: Path) -> None:
    flags = _prepared(place, "crud", **CRUD)
    work = ("--transactions", "600", "--duration", "60s", "--retries", "20")
    summary = place.load(tmp_path, *flags, *work)
    ok = {entry["name"]: entry["ok"] for entry in summary["types"]}
    added = ok["insert"] + 20 * ok["insert_batch"] - ok["delete"]
    assert ok["insert"] > 0 and ok["insert_batch"] > 0
    assert _rows(place, ["tbtest1", "tbtest2"]) == 400 + added
    for number in (1, 2):
        lost = f"tbtest_child{number} c LEFT JOIN tbtest{number} p ON p.autoInc = c.a AND p.date = c.date"
        assert place.one(f"SELECT COUNT(*) FROM {lost} WHERE p.autoInc IS NULL") == 0


def test_a_trial_reports_that_its_work_ended_before_the_fault(tmp_path: Path) -> None:
    text = (
        "solutions: [{solution: standalone, engine: postgres-18}]\n"
        "load: {transactions: {each: 100}, cap: 60s}\n"
        "timing: {warmup: 1s, steady: 50s, recovery: 5s, settle: 30s}\n" + kill()
    )
    outcome = run_trial(tmp_path, text, head=HEAD)
    load, windows = outcome.record.load, outcome.record.windows
    assert load.work is not None and (load.work.done, load.work.completed) == (400, True)
    assert load.transactions.ok > 400, "the warm-up is not of the work"
    assert windows is not None
    assert windows.steady_end - windows.warmup_end == pytest.approx(1000 * load.work.total_s, abs=2)
    assert windows.warmup_end >= 1000 and windows.end < 51_000
    details = [event.detail for event in outcome.record.events if event.kind == "failed"]
    assert outcome.record.faults == [] and len(details) == 1
    assert details[0].startswith("kill: the work was done after ")
    # The figures describe the work.
    speed = outcome.measures().throughput
    assert speed is not None
    assert speed.tps == pytest.approx(400 / load.work.total_s, rel=0.25)
