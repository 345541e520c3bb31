"""Observations of MySQL NDB Cluster while a data node dies and rejoins; clients write to all SQL nodes
through a proxy.

All tests share one trial. It ends with an SQL node that gets an empty data directory and still has the
accounts.
"""

import shutil
from pathlib import Path

import pymysql
import pytest
from lab_support import Outcome, rejoined, run_trial, sound

from fivenines.analysis.consistency.checkpoints import LAG, WHOLE
from fivenines.analysis.measured import VALUES
from fivenines.analysis.resources.counters import panels_of, watched
from fivenines.analysis.resources.member_states import STATE
from fivenines.base.paths import short_path
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION
from fivenines.servers.mysql_family.setup import SOCKET
from fivenines.servers.ndb.sql_node import SqlNode
from fivenines.software.engines.ndb_archive import REMEDIES, NdbArchive
from fivenines.trial.deployment.deployed import Deployed

pytestmark = pytest.mark.skipif(not NdbArchive().fetched, reason=f"no NDB Cluster: {REMEDIES}")

TEXT = """\
solutions: [{solution: ndb, heartbeat: 500ms, global_checkpoint: 500ms, writes: all, access: haproxy}]
load: {rate: 40}
observe: {interval: 250ms}
timing: {warmup: 500ms, steady: 4s, recovery: 15s, settle: 120s}
faults: [{fault: kill, target: data2, restart_after: 2s}]
"""


def _start_empty(node: SqlNode) -> None:
    """Start a node with a data directory that has only the administrator's account."""
    node.stop()
    for path in node.data.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def administrator_alone() -> None:
        secrets.write(node.host, "accounts.sql", f"{node.setup.passwords_set()[0]};\n")
        node.setup._newly_owned = True

    node.setup.make_accounts = administrator_alone  # type: ignore[method-assign]
    node.setup.initialise()
    node.start()
    node.wait_ready(90.0)


def _rows_as_client(node: SqlNode) -> int:
    with (
        short_path(node.socket_folder()) as folder,
        pymysql.connect(
            unix_socket=f"{folder}/{SOCKET}",
            user=APPLICATION,
            password=node.passwords.application,
            database=node.database,
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT COUNT(*) FROM sbtest1")
        ((count,),) = cursor.fetchall()
        return int(count)


def _names(outcome: Outcome, node: str) -> set[str]:
    rows = outcome.rows("counters", f"SELECT DISTINCT name FROM rows WHERE node = '{node}'")
    return {str(row[0]) for row in rows}


def _states_are_reported(outcome: Outcome) -> None:
    # A management node that is slow on a busy machine leaves states unknown for a moment.
    sql = "SELECT node, state FROM rows WHERE state <> 'not known' ORDER BY t_us"
    rows = outcome.rows("members", sql)
    of = {name: [str(state) for node, state in rows if node == name] for name in ("data1", "data2")}
    assert set(of["data1"]) == {"started"}
    # Whether the node rejoins before the load ends depends on the machine.
    assert of["data2"][0] == "started"
    back = of["data2"][of["data2"].index("not connected") :]
    assert any(state.startswith("starting ") for state in back)
    assert ("management1", "started") in rows


def _counters_are_sampled(outcome: Outcome) -> None:
    for node in ("data1", "data2"):
        names = _names(outcome, node)
        assert names >= {
            "ndbinfo.counters.OPERATIONS",
            "ndbinfo.transporters.bytes_sent",
            "ndbinfo.memoryusage.data_used",
            "ndbinfo.logspaces.used",
            "ndbinfo.tc_time_track_stats.transactions_us",
        }
        assert not any(name.startswith("Ndb_") for name in names)
    # Clients write through both SQL nodes.
    for node in ("node1", "node2"):
        rows = outcome.rows(
            "counters",
            f"SELECT max(value) - min(value) FROM rows WHERE node = '{node}' "
            "AND name = 'Ndb_api_trans_commit_count'",
        )
        assert float(str(rows[0][0])) > 50, node
    assert not any(name.endswith("_session") for name in _names(outcome, "node1"))


def _logs_are_read(outcome: Outcome) -> None:
    rows = outcome.rows("incidents", "SELECT kind, count(*) FROM rows GROUP BY kind")
    kinds = {str(kind): int(str(count)) for kind, count in rows}
    assert kinds["global checkpoint"] >= 3
    assert "disconnected" in kinds and "node failure handled" in kinds


def _lag_is_measured(outcome: Outcome) -> None:
    trial = outcome.measures()
    worst, mean = VALUES["checkpoint_lag_max"](trial), VALUES["checkpoint_lag_mean"](trial)
    assert worst is not None and mean is not None
    # With a checkpoint each 0.5 s no lag is shorter, and the mean is less than the maximum.
    assert worst[0] >= 450 and mean[0] < worst[0]
    commits = VALUES["counter:ndbinfo.counters.COMMITS/s"](trial)
    assert commits is not None and commits[0] > 20


def _all_is_drawn(outcome: Outcome) -> None:
    counters = watched([outcome.stored()])[outcome.folder.name].counters
    assert list(counters[LAG]) == [WHOLE]
    assert set(counters[STATE]) == {"data1", "data2", "management1"}
    titles = " ".join(panel.title for panel in panels_of(counters))
    assert "State" in titles and "Lag of the global checkpoint" in titles and "LQH" in titles


@pytest.mark.lasts(50)
def test_states_counters_checkpoints_and_logs_of_data_nodes(tmp_path: Path) -> None:
    rows: list[int] = []

    def empty_one(deployed: Deployed) -> None:
        node = deployed.solution.node("node2")
        assert isinstance(node, SqlNode)
        _start_empty(node)
        rows.append(_rows_as_client(node))

    outcome = run_trial(tmp_path, TEXT, {"checking": empty_one})
    sound(outcome)
    rejoined(outcome)
    assert rows and rows[0] > 0
    _states_are_reported(outcome)
    _counters_are_sampled(outcome)
    _logs_are_read(outcome)
    _lag_is_measured(outcome)
    _all_is_drawn(outcome)
