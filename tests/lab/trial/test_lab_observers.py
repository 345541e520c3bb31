"""Observers on real servers: counters increase, lag is seen, dead and frozen nodes delay no other."""

import time
from itertools import pairwise
from pathlib import Path

import pytest
from lab_support import OPERATOR, PATIENCE, Outcome, kill, run_trial, timing

from fivenines.analysis.resources.counters import host_samples
from fivenines.analysis.resources.traffic import traffic
from fivenines.trial.deployment.deployed import Deployed

STEADY = "warm-up and steady load"
OBSERVE = "observe: {interval: 250ms}\n"


def _number(outcome: Outcome, table: str, sql: str) -> float:
    value = outcome.rows(table, sql)[0][0]
    return -1.0 if value is None else float(str(value))


def _counter(outcome: Outcome, name: str, what: str = "max(value) - min(value)") -> float:
    return _number(outcome, "counters", f"SELECT {what} FROM rows WHERE name = '{name}'")


def _samples(outcome: Outcome, node: str, start: float, end: float) -> int:
    sql = f"SELECT count(DISTINCT t_ms) FROM rows WHERE node = '{node}' AND t_ms BETWEEN {start} AND {end}"
    return round(_number(outcome, "counters", sql))


def _sampled_again(outcome: Outcome, node: str) -> None:
    """Check that the killed server is not sampled while down, and is sampled again later."""
    fault = outcome.record.fault
    assert fault is not None and fault.restarted is not None
    assert _samples(outcome, node, 0, fault.at) >= 5
    assert _samples(outcome, node, fault.at + 1500, fault.restarted) == 0
    assert _samples(outcome, node, fault.restarted, 1e9) >= 1


def _hosts_add_up(outcome: Outcome, *hosts: str) -> None:
    """Check that all hosts are present and byte counters never decrease, whatever was killed."""
    assert {str(row[0]) for row in outcome.rows("hosts", "SELECT DISTINCT host FROM rows")} == set(hosts)
    for column in ("disk_read_bytes", "disk_written_bytes", "net_received_bytes", "net_sent_bytes"):
        shrunk = (
            f"SELECT count(*) FROM (SELECT {column} < lag({column}) OVER (PARTITION BY host "
            "ORDER BY t_ms) AS less FROM rows) WHERE less"
        )
        assert _number(outcome, "hosts", shrunk) == 0, column
    written = "SELECT max(disk_written_bytes) FROM rows WHERE host = 'node1'"
    assert _number(outcome, "hosts", written) > 100_000
    sent = "SELECT max(net_sent_bytes) - min(net_sent_bytes) FROM rows WHERE host = 'client'"
    assert _number(outcome, "hosts", sent) > 10_000


def _idle_and_loaded(outcome: Outcome) -> None:
    """Check that every host was sampled before the load, and that bytes sent in the steady window add up."""
    assert outcome.record.deployment is not None
    hosts = outcome.record.deployment.hosts
    idle = {name: host.idle for name, host in hosts.items() if host.idle is not None}
    assert list(idle) == ["node1", "node2", "client", "manager"]
    assert min(idle[node].memory_bytes for node in ("node1", "node2")) > 50_000_000
    for used in idle.values():
        assert used.pss_bytes is None or 0 < used.pss_bytes < 1.1 * used.memory_bytes
    assert hosts["node1"].configuration_lines > 10 and hosts["client"].configuration_lines == 0
    sampled = host_samples([outcome.stored()], ["net_sent_bytes", "net_received_bytes"])
    # On a busy machine samples come late or are missing for a while.
    rates = traffic(sampled["0001"], hosts, 1000, 12000)
    assert rates is not None and rates.clients > 10_000 and rates.between > 10_000
    assert rates.sent == pytest.approx(rates.clients + rates.between)


# Another test covers a standby.
@pytest.mark.long
def test_a_replica_that_stops_applying_is_seen(on_disk: Path) -> None:
    def stall(deployed: Deployed) -> None:
        replica = deployed.solution.node("node2")
        time.sleep(0.7)
        replica.sql.execute("STOP SLAVE SQL_THREAD")
        time.sleep(2.5)
        replica.sql.execute("START SLAVE SQL_THREAD")

    outcome = run_trial(
        on_disk,
        f"solutions: [{{solution: replication, replicas: 1, mode: after_sync, manager: {OPERATOR}}}]\n"
        + OBSERVE
        + kill()
        + timing(steady=4),
        {STEADY: stall},
    )
    assert _counter(outcome, "Com_commit") > 100
    assert _counter(outcome, "Innodb_data_fsyncs") > 100
    assert _counter(outcome, "Handler_update") > 100
    assert _counter(outcome, "Threads_running", "max(value)") >= 1
    _idle_and_loaded(outcome)
    _sampled_again(outcome, "node1")
    _hosts_add_up(outcome, "node1", "node2", "client", "manager")

    steady = "node = 'node2' AND t_ms < 4500 AND source = "
    assert (
        _number(
            outcome,
            "lag",
            f"SELECT count(*) FROM rows WHERE {steady} 'Seconds_Behind_Master' AND value IS NULL",
        )
        >= 1
    )
    for source in ("gtid_binlog_pos - gtid_slave_pos", "Gtid_IO_Pos - gtid_slave_pos"):
        sql = f"SELECT max(value) FROM rows WHERE {steady} '{source}'"
        assert _number(outcome, "lag", sql) > 5, source


def test_a_standby_that_stops_replaying_is_seen(on_disk: Path) -> None:
    def stall(deployed: Deployed) -> None:
        standby = deployed.solution.node("node2")
        time.sleep(0.7)
        standby.sql.execute("SELECT pg_wal_replay_pause()")
        time.sleep(1.8 * PATIENCE)
        standby.sql.execute("SELECT pg_wal_replay_resume()")

    outcome = run_trial(
        on_disk,
        "solutions: [{solution: hot-standby, engine: postgres-18, standbys: 1, synchronous_commit: local, "
        f"manager: {OPERATOR}}}]\n" + OBSERVE + kill() + timing(steady=2 + 2 * PATIENCE),
        {STEADY: stall},
    )
    assert _counter(outcome, "pg_stat_database.xact_commit") > 20
    assert _counter(outcome, "pg_stat_io.wal.fsyncs") > 20
    assert _counter(outcome, "pg_stat_activity.state.active", "max(value)") >= 1
    assert _counter(outcome, "pg_stat_replication.streaming", "max(value)") == 1
    _sampled_again(outcome, "node1")
    _hosts_add_up(outcome, "node1", "node2", "client", "manager")

    assert outcome.record.fault is not None
    before = f"node = 'node2' AND t_ms < {outcome.record.fault.at}"
    steady = f"SELECT max(value) FROM rows WHERE {before} AND source ="
    assert _number(outcome, "lag", f"{steady} 'pg_last_xact_replay_timestamp'") > 1000
    assert _number(outcome, "lag", f"{steady} 'pg_current_wal_lsn - replay_lsn'") > 1000
    assert _number(outcome, "lag", f"{steady} 'pg_stat_replication.flush_lag'") > 0


def test_a_frozen_node_does_not_stop_the_others(on_disk: Path) -> None:
    def freeze(deployed: Deployed) -> None:
        process = deployed.solution.node("node3").process
        assert process is not None
        time.sleep(1.0)
        assert process.freeze()
        time.sleep(2.5)
        assert process.thaw()

    outcome = run_trial(
        on_disk,
        "solutions: [{solution: galera, size: 3, access: haproxy}]\n"
        + OBSERVE
        + "faults: [none]\n"
        + timing(recovery=1, steady=7),
        {STEADY: freeze},
    )
    times = outcome.rows("counters", "SELECT DISTINCT t_ms FROM rows WHERE node = 'node3'")
    moments = sorted(float(str(row[0])) for row in times)
    # A stall of the machine silences the others, too.
    silent = [
        (start, end)
        for start, end in pairwise(moments)
        if end - start > 2000
        and all(_samples(outcome, node, start + 200, end - 200) >= 3 for node in ("node1", "node2"))
    ]
    assert silent
    # It is sampled again.
    assert _samples(outcome, "node3", silent[0][1], 1e9) >= 2

    assert _counter(outcome, "wsrep_last_committed") > 20
    assert _counter(outcome, "wsrep_cluster_size", "max(value)") == 3
    assert _counter(outcome, "wsrep_local_state", "max(value)") == 4
    sources = {str(row[0]) for row in outcome.rows("lag", "SELECT DISTINCT source FROM rows")}
    assert {"wsrep_local_recv_queue", "max(wsrep_last_committed) - wsrep_last_committed"} <= sources
    _hosts_add_up(outcome, "node1", "node2", "node3", "client", "proxy")


def test_counters_can_be_chosen(on_disk: Path) -> None:
    outcome = run_trial(
        on_disk,
        "solutions: [{solution: standalone, engine: postgres-18}]\n"
        "observe: {interval: 250ms, hosts: false, counters: [pg_stat_wal.*]}\n"
        "faults: [none]\n" + timing(recovery=1, steady=1),
    )
    names = {str(row[0]) for row in outcome.rows("counters", "SELECT DISTINCT name FROM rows")}
    assert "pg_stat_wal.wal_bytes" in names
    assert all(name.startswith("pg_stat_wal.") for name in names)
    assert not (outcome.folder / "hosts.parquet").exists()
    assert not (outcome.folder / "lag.parquet").exists()
