"""Replication: settings, configuration of nodes, members, and rejoining."""

from types import SimpleNamespace
from typing import Any

import pytest
from noting_servers import NotingMysql, deployed, replication

from fivenines.base.errors import FiveninesError
from fivenines.servers.mariadb.server import SEMI_SYNC_PRIMARY, WHERE_ITS_LOG_ENDS, WRITABLE, follow
from fivenines.servers.mysql.replication import MysqlReplicating
from fivenines.solutions.replication.solution import Replication


def test_every_replica_has_a_number_and_starts_read_only() -> None:
    solution = deployed(replication(durability="relaxed"))
    found = [solution.configuration.own(node) for node in solution.nodes]
    assert [one["server_id"] for one in found] == [1, 2, 3]
    assert {(one["read_only"], one["gtid_strict_mode"]) for one in found} == {(True, True)}
    assert {(one["sync_binlog"], one["innodb_flush_log_at_trx_commit"]) for one in found} == {(0, 2)}
    assert not [name for name in found[0] if name.startswith("rpl_semi_sync")]
    assert solution.manager_facts() == {"synchronous": False}


def test_applier_threads_and_their_mode() -> None:
    plain = deployed(replication())
    assert not [name for name in plain.configuration.own(plain.nodes[0]) if "parallel" in name]
    several = deployed(replication(appliers=4, parallel_mode="conservative"))
    found = several.configuration.own(several.nodes[1])
    assert (found["slave_parallel_threads"], found["slave_parallel_mode"]) == (4, "conservative")
    assert "a single thread" in replication(parallel_mode="optimistic").problems()[0]
    other = replication(engine="mysql-9.7", appliers=8, parallel_mode="optimistic")
    assert "MySQL has no such setting" in other.problems()[0]
    assert replication(engine="mysql-9.7", appliers=8).problems() == []


@pytest.mark.parametrize("mode", ["after_sync", "after_commit"])
def test_semi_synchronous_replicas_acknowledge_and_do_not_wait(mode: str) -> None:
    solution = deployed(replication(mode=mode, semi_sync_timeout=2.5))
    found = solution.configuration.own(solution.nodes[2])
    assert found["rpl_semi_sync_slave_enabled"] is True
    assert found["rpl_semi_sync_master_wait_point"] == mode.upper()
    assert found["rpl_semi_sync_master_timeout"] == 2500
    assert "rpl_semi_sync_master_enabled" not in found
    assert solution.manager_facts() == {"synchronous": True}


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [("async", " --skip-slave-start"), ("after_sync", " --skip-slave-start --init-rpl-role=SLAVE")],
)
def test_a_server_rejoins_as_replica_of_the_new_primary(mode: str, arguments: str) -> None:
    solution = deployed(replication(mode=mode))
    old, primary = solution.nodes[0], solution.nodes[2]
    primary.answering = primary.is_writable = True
    solution.membership.rejoin(old)
    assert old.done == [
        f"start{arguments}",
        WHERE_ITS_LOG_ENDS,
        *follow("10.99.0.13", solution.passwords.replication),
    ]


@pytest.mark.parametrize(
    ("mode", "done"),
    [("async", ["start", WRITABLE]), ("after_commit", ["start", SEMI_SYNC_PRIMARY, WRITABLE])],
)
def test_a_primary_that_was_not_replaced_is_primary_again(mode: str, done: list[str]) -> None:
    solution = deployed(replication(mode=mode))
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[0].done == done


def _state(io: str = "", sql: str = "", running: tuple[str, str] = ("Yes", "Yes")) -> Any:
    return {
        "Last_IO_Error": io,
        "Last_SQL_Error": sql,
        "Slave_IO_Running": running[0],
        "Slave_SQL_Running": running[1],
    }


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (_state(), ""),
        ({}, "node2 follows no primary"),
        (_state(io="refused", sql="later"), "node2: refused"),
        (_state(sql="duplicate key", running=("Yes", "No")), "node2: duplicate key"),
        (_state(running=("Connecting", "Yes")), "node2 is still connecting"),
        (_state(running=("Yes", "No")), "node2 is still connecting"),
    ],
)
def test_when_a_mariadb_replica_has_joined(state: Any, reason: str) -> None:
    solution = deployed(replication())
    node = solution.nodes[1]
    assert solution.membership.not_joined_reason(node) == "node2 does not answer"
    node.answering, node.state = True, state
    assert solution.membership.not_joined_reason(node) == reason
    assert solution.roles.of(node) == "replica"
    node.is_writable = True
    assert solution.membership.not_joined_reason(node) == ""
    assert solution.roles.of(node) == "primary"


def test_each_runs_on_all_nodes_and_raises_an_error() -> None:
    solution = deployed(replication())
    solution.each(lambda node: node.start("--x"))
    assert [node.done for node in solution.nodes] == [["start --x"]] * 3
    solution.each(lambda node: node.start("--y"), [])

    def broken(node: Any) -> None:
        if node.name == "node2":
            raise FiveninesError("node2 will not")

    with pytest.raises(FiveninesError, match="node2 will not"):
        solution.each(broken)


def test_of_two_writable_nodes_the_one_promoted_last_is_the_primary() -> None:
    solution = deployed(replication(replicas=2))
    first, second, third = solution.nodes
    for node in solution.nodes:
        node.answering = True
    first.is_writable = second.is_writable = True
    assert solution.roles.by_name() == {"node1": "primary", "node2": "unexpected-primary", "node3": "replica"}
    solution.roles.appoint("node2")
    assert solution.roles.primary() is solution.roles.primary_of_record is second
    assert solution.roles.by_name() == {"node1": "unexpected-primary", "node2": "primary", "node3": "replica"}
    assert solution.roles.of(first) == "unexpected-primary"
    assert "node1 is writable although node2 is the primary" in solution.membership.not_joined_reason(first)
    assert "node1 is writable" in solution.membership.unexpected_primary_reason(first)
    assert solution.membership.unexpected_primary_reason(second) == ""
    second.is_writable = False
    assert solution.roles.primary() is first
    assert solution.membership.restart_order([first, third, second])[0] is second


def test_mysql_replicates_under_its_own_names() -> None:
    one = replication(engine="mysql-9.7", mode="after_commit", wait_for=2)
    assert one.problems() == []
    engine: Any = SimpleNamespace(family="mysql")
    solution: Any = Replication(one, None, engine, None)  # type: ignore[arg-type]
    solution.nodes = [NotingMysql(number, engine) for number in (1, 2, 3)]
    found = solution.configuration.own(solution.nodes[1])
    assert (found["server_id"], found["gtid_mode"], found["super_read_only"]) == (2, "ON", True)
    assert found["rpl_semi_sync_source_wait_for_replica_count"] == 2
    assert not [name for name in found if "slave" in name]
    primary, old = solution.nodes[1], solution.nodes[0]
    primary.answering = primary.is_writable = True
    solution.membership.rejoin(old)
    assert old.done == [
        "start --skip-replica-start",
        *MysqlReplicating().follow("10.99.0.12", solution.passwords.replication),
    ]


def test_a_majority_of_the_nodes_decides_where_the_manager_runs_on_them() -> None:
    facts = replication(mode="after_sync", manager={"kind": "pacemaker"}).facts()
    assert facts is not None and facts.extra == "pacemaker on every node"
    assert facts.failover.startswith("Pacemaker promotes") and "more than half" in facts.partition
    assert "the server stops" in facts.two_down and "until a replica is promoted" in facts.one_down
