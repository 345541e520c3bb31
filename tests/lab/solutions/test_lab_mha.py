"""MHA on real servers: it monitors, switches over, fails over through HAProxy, refuses, and is restarted."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest
from lab_support import LIMIT

from fivenines.base.errors import FiveninesError
from fivenines.experiment.source import solution_from
from fivenines.failover.managers.mha.manager import Mha
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.base import DATABASE, Server
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
SOLUTION = {
    "solution": "replication",
    "mode": "after_sync",
    "access": {"kind": "haproxy", "interval": "200ms"},
    "manager": {"kind": "mha", "ping_interval": 1, "last_failover": "8h", "no_master": ["node3"]},
}


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    settings = solution_from(SOLUTION, "test")
    data = dataset.ensure(engine("mariadb-10.11"), WORKLOAD, lambda _message, _fraction: None)
    folder = tmp_path_factory.mktemp("mha") / "lab"
    with Deployed(settings, data, folder) as up:
        up.bring_up()
        yield up


# For each write through HAProxy, whether it was acknowledged.
ACKNOWLEDGED: list[bool] = []


def mha(deployed: Deployed) -> Mha:
    assert isinstance(deployed.manager, Mha)
    return deployed.manager


def events(deployed: Deployed, since: int = 0) -> list[ManagerEvent]:
    """Return what the manager did: on a busy machine a live primary may miss a ping."""
    return [event for event in mha(deployed).events()[since:] if event.kind != "missed"]


def kinds(deployed: Deployed, since: int) -> list[str]:
    return [event.kind for event in events(deployed, since)]


def until(happened: Callable[[], object], what: str, timeout: float = LIMIT) -> None:
    deadline = time.monotonic() + timeout
    while True:
        # A server that is busy, starting or stopping may not answer.
        with suppress(Exception):
            if happened():
                return
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def write(deployed: Deployed) -> bool:
    """Return whether a client can write through HAProxy now."""
    (endpoint,) = deployed.access.endpoints().write
    host, port = endpoint.split(":")
    user, password = deployed.solution.nodes[0].application
    program = (
        "import pymysql; c = pymysql.connect("
        f"host={host!r}, port={port}, user={user!r}, password={password!r}, database={DATABASE!r}, "
        "connect_timeout=2, read_timeout=10, autocommit=True); "
        "c.cursor().execute(\"INSERT INTO sbtest1 (k, c, pad) VALUES (1, 'mha', '')\")"
    )
    assert deployed.client is not None
    command = deployed.client.commands.outside([sys.executable, "-c", program])
    done = subprocess.run(command, capture_output=True, check=False).returncode == 0
    ACKNOWLEDGED.append(done)
    return done


def rows(node: Server) -> int:
    ((number,),) = node.sql.query(f"SELECT COUNT(*) FROM {DATABASE}.sbtest1 WHERE c = 'mha'")
    return int(number)


def alike(deployed: Deployed) -> None:
    """Check that all nodes are members and have every written row."""
    solution = deployed.solution

    def joined(node: Server) -> bool:
        return not (solution.membership.not_joined_reason(node) or solution.membership.lag_reason(node))

    for node in solution.nodes:
        until(partial(joined, node), node.name)
    counts: set[int] = set()

    def same() -> bool:
        counts.clear()
        counts.update(rows(node) for node in solution.nodes)
        return len(counts) == 1

    # A write that timed out may still be executed between two counts.
    until(same, "all have the same rows")
    assert min(counts) >= sum(ACKNOWLEDGED), "nothing acknowledged is lost"


def kill_primary(deployed: Deployed) -> Server:
    primary: Server = deployed.solution.roles.target("primary")
    assert primary.process is not None
    assert primary.process.gone(primary.process.kill())
    return primary


def test_it_watches_the_primary(deployed: Deployed) -> None:
    assert [(event.kind, event.node) for event in events(deployed)] == [("watching", "node1")]
    assert mha(deployed).alive and not mha(deployed).at_work
    assert deployed.record().settings["node2"]["relay_log_purge"] == "OFF"
    assert write(deployed)
    alike(deployed)


def test_a_planned_switchover(deployed: Deployed) -> None:
    known = len(mha(deployed).events())
    assert mha(deployed).switch_over() == "node2"
    reported = [(event.kind, event.node) for event in events(deployed, known)]
    assert reported[:2] == [("decided", "node1"), ("promoted", "node2")]
    assert set(reported[2:4]) == {("repointed", "node3"), ("repointed", "node1")}
    assert deployed.solution.roles.by_name() == {"node1": "replica", "node2": "primary", "node3": "replica"}
    until(lambda: write(deployed), "HAProxy follows")
    alike(deployed)
    until(lambda: "watching" in kinds(deployed, known), "it is started again")
    assert "failed" not in kinds(deployed, known)


def test_a_killed_machine_starts_only_where_ssh_works(deployed: Deployed) -> None:
    manager, node = mha(deployed), deployed.solution.nodes[2]
    manager.kill()
    assert not manager.alive
    sshd = manager.ssh.processes[node.name]
    assert sshd.gone(sshd.kill())
    with pytest.raises(FiveninesError, match=r"did not begin to watch: .*SSH") as refused:
        manager.restart()
    assert node.host.address in str(refused.value)
    manager.start_on(node)
    until(lambda: not manager.ssh._missing(node), "sshd")
    manager.restart()
    assert manager.alive


def test_a_dead_primary_is_replaced_and_rejoins(deployed: Deployed) -> None:
    known = len(mha(deployed).events())
    assert write(deployed)
    old = kill_primary(deployed)
    until(lambda: write(deployed), "writes go on through HAProxy")
    assert deployed.solution.roles.primary_of_record.name == "node1", "node3 is never promoted"
    until(lambda: not mha(deployed).alive, "it ends after a failover")
    reported = [event for event in events(deployed, known) if event.kind != "watching"]
    assert [event.kind for event in reported[:3]] == ["decided", "fenced", "promoted"]
    assert [(event.kind, event.node) for event in reported[3:]] == [("repointed", "node3")]
    pings = [event.kind for event in mha(deployed).events()[known:]]
    decided = pings.index("decided")
    assert pings[decided - 4 : decided] == ["missed"] * 4
    deployed.start_node(old)
    alike(deployed)


@pytest.mark.lasts(20)
def test_a_second_failover_is_refused_loudly(deployed: Deployed) -> None:
    until(lambda: events(deployed)[-1].kind == "watching", "MHA is started again")
    known = len(mha(deployed).events())
    old = kill_primary(deployed)
    until(lambda: "failed" in kinds(deployed, known), "it says that it will not")
    (refusal, *_) = [event for event in events(deployed, known) if event.kind == "failed"]
    assert refusal.node == old.name
    assert "Last failover was done at" in refusal.detail
    assert "promoted" not in kinds(deployed, known)
    until(
        lambda: any("no failover manager runs" in event.detail for event in events(deployed, known)),
        "an event that no manager is left",
    )
    # Its server restarts: it is the primary of record, so MHA has a server to monitor.
    deployed.start_node(old)
    until(lambda: events(deployed)[-1].kind == "watching", "it watches again")
    until(lambda: write(deployed), "writes go on")
    alike(deployed)
