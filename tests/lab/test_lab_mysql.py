"""MySQL: the engine, one server, and Group Replication, up, broken and back."""

from pathlib import Path

from lab_support import kill, rejoined, run_trial, sound, timing

HEAD = """\
name: tiny
trials: 1
workloads: [{workload: oltp_read_write, tables: 2, table_size: 500}]
connections: [4]
"""


def test_standalone_is_away_until_it_is_started_again(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: standalone, engine: mysql-9.7, server: {innodb_lock_wait_timeout: 7}}]\n"
        + kill()
        + timing(recovery=6),
    )
    sound(outcome)
    assert outcome.record.deployment is not None
    settings = outcome.record.deployment.settings["node1"]
    wanted = ("innodb_flush_log_at_trx_commit", "sync_binlog", "innodb_lock_wait_timeout")
    assert [settings[name] for name in wanted] == ["1", "1", "7"]
    rejoined(outcome)
    assert outcome.writes_after_fault() > 0
