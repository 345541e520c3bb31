"""Replication statements of MariaDB and MySQL, and when a node has diverged from its primary."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.mariadb.replication import MariadbReplicating
from fivenines.servers.mysql.replication import MysqlReplicating
from fivenines.servers.mysql_family.replication import NOT_IN_THE_LOG, Replicating

NODE, PRIMARY = "00000000-0000-0000-0000-000000000011", "00000000-0000-0000-0000-000000000012"


def _text(gtids: Iterable[tuple[str, int]]) -> str:
    """A set of GTIDs as MySQL writes it, one interval for each, with line ends between servers."""
    return ",\n".join(f"{server}:{number}" for server, number in sorted(gtids))


def _set(text: str) -> set[tuple[str, int]]:
    pairs = (part.strip().split(":") for part in text.split(",") if part.strip())
    return {(server, int(number)) for server, number in pairs}


def _server(name: str, executed: set[tuple[str, int]]) -> Any:
    """Return a server that has executed these transactions, and can subtract."""

    def query(statement: str) -> list[tuple[str]]:
        if "GTID_SUBTRACT" not in statement:
            return [(_text(executed),)]
        asked = _set(statement.partition("('")[2].partition("'")[0])
        return [(_text(asked - executed),)]

    return SimpleNamespace(name=name, sql=SimpleNamespace(query=query))


transactions = st.sets(st.tuples(st.sampled_from([NODE, PRIMARY]), st.integers(1, 9)))


@given(transactions, transactions)
def test_a_mysql_node_with_transactions_of_its_own_has_diverged(
    own: set[tuple[str, int]], others: set[tuple[str, int]]
) -> None:
    node, primary = _server("node1", own), _server("node2", others)
    sql = MysqlReplicating()
    assert sql.diverged(node, primary, {}) == bool(own - others)
    assert bool(sql.behind(node, primary)) == bool(others - own)
    assert bool(sql.written(primary)(node)) == bool(others - own)


@pytest.mark.parametrize(
    ("applied", "logged", "lacks"),
    [
        ("0-1-6", "", True),
        ("0-1-7", "", False),
        ("0-1-9", "", False),
        ("", "0-2-7", False),
        ("1-1-9", "1-1-9", True),
        ("0-1-7,1-1-9", "", False),
    ],
)
def test_a_mariadb_node_has_applied_a_position_also_when_more_followed(
    applied: str, logged: str, lacks: bool
) -> None:
    primary: Any = SimpleNamespace(sql=SimpleNamespace(query=lambda _: [("0-1-7",)]))
    sql = SimpleNamespace(query=lambda _: [(applied, logged)])
    node: Any = SimpleNamespace(name="node2", sql=sql)
    missing = MariadbReplicating().written(primary)(node)
    assert bool(missing) is lacks, missing


@pytest.mark.parametrize("sql", [MariadbReplicating(), MysqlReplicating()])
def test_an_unknown_position_is_a_divergence(sql: Replicating) -> None:
    same = {(NODE, 1)}
    node, primary = _server("node1", same), _server("node2", same)
    assert sql.diverged(node, primary, {"Last_IO_Errno": str(NOT_IN_THE_LOG)})
    assert not sql.diverged(node, primary, {"Last_IO_Errno": 0})
    assert not sql.diverged(node, primary, {})


@pytest.mark.parametrize(
    ("sql", "closed"), [(MariadbReplicating(), "read_only"), (MysqlReplicating(), "super_read_only")]
)
def test_nodes_are_read_only_until_a_promotion(sql: Replicating, closed: str) -> None:
    assert sql.settings()[closed] is True
    assert any(closed in statement for statement in sql.writable)
    statements = sql.follow("10.99.0.12", "hidden")
    assert any(f"{closed} = " in statement for statement in statements)
    assert statements[-1].startswith("START") and "10.99.0.12" in statements[-2]


def test_mysql_waits_for_the_configured_number_of_replicas() -> None:
    found = MysqlReplicating().semi_sync("after_sync", 2500, 2)
    assert found["rpl_semi_sync_source_wait_for_replica_count"] == 2
    assert found["rpl_semi_sync_source_wait_point"] == "AFTER_SYNC"
    assert found["rpl_semi_sync_source_timeout"] == 2500
    # The primary's half is switched on at promotion.
    assert "rpl_semi_sync_source_enabled" not in found


def test_only_mariadb_can_discard_unreplicated_transactions() -> None:
    assert MariadbReplicating().rejoin_arguments(True)[1:] == ["--init-rpl-role=SLAVE"]
    assert MariadbReplicating().rejoin_arguments(False)[1:] == []
    assert MysqlReplicating().rejoin_arguments(True) == ["--skip-replica-start"]
