"""Role, standbys and durability of servers, and the statements that change durability."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.servers.base import Server
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.postgres.server import Postgres
from fivenines.servers.roles import Company
from fivenines.servers.session import Answer


class FakeSession:
    """A session that answers every query with one row, and records the queries."""

    def __init__(self, *row: Any) -> None:
        self.row, self.said = row, list[str]()

    def ask(self, statement: str) -> Answer:
        self.said.append(statement)
        return Answer([], [self.row])


def _server(kind: type[Server]) -> Any:
    host: Any = SimpleNamespace(name="node1")
    return kind(host, SimpleNamespace())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [Mariadb, Mysql])
@pytest.mark.parametrize(
    ("company", "row", "primary", "accompanied"),
    [
        (Company(), (0, 1, 1, 2), True, True),
        (Company(), (0, 1, 1, 0), True, False),
        (Company(2, True), (0, 1, 1, 1), True, False),
        (Company(2, True), (0, 1, 1, 2), True, True),
        # A status that is not ON gives no row: NULL.
        (Company(1, True), (0, 1, 1, None), True, False),
        (Company(), (1, 1, 1, 2), False, False),
        (None, (0, 1, 1, 0), True, False),
    ],
)
def test_a_primary_of_mysql_knows_its_standbys(
    kind: type[Server], company: Company | None, row: Any, primary: bool, accompanied: bool
) -> None:
    session: Any = FakeSession(*row)
    view = _server(kind).introspection.role_reader(company).look(session)
    assert (view.primary, view.accompanied) == (primary, accompanied)
    assert view.settings == {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
    counts = "clients" in session.said[0]
    assert counts is (company is not None and company.awaited), "who waits asks who acknowledges"
    assert ("STATUS" in session.said[0].upper() or "threads" in session.said[0]) is bool(company)


@pytest.mark.parametrize(
    ("company", "row", "primary", "accompanied"),
    [
        (Company(), ("f", "off", "on", "1"), True, True),
        (Company(), ("f", "off", "on", "0"), True, False),
        (Company(), ("t", "off", "on", "1"), False, False),
        (None, ("f", "off", "on", "0"), True, False),
    ],
)
def test_a_primary_of_postgresql_knows_its_standbys(
    company: Company | None, row: Any, primary: bool, accompanied: bool
) -> None:
    session: Any = FakeSession(*row)
    view = _server(Postgres).introspection.role_reader(company).look(session)
    assert (view.primary, view.accompanied) == (primary, accompanied)
    assert view.settings == {"synchronous_commit": "off", "fsync": "on"}
    assert ("pg_stat_replication" in session.said[0]) is bool(company)


def test_a_change_to_strict_flushes_the_log() -> None:
    reader, session = _server(Mariadb).introspection.role_reader(None), FakeSession()
    reader.change(session, {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"})
    assert session.said == [
        "SET GLOBAL innodb_flush_log_at_trx_commit = 1",
        "SET GLOBAL sync_binlog = 1",
        "FLUSH NO_WRITE_TO_BINLOG ENGINE LOGS",
    ]
    session.said.clear()
    reader.change(session, {"innodb_flush_log_at_trx_commit": "2"})
    assert session.said == ["SET GLOBAL innodb_flush_log_at_trx_commit = 2"]


def test_postgresql_reloads_settings_and_always_has_fsync() -> None:
    reader, session = _server(Postgres).introspection.role_reader(None), FakeSession()
    reader.change(session, {"synchronous_commit": "off"})
    assert session.said == ["ALTER SYSTEM SET synchronous_commit = 'off'", "SELECT pg_reload_conf()"]
    assert reader.always == {"fsync": "on"}
