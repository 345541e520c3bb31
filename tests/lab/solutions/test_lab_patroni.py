"""Patroni on real servers: failover, rejoin, switchover, and an etcd without quorum."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from lab_support import run_trial, sound, timing

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path
from fivenines.experiment.source import solution_from
from fivenines.faults.base import Fault
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.switchover import Switchover, SwitchoverSettings
from fivenines.lab.network.http import ask
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.software.store import engine
from fivenines.solutions.patroni.solution import Patroni
from fivenines.trial.deployment.deployed import Deployed
from fivenines.trial.deployment.in_effect import require_in_effect

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)

# Settings that make a failover short, and that Patroni 4 does not allow.
_SHORT = "version: 3, ttl: 9s, loop_wait: 1s, retry_timeout: 4s, etcd_election: 2s"


@pytest.mark.lasts(50)
def test_a_host_kill_under_synchronous_patroni_loses_nothing(tmp_path: Path) -> None:
    text = f"""
solutions: [{{solution: patroni, mode: synchronous, {_SHORT}}}]
faults: [{{fault: host-kill, target: primary, restart_after: 4s}}]
"""
    outcome = run_trial(tmp_path, text + timing())
    sound(outcome)
    (fault,) = outcome.record.faults
    assert fault.nodes == ["node1"] and fault.verified
    kinds = outcome.kinds()
    assert kinds.index("decided") < kinds.index("promoted")
    assert outcome.record.check is not None
    assert outcome.record.check.primary in ("node2", "node3")
    assert [node.node for node in outcome.record.check.nodes if node.lost] == []
    assert fault.rejoined, fault.rejoin_detail
    assert outcome.writes_after_fault() > 0
    log = next(outcome.folder.rglob("node1/log/patroni.log")).read_text()
    # The old primary had a diverged end of the log: it was rewound, or had nothing to rewind.
    assert "pg_rewind exit code=0" in log or "Local timeline=2" in log
    deployment = outcome.record.deployment
    assert deployment is not None and deployment.facts is not None and deployment.single_writer
    assert deployment.settings["node1"]["cluster_name"] == "fivenines"


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    settings = solution_from(
        {
            "solution": "patroni",
            "version": 4,
            "ttl": "20s",
            "loop_wait": "1s",
            "retry_timeout": "4s",
            "etcd_election": "2s",
            "primary_start_timeout": "0s",
            "etcd": "apart",
            "access": {"kind": "haproxy", "interval": "200ms"},
        },
        "test",
    )
    data = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path_factory.mktemp("patroni") / "lab") as deployed:
        deployed.solution.hosts.disk_calls = frozenset(("sync",))
        deployed.bring_up()
        yield deployed


def test_what_was_changed_in_etcd_is_found(deployed: Deployed) -> None:
    solution = deployed.solution
    assert isinstance(solution, Patroni)
    daemon = solution.daemons["node1"]
    answer = daemon.ask("PATCH", "/config", {"maximum_lag_on_failover": 77}, 10.0)
    assert answer.status == 200
    with pytest.raises(FiveninesError, match="Patroni: maximum_lag_on_failover = 1048576 was requested"):
        require_in_effect(solution, deployed.access)
    daemon.ask("PATCH", "/config", {"maximum_lag_on_failover": 2**20}, 10.0)
    require_in_effect(solution, deployed.access)


def test_all_nodes_adopt_their_copies_of_the_data(deployed: Deployed) -> None:
    solution = deployed.solution
    assert solution.roles.by_name() == {"node1": "primary", "node2": "replica", "node3": "replica"}
    assert [solution.membership.not_joined_reason(node) for node in solution.nodes] == ["", "", ""]
    assert deployed.events() == []
    identifiers = {
        node.sql.query("SELECT system_identifier FROM pg_control_system()")[0][0] for node in solution.nodes
    }
    assert len(identifiers) == 1
    assert set(deployed.lab.hosts) >= {"etcd1", "etcd2", "etcd3", "proxy"}


def test_haproxy_finds_the_primary_by_patroni_s_own_checks(deployed: Deployed) -> None:
    _until(lambda: _write_servers(deployed) == {"node1"})
    statuses = {
        node.name: [
            ask(node.host, "GET", f"http://{node.host.address}:8008{path}").status
            for path in ("/primary", "/replica")
        ]
        for node in deployed.solution.nodes
    }
    assert statuses == {"node1": [200, 503], "node2": [503, 200], "node3": [503, 200]}


def test_a_slow_disk_reaches_the_server_that_patroni_started(deployed: Deployed) -> None:
    primary = deployed.solution.nodes[0]
    assert primary.disk is not None
    primary.disk.slow(0.05)
    primary.sql.execute("CREATE TABLE IF NOT EXISTS slow (id int)", "INSERT INTO slow VALUES (1)")
    primary.disk.normal()
    assert primary.disk.counts()[0] > 0


def test_a_switchover_moves_the_primary_and_haproxy_follows(deployed: Deployed) -> None:
    fault: Fault[SwitchoverSettings] = Switchover(SwitchoverSettings(fault="switchover"))
    injection = fault.inject(FaultContext(deployed))
    assert injection.hosts == ("node1",) and "Successfully switched over" in injection.detail
    primary = deployed.solution.roles.primary()
    assert primary is not None and primary.name != "node1"
    assert deployed.solution.roles.primary_of_record is primary
    assert "promoted" in [event.kind for event in deployed.events()]
    _until(lambda: _write_servers(deployed) == {primary.name})
    _until(lambda: not deployed.solution.membership.not_joined_reason(deployed.solution.nodes[0]))


def test_a_clean_stop_gives_the_lock_back_and_the_node_can_return(deployed: Deployed) -> None:
    solution = deployed.solution
    old = solution.roles.target("primary")
    old.stop()
    assert not old.alive
    _until(lambda: solution.roles.primary() not in (None, old))
    deployed.start_node(old)
    _until(lambda: not solution.membership.not_joined_reason(old))
    assert solution.roles.of(old) == "replica"


def test_without_etcd_quorum_no_node_accepts_writes_and_it_is_reported(deployed: Deployed) -> None:
    solution = deployed.solution
    assert isinstance(solution, Patroni)
    hosts = [deployed.lab.hosts[name] for name in ("etcd1", "etcd2")]
    for host in hosts:
        host.processes.kill_all()
    _until(lambda: solution.roles.primary() is None)
    _until(lambda: solution.roles.observed(solution.nodes[0]) == "replica")
    _until(
        lambda: (
            "etcd has no quorum (0 of 3 members" in solution.membership.not_joined_reason(solution.nodes[0])
        )
    )
    _until(lambda: "failed" in [event.kind for event in deployed.events()])
    details = [event.detail for event in deployed.events() if event.kind == "failed"]
    assert "Request to server" in details[0] or "Failed to get list of machines" in details[0]
    for host in hosts:
        assert solution.etcd.start_on(host)
    _until(lambda: solution.roles.primary() is not None)
    _until(lambda: not any(map(solution.membership.not_joined_reason, solution.nodes)))


def test_a_node_without_patroni_is_unexpected_and_rejoins(deployed: Deployed) -> None:
    solution = deployed.solution
    assert isinstance(solution, Patroni)
    replica = solution.roles.target("replica")
    daemon = solution.daemons[replica.name]
    assert daemon.process is not None
    hit = [member for member in daemon.process.members() if member.name() != "postgres"]
    for process in hit:
        with contextlib.suppress(psutil.NoSuchProcess):  # Short-lived processes end by themselves.
            process.kill()
    _until(lambda: not daemon.alive)
    assert (
        solution.membership.unexpected_primary_reason(replica) == f"the Patroni of {replica.name} has ended"
    )
    deployed.start_node(replica)
    assert solution.membership.unexpected_primary_reason(replica) == ""


def _write_servers(deployed: Deployed) -> set[str]:
    """Return the nodes that HAProxy considers writable now."""
    host = deployed.lab.hosts["proxy"]
    with short_path(host.node / "run") as folder, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.connect(f"{folder}/haproxy.sock")
        stream.sendall(b"show stat\n")
        response = b"".join(iter(lambda: stream.recv(65536), b"")).decode()
    rows = [line.split(",") for line in response.splitlines()]
    return {row[1] for row in rows if row[0] == "write" and row[1].startswith("node") and row[17] == "UP"}


def _until(happened: Callable[[], bool], timeout: float = 120.0) -> None:
    deadline = time.monotonic() + timeout
    while True:
        # A server that is busy, starting or stopping may not answer.
        with contextlib.suppress(Exception):
            if happened():
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.lasts(20)
def test_a_calm_loop_is_in_effect_when_the_load_begins(tmp_path: Path) -> None:
    # During the deployment the loop has 1 s. Until its next one Patroni shows, and goes by, the old settings.
    calm = "solutions: [{solution: patroni, mode: synchronous, loop_wait: 10s}]\nfaults: [none]\n"
    # A difference would break the trial.
    deployment = run_trial(tmp_path, calm + timing(2.0)).record.deployment
    assert deployment is not None and deployment.in_effect is not None
    assert deployment.in_effect.compared > 0 and deployment.in_effect.differing == []
