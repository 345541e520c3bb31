"""Where a channel continues: epochs and places of NDB, GTIDs of Galera."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.servers.mariadb.channel import GaleraChannel
from fivenines.servers.mysql_family.channel import Numbers
from fivenines.servers.ndb.channel import NdbChannel
from fivenines.servers.ndb.conflicts import detection


def _node(answers: dict[str, Any], **status: Any) -> Any:
    """Return a node that answers each statement by the first key that is in it."""

    def query(statement: str) -> Any:
        return next(rows for word, rows in answers.items() if word in statement)

    sql = SimpleNamespace(query=query, replica_status=lambda: status)
    return SimpleNamespace(name="node1", sql=sql)


INDEXED = {"epoch <= ": [("binlog.000001", 4711)], "SHOW BINARY LOG": [("binlog.000003", 157)]}


@pytest.mark.parametrize(
    ("answers", "mark", "was_down", "place"),
    [
        (INDEXED, "99", False, "binlog.000001:4711"),
        # Its log begins again after the gap.
        (INDEXED, "99", True, "binlog.000003:4"),
        ({**INDEXED, "epoch <= ": [("binlog.000003", 900)]}, "99", True, "binlog.000003:900"),
        (
            {**INDEXED, "epoch <= ": [], "epoch > ": [("binlog.000003", 200)]},
            "99",
            False,
            "binlog.000003:200",
        ),
        ({**INDEXED, "epoch <= ": [], "epoch > ": []}, "99", False, ""),
        (INDEXED, "", False, ""),
        (INDEXED, "", True, "binlog.000003:4"),
    ],
)
def test_reading_continues_in_an_sql_nodes_log(
    answers: dict[str, Any], mark: str, was_down: bool, place: str
) -> None:
    assert NdbChannel().after(_node(answers), mark, was_down) == place


def test_a_gtid_of_the_cluster_is_found_under_the_server_id_of_each_node() -> None:
    source = _node({"gtid_binlog_pos": [("1-1000-9,2-4-3",)]})
    assert GaleraChannel().after(source, "1-1-7", False) == "1-1000-7,2-4-3"
    assert GaleraChannel().after(source, "", True) == ""
    empty = _node({"gtid_binlog_pos": [("",)]})
    assert GaleraChannel().after(empty, "1-1-7", False) == "1-1-7"
    assert GaleraChannel().applied(2, [source], []) == "2-4-3"


@pytest.mark.parametrize(("applied", "behind"), [("1-1-9", False), ("2-4-9", True), ("1-1000-8", True)])
def test_galeras_lag_counts_in_the_domain(applied: str, behind: bool) -> None:
    source = _node({"gtid_binlog_pos": [("1-1000-9,2-4-3",)]})
    applier = _node({"gtid_binlog_pos": [(applied,)]})
    assert bool(GaleraChannel().behind(1, [source], source, applier)) is behind


@pytest.mark.parametrize("channel", [NdbChannel(), GaleraChannel()])
def test_a_stopped_applier_does_not_continue_by_itself(channel: Any) -> None:
    receives, applies = channel.threads
    status = {receives: "Yes", applies: "Yes", "Last_SQL_Error": "", "Last_IO_Error": ""}
    assert channel.trouble(status) == ""
    # The other site is unreachable: it retries.
    assert channel.trouble({**status, receives: "Connecting", "Last_IO_Error": "2003"}) == ""
    assert channel.trouble({**status, receives: "No"}) == "it does not receive"
    assert channel.trouble({**status, applies: "No"}) == "it does not apply"
    assert channel.trouble({**status, "Last_SQL_Error": "incident"}) == "incident"
    assert channel.trouble({}) == "it follows no source"


@pytest.mark.parametrize("channel", [NdbChannel(), GaleraChannel()])
def test_unapplied_changes_are_reported(channel: Any) -> None:
    received, applied = channel.positions
    assert channel.unapplied(_node({}, **{received: 9, applied: 9})) == ""
    assert channel.unapplied(_node({}, **{received: 9, applied: 7})) == "node1 has applied up to 7 of 9"


def test_servers_of_both_clusters_have_distinct_numbers() -> None:
    ndb = NdbChannel().settings(Numbers(2, 3, 4), False)
    assert (ndb["server_id"], ndb["auto_increment_offset"]) == (3, 2)
    assert ndb["ndb_log_apply_status"] is False
    galera = GaleraChannel().settings(Numbers(2, 4, 6), False)
    assert (galera["server_id"], galera["wsrep_gtid_domain_id"]) == (4, 2)
    assert (galera["auto_increment_increment"], galera["auto_increment_offset"]) == (6, 4)


def test_conflicts_are_detected_in_all_tables_of_the_workload() -> None:
    made, rows = detection("epoch", "", [1, 2])
    assert made.startswith("CREATE TABLE IF NOT EXISTS mysql.ndb_replication")
    assert rows.count("'NDB$EPOCH()'") == 2 and rows.count("('sbtest', 'fivenines%'") == 2
    assert "'NDB$MAX(version)'" in detection("max", "version", [1])[1]
