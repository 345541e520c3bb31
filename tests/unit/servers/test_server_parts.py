"""The parts of a server, and the error where a server lacks one."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.lab.this_machine import ThisMachine
from fivenines.servers.daemon import daemon
from fivenines.servers.external.external_odbc import ExternalByOdbc
from fivenines.servers.external.kinds import external_server
from fivenines.servers.external.remote import Target
from fivenines.servers.families import KINDS
from fivenines.servers.local import LocalServer

TARGET = Target("192.0.2.1", 5432, "app", "p", "shop")
MESSAGE = "^db1 is an external server: fivenines neither starts nor stops it$"


@pytest.mark.parametrize("kind", KINDS.values())
def test_a_local_server_has_all_parts_and_a_life_cycle(kind: type[LocalServer]) -> None:
    host: Any = SimpleNamespace(name="node1")
    server = kind(host, SimpleNamespace())  # type: ignore[arg-type]
    assert all((server.sql, server.monitoring, server.setup, server.introspection, server.console))
    assert daemon(server) is server


@pytest.mark.parametrize("family", ["postgresql", "mariadb", "mysql"])
def test_an_external_server_has_neither_a_setup_nor_a_life_cycle(family: str, tmp_path: Path) -> None:
    engine: Any = SimpleNamespace(family=family)
    server = external_server(ThisMachine(tmp_path / "h").add_external("db1", "192.0.2.1"), engine, TARGET)
    assert all((server.sql, server.monitoring, server.introspection, server.console))
    assert not hasattr(server, "start") and not hasattr(server, "stop")
    for asked in (lambda: server.setup, lambda: daemon(server)):
        with pytest.raises(FiveninesError, match=MESSAGE):
            asked()


def test_a_server_behind_odbc_has_only_sql_and_monitoring(tmp_path: Path) -> None:
    engine: Any = SimpleNamespace(family=None)
    host = ThisMachine(tmp_path / "h").add_external("db1", "192.0.2.1")
    server = ExternalByOdbc(host, engine, TARGET, "DSN=x", "oracle")
    for asked in (lambda: server.setup, lambda: server.introspection, lambda: server.console):
        with pytest.raises(FiveninesError, match=MESSAGE):
            asked()
    session: Any = None
    assert list(server.monitoring.counters()(session)) == []
    assert list(server.monitoring.lag().read(session, lambda: 0.0)) == []
    with pytest.raises(FiveninesError, match=r"^x\.sql: SQL files cannot be run through ODBC"):
        server.sql.run_file(Path("x.sql"))
