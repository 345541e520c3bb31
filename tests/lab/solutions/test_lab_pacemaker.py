"""Pacemaker runs MariaDB: it finds the servers, promotes, moves the address, and rejoins old primaries."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pymysql
import pytest
from lab_ordinary import hand_over, ordinary
from lab_support import HEAD, LIMIT, PATIENCE, kill, rejoined, run_trial, sound, timing

from fivenines.experiment.source import fault_from, solution_from
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.host_kill import HostKill, HostKillSettings
from fivenines.faults.nodes.kill import kill_servers
from fivenines.lab.network.network import VIRTUAL
from fivenines.lab.processes import ids
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.servers.base import Server
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed, engines_of

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
MANAGER = "{kind: pacemaker, token: 2s, monitor_promoted: 2s, monitor_unpromoted: 3s}"
SETTINGS = {
    "solution": "replication",
    "mode": "after_sync",
    "semi_sync_timeout": "60s",
    "manager": {
        "kind": "pacemaker",
        "token": f"{1 + PATIENCE:g}s",
        "monitor_promoted": "2s",
        "monitor_unpromoted": "3s",
        "fence": True,
    },
    "access": "virtual-address",
}

as_root = pytest.mark.skipif(bool(ids.problem()), reason=f"no cluster here: {ids.problem()}")

_WRITE = """
import pymysql, sys
with pymysql.connect(host=sys.argv[1], user="app", password=sys.argv[2], database="sbtest", autocommit=True,
                     connect_timeout=1, read_timeout=5) as connection, connection.cursor() as cursor:
    cursor.execute("CREATE TABLE IF NOT EXISTS written (id INT AUTO_INCREMENT PRIMARY KEY)")
    cursor.execute("INSERT INTO written () VALUES ()")
    cursor.execute("SELECT @@hostname, count(*) FROM written")
    print(*cursor.fetchone())
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    """Provide one deployment: each test leaves it with all nodes joined."""
    settings = solution_from(SETTINGS, "test")
    for needed in engines_of(settings):
        needed.require(lambda _message, _fraction: None)
    data = dataset.ensure(engine("mariadb-10.11"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path_factory.mktemp("lab") / "lab") as deployed:
        deployed.bring_up()
        yield deployed


def _write(deployed: Deployed) -> str:
    """Write a row through the virtual address; return the accepting host, or an empty string."""
    assert deployed.client is not None
    password = deployed.solution.passwords.application
    command = deployed.client.commands.outside([sys.executable, "-c", _WRITE, VIRTUAL, password])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split()[0] if done.returncode == 0 else ""


def _until(condition: Callable[[], object], timeout: float = LIMIT) -> None:
    deadline = time.monotonic() + timeout
    while True:
        # A server may end between two queries: the next sample shows it.
        with contextlib.suppress(pymysql.Error):
            if condition():
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _taken_over(deployed: Deployed, old: Server) -> None:
    """Wait until another node is the primary and accepts writes at the address."""
    _until(lambda: deployed.solution.roles.primary() not in (None, old))
    _until(lambda: _write(deployed) not in ("", old.name))


def _joined(deployed: Deployed) -> None:
    solution = deployed.solution
    _until(lambda: not any(solution.membership.not_joined_reason(node) for node in solution.nodes))
    assert sorted(solution.roles.by_name().values()) == ["primary", "replica", "replica"]


def _users(node: Server) -> dict[str, int]:
    """Return the user of each program that runs on a node's host; agents start and end meanwhile."""
    users = {}
    for process in node.host.processes.running():
        with contextlib.suppress(psutil.NoSuchProcess):
            users[process.name()] = process.uids().real
    return users


def _server_pids(node: Server) -> list[int]:
    assert node.process is not None
    return [member.pid for member in node.process.members()]


@as_root
def test_it_finds_the_servers_as_they_are(cluster: Deployed) -> None:
    solution, manager = cluster.solution, cluster.manager
    assert solution.roles.by_name() == {"node1": "primary", "node2": "replica", "node3": "replica"}
    assert manager is not None and manager.alive and manager.events() == []
    assert _write(cluster) == "node1"
    for node in solution.nodes:
        users = _users(node)
        assert users["mariadbd"] == 999 and users["pacemaker-based"] == 998
        assert users["corosync"] == 0
        waits = node.monitoring.effective_settings()["rpl_semi_sync_master_wait_no_slave"]
        assert waits == ("ON" if node.name == "node1" else "OFF")


@pytest.mark.lasts(15)
@as_root
def test_a_killed_primary_is_replaced_and_rejoins_as_a_replica(cluster: Deployed) -> None:
    solution, manager = cluster.solution, cluster.manager
    assert manager is not None
    old = solution.roles.primary_of_record
    before = _server_pids(old)
    assert kill_servers((old,))[1]
    _taken_over(cluster, old)
    assert not old.alive, "one failure is enough to stay down"
    _until(lambda: solution.roles.primary_of_record is not old)
    assert _write(cluster) == solution.roles.primary_of_record.name
    kinds = [event.kind for event in manager.events()]
    assert kinds.index("missed") < kinds.index("decided") < kinds.index("promoted")
    assert [item.node for item in manager.events() if item.kind == "promoted"] == [
        solution.roles.primary_of_record.name
    ]
    cluster.start_node(old)
    _joined(cluster)
    assert _server_pids(old) and _server_pids(old) != before
    ((role,),) = old.sql.query("SELECT @@rpl_semi_sync_slave_enabled")
    assert role == 1


@pytest.mark.lasts(30)
@as_root
def test_a_host_without_power_loses_the_address(cluster: Deployed) -> None:
    solution = cluster.solution
    old = solution.roles.primary_of_record
    context = FaultContext(cluster)
    settings = fault_from({"fault": "host-kill"}, "test")
    assert isinstance(settings, HostKillSettings)
    fault = HostKill(settings)
    injection = fault.inject(context)
    assert injection.verified, injection.detail
    assert injection.hosts == (old.name,)
    _taken_over(cluster, old)
    assert fault.recover(context, injection).verified
    assert _write(cluster) == solution.roles.primary_of_record.name, "the old host must not answer for it"
    cluster.start_node(old)
    _joined(cluster)
    missed = [event for event in cluster.events() if event.kind == "missed"]
    assert "Corosync has lost it" in {event.detail for event in missed if event.node == old.name}


@as_root
def test_a_switchover_loses_no_client(cluster: Deployed) -> None:
    solution, manager = cluster.solution, cluster.manager
    assert manager is not None
    old = solution.roles.primary_of_record
    before = _server_pids(old)
    new = manager.switch_over()
    assert new != old.name
    _until(lambda: _write(cluster) == new)
    _joined(cluster)
    assert _server_pids(old) == before, "no server was restarted"


@pytest.mark.lasts(30)
@as_root
def test_a_cut_off_primary_is_fenced_and_restored(cluster: Deployed) -> None:
    """Cut off the primary from the quorum, so that its own writes make it diverge."""
    solution = cluster.solution
    old = solution.roles.primary_of_record
    cut = [(old.name, name) for name in cluster.lab.hosts if name != old.name]
    cut += [(target, here) for here, target in cut]
    cluster.lab.network.cut(cut)
    old.sql.execute("SET GLOBAL rpl_semi_sync_master_enabled = 0")
    old.sql.execute("CREATE TABLE sbtest.alone (id INT)")
    _until(lambda: not old.alive)
    _taken_over(cluster, old)
    fenced = [event.node for event in cluster.events() if event.kind == "fenced"]
    assert fenced[-1] == old.name
    assert not old.host.processes.running()
    cluster.lab.network.heal(cut)
    for _ in range(3):
        cluster.start_node(old)
        _until(lambda: not old.alive or not solution.membership.not_joined_reason(old))
        if old.alive:
            break
    _joined(cluster)
    # This is checked only now: Pacemaker may have stopped a server that was just started.
    assert old.sql.query("SHOW TABLES FROM sbtest LIKE 'alone'") == []


@as_root
@pytest.mark.long
def test_a_trial_through_haproxy(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: replication, mode: after_sync, access: {kind: haproxy, interval: 500ms}, "
        f"manager: {MANAGER}}}]\n" + kill(restart_after="2s") + timing(),
    )
    sound(outcome)
    rejoined(outcome)
    assert outcome.writes_after_fault() > 0
    assert {"missed", "decided", "promoted"} <= set(outcome.kinds())


@as_root
@pytest.mark.long
def test_all_servers_die_and_are_forgiven_together(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        f"solutions: [{{solution: replication, mode: after_sync, manager: {MANAGER}}}]\n"
        "faults: [{fault: kill, target: all, restart_after: 5s}]\n" + timing(),
    )
    sound(outcome)
    record = outcome.record
    assert record.fault is not None and record.fault.rejoined, record.fault
    # At a start the agent drops what a replica had received and not applied: a row may be lost, on all nodes.
    assert record.check is not None and all(node.reachable for node in record.check.nodes)
    assert len({tuple(node.lost_ids) for node in record.check.nodes}) == 1
    assert outcome.writes_after_fault() > 0


def test_an_ordinary_user_gets_the_error_before_anything_starts() -> None:
    # The folders of pytest belong to root alone; a home must be open to its owner.
    with tempfile.TemporaryDirectory(prefix="home-of-fivenines-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        text = f"solutions: [{{solution: replication, mode: after_sync, manager: {MANAGER}}}]\n"
        (home / "tiny.yaml").write_text(HEAD + text)
        hand_over(home)

        def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
            command = [sys.executable, "-m", "fivenines", *arguments]
            return subprocess.run(
                ordinary(command, home, home / "cache"),
                cwd=home,
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=False,
                stdin=subprocess.DEVNULL,
            )

        refused = run("run", "tiny.yaml")
        assert refused.returncode == 2
        assert "tiny.yaml:5:" in refused.stderr
        assert "solutions[0].manager: pacemaker changes users" in refused.stderr
        assert "only root can map all user ids" in refused.stderr
        assert "Traceback" not in refused.stderr
        up = run("up", "replication", "--set", "manager=pacemaker", "--set", "mode=after_sync")
        assert up.returncode == 2 and "only root can map all user ids" in up.stderr
        assert "needed only for Pacemaker" in run("doctor").stdout
        assert not (home / "cache" / "engines").exists()


@as_root
def test_nothing_is_left_of_a_lab_with_all_user_ids(tmp_path: Path) -> None:
    """Kill the controller: the chain of deaths does not depend on the map of user ids."""
    script = (
        "import sys, time; from pathlib import Path; from fivenines.lab.host import Root; "
        "from fivenines.lab.namespaces.lab import NamespaceLab; "
        "lab = NamespaceLab(Path(sys.argv[1]), all_ids=True); host = lab.add_host('one', Root()); "
        "host.commands.spawn(['sleep', '1000'], uid=4242); print(lab.pid, flush=True); time.sleep(1000)"
    )
    controller = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "lab")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    assert controller.stdout is not None
    first = psutil.Process(int(controller.stdout.readline()))
    made: list[psutil.Process] = []

    def sleeps() -> bool:
        made[:] = psutil.Process(controller.pid).children(recursive=True)
        return 4242 in {process.uids().real for process in made if _runs(process)}

    _until(sleeps, 20)
    assert Path(f"/proc/{first.pid}/uid_map").read_text().split() == ["0", "0", "65536"]
    controller.kill()
    controller.wait()
    _until(lambda: not any(_runs(process) for process in [first, *made]), 20)


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
