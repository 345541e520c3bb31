"""PostgreSQL standbys in other topologies: quorum, priority, cascade, slots, delay."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from lab_support import LIMIT, OPERATOR, deployed_small, kill, rejoined, run_trial, sound, timing

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.servers.postgres.server import Postgres
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.hot_standby.solution import HotStandby


@contextmanager
def _standbys(folder: Path, **given: object) -> Iterator[HotStandby]:
    asked = {"solution": "hot-standby", "standbys": 2, "manager": {"kind": "none"}}
    settings = HotStandbySettings.model_validate(asked | given)
    with deployed_small(folder, settings) as made:
        assert isinstance(made.solution, HotStandby)
        yield made.solution


def _write(node: Postgres, number: int) -> None:
    with node.sql.open_data(120.0) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS seen (id INT PRIMARY KEY)")
        connection.execute(f"INSERT INTO seen VALUES ({number})".encode())


def _has(node: Postgres, number: int) -> bool:
    try:
        with node.sql.open_data() as connection:
            sql = f"SELECT count(*) FROM seen WHERE id = {number}"
            return bool(connection.execute(sql.encode()).fetchall() == [(1,)])
    except psycopg.errors.UndefinedTable:
        return False


def _sync(primary: Postgres) -> dict[str, str]:
    return dict(primary.sql.query("SELECT application_name, sync_state FROM pg_stat_replication"))


def _waiting(primary: Postgres) -> str:
    ((number,),) = primary.sql.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    return "" if number == 1 else f"{number} commits wait"


def _kept(primary: Postgres, slot: str) -> int:
    """Return the bytes of log that a slot retains."""
    ((retained,),) = primary.sql.query(
        "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint "
        f"FROM pg_replication_slots WHERE slot_name = '{slot}'"
    )
    return int(retained)


def test_a_commit_waits_for_two_and_a_slot_retains_the_log_for_an_absent_standby(tmp_path: Path) -> None:
    with _standbys(tmp_path, wait_for=2, slots=True) as solution:
        primary, second, third = solution.nodes
        assert _sync(primary) == {"node2": "quorum", "node3": "quorum"}
        _write(primary, 1)
        third.stop()
        waiting = threading.Thread(target=_write, args=(primary, 2), daemon=True)
        waiting.start()
        wait_until(lambda: _waiting(primary), 90.0, "the commit does not wait")
        before = _kept(primary, "node3")
        primary.sql.execute("SELECT pg_switch_wal()", "SELECT pg_create_restore_point('further')")
        assert _kept(primary, "node3") > before + 2**20
        solution.membership.rejoin(third)
        wait_until(lambda: solution.membership.not_joined_reason(third), 90.0, "node3 did not come back")
        waiting.join(90.0)
        assert not waiting.is_alive() and _has(primary, 2)
        wait_until(lambda: "" if _has(third, 2) else "not yet", 90.0, "node3 lacks the row")
        assert second.sql.query("SELECT count(*) FROM pg_replication_slots") == [(2,)]


def test_the_first_of_two_is_waited_for_and_the_other_takes_its_place(tmp_path: Path) -> None:
    with _standbys(tmp_path, choice="first") as solution:
        primary, second, _third = solution.nodes
        assert _sync(primary) == {"node2": "sync", "node3": "potential"}
        second.stop()
        wait_until(
            lambda: "" if _sync(primary) == {"node3": "sync"} else str(_sync(primary)),
            90.0,
            "node3 did not take its place",
        )
        _write(primary, 1)


def test_a_delayed_standby_shows_a_row_late_and_no_client_waits_for_it(tmp_path: Path) -> None:
    with _standbys(tmp_path, delay=4.0, synchronous_commit="remote_apply") as solution:
        primary, second, third = solution.nodes
        assert _sync(primary) == {"node2": "quorum", "node3": "async"}
        began = time.monotonic()
        _write(primary, 1)
        assert _has(second, 1)
        behind, lag = not _has(third, 1), solution.membership.lag_reason(third)
        # A busy machine may use up the delay before the query.
        if time.monotonic() - began < 3.0:
            assert behind and "bytes of log to replay" in lag
        wait_until(lambda: solution.membership.lag_reason(third), 60.0, "node3 never had it")
        assert _has(third, 1)
        assert time.monotonic() - began > 4.0


def test_a_cascade_with_slots_outlives_its_primary(tmp_path: Path) -> None:
    outcome = run_trial(
        tmp_path,
        "solutions: [{solution: hot-standby, standbys: 2, cascade: true, slots: true, "
        f"manager: {OPERATOR}}}]\n" + kill() + timing(),
    )
    sound(outcome)
    rejoined(outcome)
    assert "promoted" in outcome.kinds()
    assert outcome.writes_after_fault() > 0
    check = outcome.record.check
    assert check is not None and check.acknowledged > 0
    assert [node.lost for node in check.nodes] == [0, 0, 0]


def test_a_logical_subscriber_outlives_its_primary(tmp_path: Path) -> None:
    text = f"""\
solutions:
  - {{solution: hot-standby, standbys: 1, slots: true, subscriber: true, manager: {OPERATOR}}}
{kill()}{timing()}"""
    outcome = run_trial(tmp_path, text)
    sound(outcome)
    rejoined(outcome)
    record = outcome.record
    assert record.check is not None
    roles = {node.node: node.role for node in record.check.nodes}
    assert roles == {"node1": "replica", "node2": "primary", "node3": "replica"}
    # It has every row from before and after the failover, like all nodes.
    assert outcome.node("node3").lost == 0
    assert record.divergence is not None
    assert sorted(record.divergence.compared) == ["node1", "node2", "node3"]
    assert record.divergence.differences == [] and outcome.writes_after_fault() > 0


def test_a_primary_that_cannot_be_rewound_gets_a_new_base_copy(tmp_path: Path) -> None:
    with _standbys(tmp_path, standbys=1, synchronous_commit="local") as solution:
        old, new = solution.nodes
        _write(old, 1)
        wait_until(lambda: "" if _has(new, 1) else "not there", LIMIT, "row 1")
        assert old.process is not None
        old.process.gone(old.process.kill())
        new.sql.execute("SELECT pg_promote(true, 60)")
        solution.roles.appoint(new.name)
        _write(new, 2)
        # Without its log the old primary can neither be rewound nor recover.
        old.host.commands.run(["sh", "-c", "rm -f /run/node/data/pg_wal/0*"], uid=old.uid)
        solution.membership.rejoin(old)
        wait_until(lambda: solution.membership.not_joined_reason(old), LIMIT, "node1")
        wait_until(lambda: "" if _has(old, 2) else "not there", LIMIT, "row 2")
        (event,) = solution.events()
        assert (event.kind, event.node) == ("restored", "node1")
        assert event.detail.startswith("a new base copy of node2, as pg_rewind failed: ")
        assert not old.host.data.exists("fivenines-copy")


def test_a_copy_that_fails_leaves_the_data_as_they_were(tmp_path: Path) -> None:
    with _standbys(tmp_path, standbys=1) as solution:
        old, new = solution.nodes
        for node in (old, new):
            assert node.process is not None
            node.process.gone(node.process.kill())
        before = old.host.data.read_text("PG_VERSION")
        with pytest.raises(FiveninesError, match="connection to server"):
            old.copy_from(new)
        assert old.host.data.read_text("PG_VERSION") == before
        old.start()
        old.wait_ready()
