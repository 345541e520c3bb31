"""InnoDB Cluster: MySQL Router follows the primary, and reports when there is none."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_support import LIMIT, kill, run_trial, sound, timing

from fivenines.base.errors import FiveninesError
from fivenines.experiment.source import solution_from
from fivenines.failover.proxies import mysql_router
from fivenines.failover.proxies.mysql_router import MysqlRouter
from fivenines.faults.context import FaultContext
from fivenines.faults.services.proxy import Proxy, ProxySettings
from fivenines.load.workloads.oltp import Oltp
from fivenines.trial.deployment.deployed import Deployed, data_set, engines_of
from fivenines.trial.deployment.in_effect import require_in_effect

WORKLOAD = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)


def _silent(_message: str, _fraction: float | None) -> None:
    pass


def test_router_follows_the_group_to_its_next_primary(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: innodb-cluster, member_expel_timeout: 0s, reads: replicas, "
        "access: {kind: mysql-router, ttl: 200ms, connect_timeout: 1s, read_timeout: 1s}}]\n"
        + kill(restart_after="null")
        + timing(),
    )
    sound(outcome)
    record = outcome.record
    assert record.deployment is not None and record.check is not None
    assert record.deployment.access["kind"] == "mysql-router"
    assert record.deployment.manager == {"kind": "built in"}
    assert record.check.primary in ("node2", "node3")
    assert outcome.writes_after_fault() > 0


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    access = {"kind": "mysql-router", "split": True, "use_gr_notifications": True}
    settings = solution_from({"solution": "innodb-cluster", "access": access}, "test")
    for engine in engines_of(settings):
        engine.require(_silent)
    data, folder = data_set(settings, WORKLOAD, _silent), tmp_path_factory.mktemp("router")
    with Deployed(settings, data, folder / "lab") as deployment:
        deployment.bring_up()
        yield deployment


def test_a_persisted_setting_is_reported(deployed: Deployed) -> None:
    node = deployed.solution.nodes[2]
    node.sql.execute("SET PERSIST group_replication_member_expel_timeout = 77")
    with pytest.raises(FiveninesError) as refused:
        require_in_effect(deployed.solution, deployed.access)
    message = str(refused.value)
    assert "node3: group_replication_member_expel_timeout = 5 was requested, but it has 77" in message
    assert "it was set while the server ran" in message and "node1" not in message
    node.sql.execute("SET PERSIST group_replication_member_expel_timeout = 5")
    require_in_effect(deployed.solution, deployed.access)


def _answering(deployed: Deployed, port: int, statement: str, times: int = 4) -> list[str]:
    """Return the answers to consecutive application clients at a port of Router."""
    assert deployed.client is not None and isinstance(deployed.access, MysqlRouter)
    user, password = deployed.solution.nodes[0].application
    program = (
        "import pymysql\n"
        f"for _ in range({times}):\n"
        f"    with pymysql.connect(host={deployed.access.host.address!r}, port={port}, user={user!r}, "
        f"password={password!r}, autocommit=True) as one, one.cursor() as cursor:\n"
        f"        cursor.execute({statement!r})\n"
        "        print(cursor.fetchone()[0])\n"
    )
    command = deployed.client.commands.outside([sys.executable, "-c", program])
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_each_port_leads_where_it_should(deployed: Deployed) -> None:
    assert deployed.access.endpoints().write == (f"{deployed.access.host.address}:6450",)  # type: ignore[attr-defined]
    who = "SELECT @@hostname"
    assert set(_answering(deployed, 6446, who)) == {"node1"}
    assert set(_answering(deployed, 6447, who)) == {"node2", "node3"}
    assert set(_answering(deployed, 6450, who)) == {"node2", "node3"}
    # A statement that may write goes to the primary.
    assert set(_answering(deployed, 6450, f"{who} FOR UPDATE")) == {"node1"}


def test_a_router_that_died_finds_the_primary_again(deployed: Deployed) -> None:
    fault = Proxy(ProxySettings(fault="proxy"))
    injection = fault.inject(FaultContext(deployed))
    assert injection.verified and injection.hosts == ("proxy",)
    assert fault.recover(FaultContext(deployed), injection).verified
    assert _answering(deployed, 6446, "SELECT @@hostname", 1) == ["node1"]


def test_a_router_without_a_primary_says_so(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mysql_router, "_READY", 10.0)
    for node in deployed.solution.nodes:
        assert node.process is not None
        node.process.kill()
    assert deployed.access.process is not None
    deployed.access.process.kill()
    with pytest.raises(FiveninesError, match="finds no primary") as error:
        deployed.access.restart()
    assert "metadata" in str(error.value).partition("\n")[2]
