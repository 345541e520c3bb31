"""Failovers although no server had died, and a failover after a server had."""

from pathlib import Path

from lab_support import PATIENCE, run_trial, timing

from fivenines.base.threads import Background
from fivenines.base.waiting import wait_until
from fivenines.trial.deployment.deployed import Deployed

SOLUTION = (
    "solutions: [{solution: hot-standby, engine: postgres-18, "
    "manager: {kind: operator, interval: 500ms, timeout: 2s, misses: %d}}]\n"
)


def test_a_long_freeze_of_the_primary_leads_to_a_needless_failover(tmp_path: Path) -> None:
    freeze = "faults: [{fault: freeze, duration: 30s}]\n"
    found = run_trial(tmp_path, SOLUTION % 2 + freeze + timing()).measures().response
    assert found is not None and found.needless and found.kind == "promoted", found
    assert found.ms is not None and found.ms > 0 and found.after_end is False


def test_a_short_freeze_is_survived(tmp_path: Path) -> None:
    freeze = "faults: [{fault: freeze, duration: 300ms}]\n"
    found = run_trial(tmp_path, SOLUTION % 60 + freeze + timing()).measures().response
    assert found is not None and found.counts and found.kind in ("none", "errors"), found


def test_commands_that_kill_no_server_are_a_hiccup_until_verify_no_longer_sees_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    fault = f"""
faults:
  - fault: command
    hiccup: true
    duration: 100ms
    inject: 'touch {mark}; (sleep 2; rm {mark}) >/dev/null 2>&1 &'
    verify: test -e {mark}
"""
    outcome = run_trial(tmp_path, SOLUTION % 60 + fault + timing())
    found = outcome.measures().response
    (record,) = outcome.record.faults
    assert record.hiccup and record.ended_verified and "ends by itself" in record.ended_detail, record
    assert found is not None and found.counts and found.kind in ("none", "errors"), found
    # The end is that of the command, not that of `duration`.
    assert found.hiccup_ms is not None and found.hiccup_ms >= 1500, found


def test_hiccups_in_turn_are_counted_on_one_cluster(tmp_path: Path) -> None:
    freezes = "faults: [{fault: repeat, of: freeze, times: 3, every: 6s, lengths: 'uniform 100ms..300ms'}]\n"
    found = run_trial(tmp_path, SOLUTION % 60 + freezes + timing()).measures().in_turn
    assert found is not None and found.failover is None and found.planned == 3, found
    assert len(found.lengths) == 3 and min(found.lengths) >= 100, found


def test_the_count_of_hiccups_ends_with_a_failover(tmp_path: Path) -> None:
    steps = "{fault: {fault: freeze, duration: 15s}}, {at: 18s, fault: {fault: freeze, duration: 300ms}}"
    freezes = f"faults: [{{fault: sequence, steps: [{steps}]}}]\n"
    found = run_trial(tmp_path, SOLUTION % 2 + freezes + timing()).measures().in_turn
    assert found is not None and found.failover == "promoted", found
    assert len(found.lengths) == 1 and found.planned == 2, found


def test_a_server_that_dies_during_a_hiccup_makes_a_failover_necessary(tmp_path: Path) -> None:
    def die_once_the_replica_is_frozen(deployed: Deployed) -> None:
        primary, replica = deployed.solution.nodes

        def die() -> None:
            wait_until(lambda: "" if replica.frozen else "not frozen", 60.0 * PATIENCE, "no hiccup", 0.01)
            assert primary.process is not None
            primary.process.kill()

        Background(target=die).start()

    freeze = "faults: [{fault: freeze, target: replica, duration: 500ms}]\n"
    text = SOLUTION % 3 + freeze + timing()
    outcome = run_trial(tmp_path, text, {"warm-up and steady load": die_once_the_replica_is_frozen})
    found = outcome.measures().response
    assert "promoted" in outcome.kinds()
    assert found is not None and not found.counts and found.why == "node1 died", found
