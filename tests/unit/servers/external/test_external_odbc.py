"""Observations of a server by plain SQL: rows, writability, and lag."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from fivenines.lab.this_machine import ThisMachine
from fivenines.servers.external import external_odbc
from fivenines.servers.external.by_odbc import OdbcError
from fivenines.servers.external.external_odbc import ExternalByOdbc, OdbcSql
from fivenines.servers.external.remote import Target
from fivenines.software.store import engine


class _Sqlite:
    """A connection to SQLite that fails as one of ODBC does."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None)

    def execute(self, sql: str) -> Any:
        try:
            return self._connection.execute(sql)
        except sqlite3.OperationalError as error:
            missing = "no such table" in str(error)
            raise OdbcError(str(error), "missing_table" if missing else "other") from None

    def cursor(self) -> Any:
        return closing(self._connection.cursor())

    def close(self) -> None:
        self._connection.close()


class _Sql(OdbcSql):
    """Connections to a file."""

    file: Path

    @contextmanager
    def connect(self, timeout: float = 2.0) -> Iterator[Any]:
        with closing(_Sqlite(self.file)) as connection:
            yield connection


class _Member(ExternalByOdbc):
    """A server whose data are a file."""

    sql: _Sql


@pytest.fixture
def members(tmp_path: Path) -> Iterator[tuple[_Member, _Member]]:
    with ThisMachine(tmp_path / "here") as here:
        found = []
        for name in ("db1", "db2"):
            target = Target("192.0.2.1", 1, "app", "", "shop", "", "prefer", "")
            host = here.add_external(name, "192.0.2.1")
            one = _Member(host, engine("external-odbc"), target, "DSN=x", "sqlserver")
            one.sql = _Sql(one)
            one.sql.file = tmp_path / f"{name}.db"
            found.append(one)
        yield found[0], found[1]


def test_the_ledger_is_read_whole_in_slices(members: tuple[_Member, _Member]) -> None:
    one, _ = members
    assert one.sql.ledger_rows() == []
    expected = [1, 2, 19_999, 20_000, 20_001, 39_999, 40_000, 61_234]
    with one.sql.connect() as connection:
        connection.execute("CREATE TABLE fivenines_ledger (id BIGINT PRIMARY KEY, client INTEGER)")
        assert one.sql.ledger_rows() == []
        for number in expected:
            connection.execute(f"INSERT INTO fivenines_ledger VALUES ({number}, 0)")
    assert one.sql.ledger_rows() == [(number, None) for number in expected]


def test_a_server_that_accepts_a_row_is_writable_and_keeps_none(members: tuple[_Member, _Member]) -> None:
    one, other = members
    assert one.writable() and one.writable()
    assert one.sql.query("SELECT * FROM fivenines_probes") == []
    other.sql.file = Path("/nowhere/at/all.db")
    assert not other.writable()


def test_a_server_without_the_newest_row_lags(
    members: tuple[_Member, _Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = members
    monkeypatch.setattr(external_odbc, "ARRIVES", 0.1)
    assert other.behind(one) == "db2 lacks the row that db1 got 0.1 s ago"
    # Both are the same file: what is written through one appears in the other at once.
    other.sql.file = one.sql.file
    assert other.behind(one) == ""
    assert one.sql.query("SELECT * FROM fivenines_probes") == []


def test_tables_of_fivenines_are_dropped(members: tuple[_Member, _Member]) -> None:
    one, _ = members
    one.drop_own_tables()
    one.writable()
    one.drop_own_tables()
    with one.sql.connect() as connection, pytest.raises(OdbcError, match="no such table"):
        connection.execute("SELECT * FROM fivenines_probes")
