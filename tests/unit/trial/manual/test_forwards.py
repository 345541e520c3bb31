"""DSNs and command lines that are offered to a person."""

import shlex
from types import SimpleNamespace
from typing import Any

from fivenines.load.dsn import parse_dsn
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.mysql.server import Mysql
from fivenines.servers.mysql_family.console import MysqlFamilyConsole
from fivenines.servers.mysql_family.server import MysqlFamily
from fivenines.servers.postgres.console import PostgresConsole
from fivenines.servers.postgres.server import Postgres
from fivenines.trial.manual.forwards import dsn_of

ONE, TWO = "127.0.0.1:4001", "127.0.0.1:4002"


def server(kind: Any) -> Any:
    """A server as far as its account is concerned."""
    return SimpleNamespace(driver=kind.driver, database="sbtest", application=("app", "0f" * 16))


def _mysql_family(kind: type[MysqlFamily]) -> MysqlFamilyConsole:
    return MysqlFamilyConsole(server(kind), kind.client_program, kind.client_options)


def test_a_dsn_is_understood_by_our_own_reader() -> None:
    for kind, driver in ((Postgres, "postgres"), (Mariadb, "mysql"), (Mysql, "mysql")):
        for addresses in ([ONE], [ONE, TWO]):
            read = parse_dsn(dsn_of(server(kind), addresses))
            assert (read.driver, read.user, read.password) == (driver, "app", "0f" * 16)
            assert [str(address) for address in read.addresses] == addresses
            assert read.database == "sbtest"


def test_only_several_servers_are_searched_for_the_one_that_takes_writes() -> None:
    assert dsn_of(server(Postgres), [ONE]).endswith("@127.0.0.1:4001/sbtest")
    several = dsn_of(server(Postgres), [ONE, TWO])
    assert several.endswith(f"@{ONE},{TWO}/sbtest?target_session_attrs=read-write")
    assert "?" not in dsn_of(server(Mariadb), [ONE, TWO])


def test_the_command_is_that_of_the_engines_own_client() -> None:
    assert PostgresConsole(server(Postgres)).shell("a b", ONE) == 'psql "a b"'
    words = shlex.split(_mysql_family(Mariadb).shell("unused", ONE))
    password = f"-p{'0f' * 16}"
    account = ["-h127.0.0.1", "-P4001", "-uapp", password]
    assert words == ["mariadb", *account, "--skip-ssl", "sbtest"]
    words = shlex.split(_mysql_family(Mysql).shell("unused", ONE))
    assert words == ["mysql", *account, "sbtest"]
