"""Loading into a Galera cluster: through any node, through several at once, through a node that dies."""

import subprocess
import time
from collections.abc import Iterator

import pymysql
import pytest
from lab_prepare import Site, ended, workload_flags
from lab_support import LIMIT
from pymysql.constants import ER

from fivenines.experiment.source import solution_from
from fivenines.load.workloads.oltp import Oltp
from fivenines.trial.deployment.deployed import Deployed, data_set

# The nodes start with this data set; the tests load another family in addition.
LOADED = Oltp(workload="oltp_read_write", name="oltp", tables=2, table_size=500)

TATP = workload_flags("tatp", subscribers=40_000)
TABLES = ("subscriber", "access_info", "special_facility", "call_forwarding")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Site]]:
    settings = solution_from({"solution": "galera", "size": 3}, "test")
    data = data_set(settings, LOADED, lambda _message, _fraction: None)
    with Deployed(settings, data, tmp_path_factory.mktemp("galera") / "lab") as deployed:
        deployed.bring_up()
        yield [Site(node) for node in deployed.solution.nodes]


def _caught_up(node: Site) -> None:
    """Wait until the node has applied everything that the cluster committed before.

    A CHECKSUM TABLE that an applied DDL statement aborts ends in half a row, which no client can read. The
    server itself waits no longer than repl.causal_read_timeout (30 s), which a busy machine can outlast.
    """
    deadline = time.monotonic() + LIMIT
    with node.node.sql.connect(60.0) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION wsrep_sync_wait = 15")
        while True:
            try:
                cursor.execute("SELECT COUNT(*) FROM mysql.user")
                return
            except pymysql.OperationalError as error:
                if error.args[0] != ER.LOCK_WAIT_TIMEOUT or time.monotonic() > deadline:
                    raise


def _same_everywhere(nodes: list[Site]) -> list[str]:
    """Return the checksums of all tables, which must become equal on all nodes."""
    deadline = time.monotonic() + LIMIT
    while True:
        for node in nodes:
            _caught_up(node)
        checksums = [node.checksum(*TABLES) for node in nodes]
        if checksums[1:] == checksums[:-1]:
            return checksums[0]
        assert time.monotonic() < deadline, checksums
        time.sleep(0.2)


# Another test covers loading after a kill on one server.
@pytest.mark.long
def test_two_nodes_share_the_work_and_another_continues_after_a_kill(nodes: list[Site]) -> None:
    alone = nodes[0].prepare(*TATP)
    assert alone.code == 0, alone.stderr
    whole = _same_everywhere(nodes)
    assert nodes[1].prepare(*TATP).event("already_loaded")
    assert nodes[0].prepare(*TATP, "--seed", "2", "--drop").code == 0

    nodes[2].drop_tables(*TABLES)
    for node in nodes[:2]:
        _caught_up(node)
    both = [ended(loading) for loading in [nodes[0].start(*TATP), nodes[1].start(*TATP)]]
    assert [(done.code, done.rows) for done in both] == [(0, alone.rows)] * 2, both
    assert _same_everywhere(nodes) == whole

    loading: subprocess.Popen[str] = nodes[0].start_until(0.3, *TATP, "--drop")
    loading.kill()
    loading.wait()
    resumed = nodes[1].prepare(*TATP)
    assert (resumed.code, resumed.rows) == (0, alone.rows), resumed.stderr
    assert _same_everywhere(nodes) == whole
