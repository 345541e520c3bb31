"""sysbench as the load: its counts equal the servers' own, and a run has each cell by both programs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_prepare import ENGINES, Site, site, workload_flags
from lab_support import LIMIT

from fivenines.analysis.cells import analyse
from fivenines.analysis.performance.agreement import tools
from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.campaign.campaign import run_campaign
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_experiment
from fivenines.load.program import software_of, start_load
from fivenines.load.run import LoadPlan, RunningLoad
from fivenines.load.workloads.oltp import Oltp
from fivenines.load.workloads.program import PROGRAMS, Program
from fivenines.results import store
from fivenines.servers.cluster.endpoints import Endpoints

DATA = {"tables": 1, "table_size": 1000}
CONNECTIONS = 2


@pytest.fixture(scope="module", params=ENGINES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    software = software_of("sysbench")
    assert software is not None
    software.require(lambda _message, _fraction: None)
    with site(request.param, tmp_path_factory.mktemp("site")) as found:
        loaded = found.prepare(*workload_flags("oltp_read_write", **DATA))
        assert loaded.code == 0, loaded.stderr
        yield found


def commits(place: Site) -> int:
    """Return the server's own count of commits."""
    if place.node.driver == "postgres":
        # A session reports its work when it has ended.
        wait_until(lambda: _busy(place), LIMIT, "sessions of the load have not ended")
        return int(place.one("SELECT sum(xact_commit) FROM pg_stat_database WHERE datname = 'sbtest'"))
    return int(place.query("SHOW GLOBAL STATUS LIKE 'Com_commit'")[0][1])


def _busy(place: Site) -> str:
    sessions = place.one("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'")
    return f"{sessions} sessions" if sessions else ""


def start(place: Site, program: Program, out: Path, seconds: float = 3.0, **settings: Any) -> RunningLoad:
    """Start a load with a warm-up of one second; the other seconds are measured."""
    workload = Oltp(workload="oltp_read_write", **DATA, **settings).model_copy(update={"program": program})
    node = place.node
    endpoints = Endpoints.of_one(f"{node.host.address}:{node.port}")
    options = [] if program == "sysbench" else ["--ledger-rate=0"]
    load = LoadPlan(workload, CONNECTIONS, seconds, 5, alongside=options, warmup=1.0)
    return start_load(node.host, node, endpoints, load, out, lambda event: None)


@pytest.mark.parametrize("program", PROGRAMS)
def test_transactions_are_those_that_the_server_counts(place: Site, program: Program, tmp_path: Path) -> None:
    before = commits(place)
    load = start(place, program, tmp_path)
    load.await_start()
    summary = load.await_end(120.0)
    reported = summary.transactions.ok
    assert reported > 0
    # PostgreSQL counts each prepared statement and the queries of this test; MariaDB's are not commits.
    own = CONNECTIONS * 12 + 20 if place.node.driver == "postgres" else 0
    assert 0 <= commits(place) - before - reported <= own + CONNECTIONS
    rows = store.csv_to_parquet(tmp_path / "timeline.csv", tmp_path / "t.parquet", "timeline")
    assert rows > 0 and (tmp_path / "latency.hlog").is_file()


def test_sysbench_reports_why_it_ended(place: Site, tmp_path: Path) -> None:
    load = start(place, "sysbench", tmp_path, seconds=60, point_selects=1)
    load.await_start()
    place.node.stop()
    with pytest.raises(FiveninesError, match=r"the load failed: sysbench(:| was ended by) "):
        load.await_end(120.0)
    place.node.start()
    place.node.wait_ready()


EXPERIMENT = """\
name: two tools
solutions: [{solution: standalone, engine: postgres-18}]
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [4]
load: {program: [fivenines, sysbench]}
ledger: {rate: 0}
timing: {warmup: 1s, steady: 2s}
trials: 1
"""


def test_a_run_measures_each_cell_with_both_programs(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(EXPERIMENT)
    experiment, source = load_experiment(file)
    broken = run_campaign(experiment, source, plan(experiment), tmp_path / "run", False, lambda event: None)
    run = store.open_run(tmp_path / "run")
    assert not broken, [item.record.reason for item in run.broken]
    assert run.manifest.engines["sysbench"].startswith("1.0")
    cells = {cell.key.workload: cell for cell in analyse(run)}
    assert set(cells) == {"oltp_read_write", "oltp_read_write (sysbench)"}
    for cell in cells.values():
        assert cell.tps.mean and cell.latency["p95"].mean
    made = {item.record.cell.workload: item.record.load.document.get("program") for item in run.complete}
    assert made == {"oltp_read_write": None, "oltp_read_write (sysbench)": "sysbench"}
    # Nothing else ran during either load.
    assert all(item.record.check is None for item in run.complete)
    assert cells["oltp_read_write"].stalls.longest.n == 1
    assert cells["oltp_read_write (sysbench)"].stalls.longest.n == 0
    assert {item.metric.name for item in tools(run, cells.values())} == {
        "throughput",
        "95th percentile of the response time",
    }
