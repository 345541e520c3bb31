"""MariaDB: every solution starts as configured, survives a kill, and meets its durability guarantee."""

from pathlib import Path

import pytest
from lab_support import OPERATOR, Outcome, kill, rejoined, run_trial, sound, timing

from fivenines.experiment.source import solution_from
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.mariadb.server import Mariadb
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed, data_set

# A Galera node that rejoins while the others still agree on its failure delays their decision.
BACK = "9s"


def replication(more: str) -> str:
    return f"solutions: [{{solution: replication, engine: mariadb-10.11, {more}}}]\n"


def galera(more: str) -> str:
    return f"solutions: [{{solution: galera, engine: mariadb-10.11, size: 3, {more}}}]\n"


@pytest.mark.long
def test_standalone_is_unavailable_until_it_is_restarted(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: standalone, engine: mariadb-10.11, durability: relaxed, "
        "server: {innodb_lock_wait_timeout: 7}}]\n" + kill() + timing(),
    )
    sound(outcome)
    assert outcome.record.deployment is not None and outcome.record.fault is not None
    assert outcome.record.deployment.roles == {"node1": "primary"}
    settings = outcome.record.deployment.settings["node1"]
    names = ("innodb_flush_log_at_trx_commit", "sync_binlog", "innodb_lock_wait_timeout")
    assert [settings[name] for name in names] == ["2", "0", "7"]
    # The operating system survives: writes without a flush are still there.
    rejoined(outcome)
    assert outcome.writes_after_fault() > 0


@pytest.mark.parametrize(
    "mode", ["async", "after_sync", pytest.param("after_commit", marks=pytest.mark.long)]
)
def test_a_replica_takes_over_and_the_old_primary_follows_it(tmp_path: Path, mode: str) -> None:
    status: dict[str, dict[str, str]] = {}

    def look(deployed: Deployed) -> None:
        for node in deployed.solution.nodes:
            assert isinstance(node, Mariadb)
            names = ("Rpl_semi_sync_master_status", "Rpl_semi_sync_slave_status")
            status[node.name] = node.sql.status(*names)

    replicas = 2 if mode == "after_sync" else 1
    outcome = run_trial(
        tmp_path,
        replication(f"replicas: {replicas}, mode: {mode}, semi_sync_timeout: 5s, manager: {OPERATOR}")
        + kill()
        + timing(),
        {"warm-up and steady load": look},
    )
    sound(outcome)
    deployment, fault, check = (outcome.record.deployment, outcome.record.fault, outcome.record.check)
    assert deployment is not None and fault is not None and check is not None
    others = [f"node{number + 2}" for number in range(replicas)]
    assert deployment.roles == {"node1": "primary"} | dict.fromkeys(others, "replica")
    semi = "OFF" if mode == "async" else "ON"
    assert status["node1"]["rpl_semi_sync_master_status"] == semi
    assert {status[name]["rpl_semi_sync_slave_status"] for name in others} == {semi}
    settings = deployment.settings["node1"]
    assert (settings["gtid_strict_mode"], settings["sync_binlog"]) == ("ON", "1")
    if mode != "async":
        assert settings["rpl_semi_sync_master_wait_point"] == mode.upper()
        assert settings["rpl_semi_sync_master_timeout"] == "5000"
    assert [deployment.settings[name]["read_only"] for name in others] == ["ON"] * replicas
    assert fault.node == "node1"
    assert check.primary in others
    kinds = outcome.kinds()
    assert kinds.index("fault") < kinds.index("decided") < kinds.index("promoted")
    assert ("repointed" in kinds) == (replicas == 2)
    assert outcome.writes_after_fault() > 0
    if mode == "async":  # It may lose rows, and may then refuse to rejoin: but it reports that.
        assert fault.rejoined or fault.rejoin_detail
    elif mode == "after_sync":
        rejoined(outcome)
    else:
        assert outcome.node(check.primary).lost == 0
        assert fault.rejoined or fault.rejoin_detail


def test_a_dead_replica_rejoins_and_the_others_continue(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        replication(f"replicas: 2, mode: after_sync, manager: {OPERATOR}, reads: replicas")
        + kill("replica")
        + timing(),
    )
    sound(outcome)
    rejoined(outcome)
    fault, check = outcome.record.fault, outcome.record.check
    assert fault is not None and check is not None
    assert (fault.node, fault.role, check.primary) == ("node2", "replica", "node1")
    assert "promoted" not in outcome.kinds()
    assert outcome.writes_after_fault() > 0


def test_without_a_manager_no_node_is_promoted(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path, replication("replicas: 1, mode: after_commit, manager: none") + kill() + timing()
    )
    sound(outcome)
    rejoined(outcome)
    check = outcome.record.check
    assert check is not None and check.primary == "node1"
    assert outcome.kinds() == ["fault", "ended", "restarted", "rejoined"]
    assert outcome.writes_after_fault() > 0


def test_a_galera_cluster_continues_and_its_dead_node_rejoins(tmp_path: Path) -> None:
    states: list[object] = []

    def look(deployed: Deployed) -> None:
        states.extend(node.galera() for node in deployed.solution.nodes)

    outcome = run_trial(
        tmp_path,
        galera("suspect_timeout: 3s, inactive_timeout: 6s, gcache: 64MiB, appliers: 3")
        + kill(restart_after=BACK)
        + timing(),
        {"warm-up and steady load": look},
    )
    assert states == [("3", "Primary", "Synced")] * 3
    _complete_cluster(outcome)
    deployment = outcome.record.deployment
    assert deployment is not None and outcome.record.fault is not None
    settings = deployment.settings["node2"]
    options = settings["wsrep_provider_options"]
    assert "evs.suspect_timeout = PT3S" in options and "evs.inactive_timeout = PT6S" in options
    assert f"gcache.size = {64 * 2**20}" in options.replace("64M", str(64 * 2**20))
    assert settings["wsrep_slave_threads"] == "3"
    assert deployment.manager == {"kind": "built in"}
    assert outcome.record.fault.node == "node1"


@pytest.mark.long
def test_galera_behind_haproxy_with_writes_to_all_nodes(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        galera(
            "suspect_timeout: 3s, inactive_timeout: 6s, writes: all, reads: replicas, "
            "access: {kind: haproxy, interval: 300ms, fall: 2, rise: 1}"
        )
        + kill(restart_after=BACK)
        + timing(),
    )
    _complete_cluster(outcome)
    assert outcome.record.deployment is not None
    assert outcome.record.deployment.access["kind"] == "haproxy"
    config = (outcome.folder / "logs/proxy/conf/haproxy.cfg").read_text()
    assert "inter 300 fall 2 rise 1" in config
    hosts = {host for (host,) in outcome.rows("hosts", "SELECT DISTINCT host FROM rows")}
    assert hosts == {"node1", "node2", "node3", "proxy", "client"}


def test_replication_behind_haproxy_with_one_writer(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        replication(
            f"replicas: 1, mode: after_sync, manager: {OPERATOR}, "
            "access: {kind: haproxy, interval: 300ms, fall: 2, rise: 1}"
        )
        + kill()
        + timing(),
    )
    sound(outcome)
    check = outcome.record.check
    assert check is not None and check.primary == "node2"
    assert outcome.node("node2").lost == 0
    assert outcome.writes_after_fault() > 0


def test_a_seasoned_data_set_is_made_from_the_plain_one() -> None:
    settings = solution_from({"solution": "galera"}, "test")
    workload = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
    plain = dataset.ensure(engine("mariadb-10.11"), workload, _silent)
    bootstrapped = data_set(settings, workload, _silent)
    assert bootstrapped != plain
    assert "safe_to_bootstrap: 1" in (bootstrapped / "data/grastate.dat").read_text()
    assert not (plain / "data/grastate.dat").exists()


def _silent(_message: str, _fraction: float | None) -> None:
    pass


def _complete_cluster(outcome: Outcome) -> None:
    sound(outcome)
    rejoined(outcome)
    deployment, check = outcome.record.deployment, outcome.record.check
    assert deployment is not None and check is not None
    assert deployment.roles == {"node1": "primary", "node2": "replica", "node3": "replica"}
    assert outcome.writes_after_fault() > 0
    assert {node.reachable for node in check.nodes} == {True}
    present = {node.present for node in check.nodes}
    assert len(present) == 1, "all nodes hold the same rows"
