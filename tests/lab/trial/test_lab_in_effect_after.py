"""Settings are read back after a recovery, too: each test plants a setting that is then not in effect."""

from pathlib import Path

from lab_support import kill, run_trial, timing

from fivenines.solutions.patroni.solution import Patroni
from fivenines.trial.deployment.deployed import Deployed

# The phase of a trial before its fault.
LOAD = "warm-up and steady load"


def test_a_restarted_mysql_server_has_its_persisted_settings(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        deployed.solution.nodes[0].sql.execute("SET PERSIST_ONLY max_connections = 222")

    text = "solutions: [{solution: standalone, engine: mysql-9.7, server: {max_connections: 321}}]\n"
    outcome = run_trial(tmp_path, text + kill() + timing(), {LOAD: plant})
    deployment, after = outcome.record.deployment, outcome.record.in_effect_after
    assert deployment is not None and deployment.in_effect is not None and after is not None
    assert deployment.in_effect.differing == []
    (seen,) = after.differing
    assert (seen.place, seen.setting, seen.asked, seen.found) == ("node1", "max_connections", "321", "222")
    assert "SET PERSIST" in seen.why


def test_a_promoted_postgresql_server_waits_for_a_restart(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        deployed.solution.nodes[1].sql.execute(
            "ALTER SYSTEM SET shared_buffers = '17MB'", "SELECT pg_reload_conf()"
        )

    text = (
        "solutions: [{solution: hot-standby, server: {shared_buffers: 20MB}, "
        "manager: {kind: operator, interval: 200ms, misses: 2, timeout: 3s}}]\n"
    )
    outcome = run_trial(tmp_path, text + kill() + timing(), {LOAD: plant})
    after = outcome.record.in_effect_after
    assert after is not None and after.compared > 10
    (seen,) = after.differing
    assert (seen.place, seen.setting) == ("node2", "shared_buffers")
    assert "that takes a restart" in seen.why


def test_without_a_change_nothing_differs_after_a_failover(tmp_path: Path) -> None:
    text = (
        "solutions: [{solution: replication, replicas: 1, mode: after_sync, "
        "manager: {kind: operator, interval: 200ms, misses: 2, timeout: 3s}}]\n"
    )
    outcome = run_trial(tmp_path, text + kill() + timing())
    after = outcome.record.in_effect_after
    assert after is not None and after.compared > 10
    assert after.differing == []


def test_patronis_dynamic_configuration_is_read_back(tmp_path: Path) -> None:
    def plant(deployed: Deployed) -> None:
        assert isinstance(deployed.solution, Patroni)
        daemon = deployed.solution.daemons["node1"]
        answer = daemon.ask("PATCH", "/config", {"maximum_lag_on_failover": 2**22}, 10.0)
        assert answer.status == 200

    text = (
        "solutions: [{solution: patroni, version: 4, ttl: 20s, loop_wait: 1s, retry_timeout: 4s, "
        "primary_start_timeout: 0s}]\n"
    )
    outcome = run_trial(tmp_path, text + kill() + timing(), {LOAD: plant})
    after = outcome.record.in_effect_after
    assert after is not None
    assert [(setting.place, setting.setting, setting.found) for setting in after.differing] == [
        ("Patroni", "maximum_lag_on_failover", str(2**22))
    ]
