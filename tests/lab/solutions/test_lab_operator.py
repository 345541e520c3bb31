"""Automatic remediation: fences a live primary that it cannot reach, or does not; both are reported."""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg
import pymysql
import pytest
from lab_support import LIMIT, kill, run_trial, timing

from fivenines.experiment.source import solution_from
from fivenines.failover.managers.operator.manager import Operator, OperatorSettings
from fivenines.lab.network.network import into
from fivenines.load import dataset
from fivenines.load.workloads.oltp import Oltp
from fivenines.software.store import engine
from fivenines.trial.deployment.deployed import Deployed

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)
_WAITING = "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"


@pytest.mark.parametrize("fence", [True, False])
def test_a_primary_cut_off_from_its_operator(tmp_path: Path, fence: bool) -> None:
    settings = solution_from(
        {
            "solution": "hot-standby",
            "synchronous_commit": "local",
            "manager": {
                "kind": "operator",
                "interval": "200ms",
                "misses": 3,
                "timeout": "3s",
                "fence": fence,
            },
        },
        "test",
    )
    data = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed:
        deployed.bring_up()
        manager, (old, new) = deployed.manager, deployed.solution.nodes
        assert manager is not None
        assert manager.events() == []
        # The node's link goes down: its server survives, and no client reaches it.
        _ip(deployed.lab.pid, "link", "set", f"v-{old.name}", "down")
        _until(lambda: "promoted" in [event.kind for event in manager.events()])
        kinds = [event.kind for event in manager.events()]
        decided = kinds.index("decided")
        assert kinds[decided - 3 : decided] == ["missed"] * 3
        assert ("fenced" in kinds) is fence
        assert new.writable()
        if fence:
            assert kinds.index("fenced") < kinds.index("promoted")
            assert not old.alive
            assert deployed.solution.roles.by_name() == {"node1": "down", "node2": "primary"}
        else:  # There are two primaries: fencing exists to prevent that.
            assert old.alive and old.writable()
            assert deployed.solution.roles.by_name() == {"node1": "unexpected-primary", "node2": "primary"}
        first_missed, promoted = (
            next(event.monotonic_ns for event in manager.events() if event.kind == kind)
            for kind in ("missed", "promoted")
        )
        assert promoted - first_missed >= 2 * 200e6, "it waits for three misses"


def test_an_unavailable_standby_causes_no_action(tmp_path: Path) -> None:
    settings = solution_from(
        {
            "solution": "hot-standby",
            # One check is enough, so it must not end before a busy machine has answered it.
            "manager": {
                "kind": "operator",
                "interval": "100ms",
                "misses": 1,
                "timeout": "5s",
                "total_failure": "first-up",
            },
        },
        "test",
    )
    data = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed:
        deployed.bring_up()
        standby = deployed.solution.nodes[1]
        assert standby.process is not None and deployed.manager is not None
        assert standby.process.gone(standby.process.kill())
        time.sleep(1)
        assert deployed.manager.events() == []
        # With the last candidate the primary fails, too: the event says that no node is left.
        primary = deployed.solution.nodes[0]
        assert primary.process is not None
        primary.process.kill()
        manager = deployed.manager
        _until(lambda: "failed" in [event.kind for event in manager.events()])
        assert "no replica answers" in [event.detail for event in manager.events()]


def test_the_operator_sees_the_network_of_its_own_host_only(tmp_path: Path) -> None:
    settings = solution_from({"solution": "hot-standby"}, "test")
    data = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed:
        deployed.bring_up()
        host = deployed.lab.hosts["manager"]
        output = subprocess.run(
            host.commands.outside([sys.executable, "-c", "import socket; print(socket.if_nameindex())"]),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "eth0" in output and output.count("(") == 2
        settings_told = deployed.record().manager
        assert set(settings_told) == set(OperatorSettings.model_fields)


def _ip(lab: int, *command: str) -> None:
    subprocess.run([*into(lab), "ip", *command], check=True)


def _until(happened: Callable[[], bool], timeout: float = LIMIT, every: float = 0.05) -> None:
    deadline = time.monotonic() + timeout
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(every)


@pytest.mark.parametrize("family", ["mariadb-10.11", "mysql-9.7"])
def test_a_switchover_ends_transactions_that_wait_for_each_other(tmp_path: Path, family: str) -> None:
    settings = solution_from(
        {"solution": "replication", "engine": family, "mode": "async", "replicas": 1}, "test"
    )
    data = dataset.ensure(engine(family), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed, ThreadPoolExecutor(2) as clients:
        deployed.bring_up()
        manager, (old, new) = deployed.manager, deployed.solution.nodes
        assert manager is not None
        change = "UPDATE sbtest.sbtest1 SET k = k + 1 WHERE id = 1"
        with old.sql.connect(60) as holder, old.sql.connect(60) as waiter:
            holder.cursor().execute("BEGIN")
            holder.cursor().execute(change)
            blocked = clients.submit(waiter.cursor().execute, change)
            # If queried more often than every 0.1 s, InnoDB repeats its last answer.
            _until(lambda: bool(old.sql.query(_WAITING)), every=0.3)
            # The lock holder cannot change anything while the server is becoming read-only.
            switched = clients.submit(manager.switch_over)
            assert switched.result(60) == new.name
            with pytest.raises(pymysql.OperationalError):
                blocked.result(60)
        assert new.writable() and not old.writable()
        assert deployed.solution.roles.by_name() == {"node1": "replica", "node2": "primary"}


@pytest.mark.parametrize("family", ["postgres-18", "mariadb-10.11"])
def test_a_full_server_is_not_taken_for_dead(tmp_path: Path, family: str) -> None:
    kind = {"postgres-18": "hot-standby", "mariadb-10.11": "replication"}[family]
    # Each check is a new client. Its timeout is long: a busy machine may be slow to refuse one.
    operator = {"kind": "operator", "interval": "200ms", "misses": 2, "timeout": "10s"}
    settings = solution_from(
        {"solution": kind, "manager": operator, "server": {"max_connections": 25}}, "test"
    )
    data = dataset.ensure(engine(family), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed, ExitStack() as clients:
        deployed.bring_up()
        manager, primary = deployed.manager, deployed.solution.nodes[0]
        assert manager is not None

        def refused() -> bool:
            # The administrator also takes the connections that are reserved, which the operator may use; and
            # again and again, as a check of the operator that ends leaves one.
            with suppress(psycopg.OperationalError, pymysql.err.OperationalError):
                clients.enter_context(primary.sql.open_data())
            return "full" in [event.kind for event in manager.events()]

        _until(refused, LIMIT)
        # Two refused checks were a failover.
        time.sleep(1.5)
        assert {event.kind for event in manager.events()} == {"full"}
        assert deployed.solution.roles.primary_of_record is primary and primary.alive


def test_an_operator_that_ends_by_itself_is_reported(tmp_path: Path) -> None:
    settings = solution_from({"solution": "hot-standby", "manager": "operator"}, "test")
    data = dataset.ensure(engine("postgres-18"), WORKLOAD, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path / "lab") as deployed:
        deployed.bring_up()
        manager = deployed.manager
        assert isinstance(manager, Operator)
        manager._running().kill()
        _until(lambda: manager.events() != [])
        (event,) = manager.events()
        assert event.kind == "failed" and event.detail.startswith("the operator has ended: ")


@pytest.mark.parametrize(
    "solution",
    [
        "{solution: replication, engine: mariadb-10.11, mode: after_sync, manager: MANAGER}",
        "{solution: hot-standby, engine: postgres-18, manager: MANAGER}",
    ],
)
@pytest.mark.parametrize("rule", ["most-advanced", "first-up"])
def test_after_a_failure_of_all_servers_the_rule_decides_who_is_primary(
    tmp_path: Path, solution: str, rule: str
) -> None:
    manager = f"{{kind: operator, interval: 500ms, misses: 2, total_failure: {rule}}}"
    text = f"solutions: [{solution.replace('MANAGER', manager)}]\n" + kill("all", "5s") + timing()
    outcome = run_trial(tmp_path, text)
    kinds = outcome.kinds()
    if rule == "most-advanced":
        assert "waiting" in kinds and "waited" in kinds and "promoted" not in kinds, kinds
        assert outcome.measures().lost == 0
    else:
        assert "waiting" not in kinds and "fenced" in kinds, kinds
