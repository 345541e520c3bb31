"""The comparison of tables without servers: which chunks and keys differ, and how they are reported."""

from contextlib import contextmanager
from typing import Any, cast

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.base import Server
from fivenines.servers.checksums import Shape, shapes_of
from fivenines.servers.mysql_family.checksums import MysqlFamilyDialect
from fivenines.servers.postgres.checksums import PostgresDialect
from fivenines.trial import divergence
from fivenines.trial.divergence import compare, differing_chunks, differing_keys

SHAPE = Shape('t`"', (("id", "int"), ("note", "longtext")), ("id",))


class FakeServer:
    """Answers the three questions of a comparison out of a mapping of tables to rows."""

    dialect = PostgresDialect

    def __init__(
        self, name: str, tables: dict[str, dict[str, str]], fails: str = "", refuses: str = ""
    ) -> None:
        self.name, self.tables, self.fails, self.refuses = name, tables, fails, refuses
        self.answer: list[tuple[Any, ...]] = []
        self.sql = self.introspection = self

    @contextmanager
    def open_data(self, timeout: float) -> Any:
        if self.fails:
            raise ConnectionError(self.fails)
        yield self

    @contextmanager
    def cursor(self) -> Any:
        yield self

    def execute(self, sql: str) -> None:
        table = next((name for name in self.tables if f'FROM "{name}"' in sql), None)
        if table is not None and table == self.refuses:
            raise psycopg.errors.FeatureNotSupported("cannot access unlogged relations during recovery")
        rows = [(hash(k) % 1024, hash((k, v)), k) for k, v in self.tables.get(table or "", {}).items()]
        if "pg_class" in sql:
            self.answer = [(n, c, "text", c == "id") for n in self.tables for c in ("id", "v")]
        elif "GROUP BY" in sql:
            chunks = {chunk for chunk, _, _ in rows}
            self.answer = [
                (c, sum(r[0] == c for r in rows), sum(r[1] for r in rows if r[0] == c)) for c in chunks
            ]
        elif table:
            self.answer = [(hashed, key) for _, hashed, key in rows]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self.answer


def compared(*nodes: FakeServer, bound: float = 60.0) -> Any:
    return compare(cast("list[Server]", list(nodes)), "node1", {"node9": "away"}, bound)


@given(
    st.dictionaries(st.integers(0, 50).map(str), st.text(max_size=3), max_size=20),
    st.sets(st.integers(0, 50).map(str)),
    st.sets(st.integers(0, 50).map(str)),
)
def test_every_planted_difference_is_named(rows: dict[str, str], taken: set[str], changed: set[str]) -> None:
    other = {k: v + ("!" if k in changed else "") for k, v in rows.items() if k not in taken}
    result = compared(FakeServer("node1", {"t": rows}), FakeServer("node2", {"t": other}))
    expected = dict.fromkeys(taken & set(rows), "not") | dict.fromkeys((changed & set(rows)) - taken, "other")
    reported = result.differences[0].keys if result.differences else []
    assert {key.split()[1].rstrip(":"): key.split()[2] for key in reported} == expected
    assert (result.tables, result.rows, result.reference) == (1, len(rows), "node1")
    assert result.left_out == {"node9": "away"}


def test_a_row_that_only_a_replica_has() -> None:
    keys = differing_keys(("id",), {"node1": {}, "node2": {("7",): (1,)}, "node3": {}})
    assert keys == ["id 7: not on node1, node3"]


def test_keys_stand_in_their_own_order_and_equal_rows_count() -> None:
    item: dict[tuple[str, ...], tuple[int, ...]] = {(k,): (1,) for k in ("10", "9", "-1", "x")}
    assert differing_keys(("k",), {"a": item, "b": {}}) == [
        "k -1: not on b",
        "k 9: not on b",
        "k 10: not on b",
        "k x: not on b",
    ]
    assert differing_keys(("k",), {"a": {("x",): (1, 1)}, "b": {("x",): (1,)}}) == ["k x: other on b"]


def test_only_so_many_keys_are_named_but_all_are_counted() -> None:
    rows = {str(n): "" for n in range(250)}
    result = compared(FakeServer("node1", {"t": rows}), FakeServer("node2", {"t": {}}))
    (difference,) = result.differences
    assert (difference.differing, len(difference.keys)) == (250, 100)
    assert difference.rows == {"node1": 250, "node2": 0}


def test_a_huge_difference_is_read_only_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divergence, "MOST_CHUNK_ROWS", 0)
    rows = {str(n): "" for n in range(50)}
    result = compared(FakeServer("node1", {"t": rows}), FakeServer("node2", {"t": {}}))
    assert result.incomplete.startswith("t: keys are named in 1 of")


def test_a_table_that_is_missing_or_other() -> None:
    result = compared(FakeServer("node1", {"t": {}, "u": {}}), FakeServer("node2", {"t": {}}))
    (difference,) = result.differences
    assert difference.table == "u"
    assert difference.checksums == {"node1": "columns id text, v text", "node2": "no such table"}


def test_a_node_that_fails_is_left_out_with_its_reason() -> None:
    nodes = [FakeServer("node1", {"t": {}}), FakeServer("node2", {"t": {}})]
    result = compared(*nodes, FakeServer("node3", {}, "refused"))
    assert result.left_out == {"node9": "away", "node3": "refused"}
    assert result.compared == ["node1", "node2"] and result.tables == 1


def test_a_table_that_a_node_refuses_hides_no_other_table() -> None:
    tables = {"cache": {"1": "x"}, "t": {"1": "x"}}
    standby = FakeServer("node2", {**tables, "t": {"1": "y"}}, refuses="cache")
    result = compared(FakeServer("node1", tables), standby)
    assert result.incomplete == "cache: node2: cannot access unlogged relations during recovery"
    assert result.compared == ["node1", "node2"] and result.tables == 1
    assert [(one.table, one.differing) for one in result.differences] == [("t", 1)]


def test_no_time_and_no_partners() -> None:
    nodes = [FakeServer("node1", {"t": {}}), FakeServer("node2", {"t": {}})]
    assert compared(*nodes, bound=-1.0).incomplete == "the time limit was reached before t"
    assert compared(nodes[0]).incomplete == "fewer than two nodes could be compared"


@given(st.lists(st.dictionaries(st.integers(0, 5), st.tuples(st.just(1), st.integers())), min_size=2))
def test_chunks_differ_unless_all_nodes_agree(values: list[dict[int, tuple[int, int]]]) -> None:
    differing = differing_chunks(values)
    for chunk in range(6):
        alike = all(item.get(chunk) == values[0].get(chunk) for item in values)
        assert (chunk in differing) == (not alike)


def test_the_clock_of_a_ledgers_row_is_not_compared() -> None:
    table = "fivenines_ledger"
    columns = [(table, "id", "bigint", 1), (table, "client", "int", 0), (table, "executed_us", "bigint", 0)]
    assert shapes_of(columns)[table].columns == (("id", "bigint"), ("client", "int"))


def test_a_table_without_a_primary_key_has_all_columns_as_key() -> None:
    shapes = shapes_of([("t", "a", "int", 0), ("t", "b", "int", 0), ("u", "a", "int", 1)])
    assert (shapes["t"].key, shapes["u"].key) == (("a", "b"), ("a",))


def test_tables_of_one_name_in_two_schemas_are_two_tables() -> None:
    shapes = shapes_of(
        [("t", "a", "int", 1, None), ("t", "b", "int", 1, "app"), ("t", "c", "text", 0, "app")]
    )
    assert shapes["t"].columns == (("a", "int"),)
    assert shapes["app.t"].columns == (("b", "int"), ("c", "text"))
    assert 'FROM "app"."t" GROUP' in PostgresDialect().chunk_sql(shapes["app.t"])


def test_names_are_quoted_and_long_values_are_hashed_first() -> None:
    assert '`t``"`' in MysqlFamilyDialect("MD5({})").chunk_sql(SHAPE)
    assert "COALESCE(MD5(`note`), 'NULL')" in MysqlFamilyDialect("MD5({})").chunk_sql(SHAPE)
    # MySQL 9.6 and newer have no MD5
    assert "COALESCE(SHA2(`note`, 256), 'NULL')" in MysqlFamilyDialect("SHA2({}, 256)").chunk_sql(SHAPE)
    assert "MD5" not in MysqlFamilyDialect("SHA2({}, 256)").chunk_sql(SHAPE)
    assert '"t`"""' in PostgresDialect().chunk_sql(SHAPE)
    assert "IN (3, 5)" in PostgresDialect().row_sql(SHAPE, {5, 3})
