"""Operations of the operator on MySQL: queries and statements in their order."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pymysql
import pytest

from fivenines.servers.control import ServerFullError
from fivenines.servers.mysql.control import MysqlControl
from fivenines.servers.mysql.replication import READ_ONLY, SEMI_SYNC_PRIMARY, WRITABLE, follow
from fivenines.servers.mysql_family import control

ADDRESS = ("10.99.0.12", 3306)
SOURCE = "00000000-0000-0000-0000-000000000011"


class Scripted(MysqlControl):
    """Answers from a list, by a word of the statement; records all statements."""

    def __init__(self, answers: dict[str, list[Any]]) -> None:
        super().__init__(1.0, "hidden")
        self.answers = answers
        self.statements: list[str] = []
        self.given: list[Any] = []

    @contextlib.contextmanager
    def cursor(self, address: Any, patience: float | None = None) -> Iterator[Any]:
        assert address == ADDRESS
        yield self

    def execute(self, statement: str, values: Any = None) -> None:
        self.statements.append(statement)
        self.given.append(values)

    def fetchone(self) -> Any:
        word = next(word for word in self.answers if word in self.statements[-1])
        return self.answers[word].pop(0)


def _position(received: str, executed: str, applied: int) -> dict[str, Any]:
    return {"received": received, "executed": executed, "applied": applied}


def test_the_position_counts_what_is_received_or_executed() -> None:
    row = _position(f"{SOURCE}:1-9", f"{SOURCE}:1-4,\n{SOURCE}:7", 0)
    control = Scripted({"AS received": [row], "AS known": [{"known": f"{SOURCE}:1-9"}]})
    assert control.position(ADDRESS) == 9
    assert control.given[-1] == (f"{SOURCE}:1-9,{SOURCE}:1-4,{SOURCE}:7",)
    assert Scripted({"AS received": [None]}).position(ADDRESS) is None


@pytest.mark.parametrize("others", [[], ["node3"]])
def test_a_replica_is_promoted_after_it_has_applied_everything(others: list[str]) -> None:
    rows = [_position("a:1-2", "a:1", 0), _position("a:1-2", "a:1-2", 1)]
    control = Scripted({"AS received": rows})
    control.promote(ADDRESS, others)
    statements = [statement for statement in control.statements if "AS received" not in statement]
    waiting = [SEMI_SYNC_PRIMARY] if others else []
    assert statements == ["STOP REPLICA IO_THREAD", "STOP REPLICA", "RESET REPLICA ALL", *waiting, *WRITABLE]
    assert rows == []


@pytest.mark.parametrize("row", [None, {"Variable_name": "rpl_semi_sync_source_enabled"}])
def test_a_former_primary_follows_and_no_longer_waits(row: Any) -> None:
    control = Scripted({"SHOW GLOBAL VARIABLES": [row]})
    control.repoint_former(ADDRESS, "node2", ("10.99.0.11", 3306))
    assert ("OFF" in control.statements[1]) == (row is not None)
    assert control.statements[-len(follow("10.99.0.11", "hidden")) :] == follow("10.99.0.11", "hidden")


def test_a_demoted_primary_reports_its_position() -> None:
    control = Scripted({"gtid_executed": [{"executed": f"{SOURCE}:1-12"}]})
    assert control.demote(ADDRESS) == 12
    assert "lock_wait_timeout" in control.statements[0]
    assert control.statements[1] == READ_ONLY


def test_a_primary_without_a_successor_is_writable_again() -> None:
    control = Scripted({})
    control.undo_demote(ADDRESS)
    assert control.statements == [*WRITABLE]


def test_checks_report_what_is_wrong() -> None:
    assert Scripted({"read_only": [{"read_only": 0}]}).check(ADDRESS) == ""
    assert Scripted({"read_only": [{"read_only": 1}]}).check(ADDRESS) == "it is read-only"

    class Refusing(Scripted):
        def execute(self, statement: str, values: Any = None) -> None:
            raise pymysql.OperationalError(2003, "nobody there")

    assert Refusing({}).check(ADDRESS) == "nobody there"
    assert Refusing({}).position(ADDRESS) is None


class Failing(MysqlControl):
    """Fails to connect with this error."""

    error: Exception

    @contextlib.contextmanager
    def cursor(self, address: Any, patience: float | None = None) -> Iterator[Any]:
        raise self.error
        yield


@pytest.mark.parametrize("code", [1040, 1203, 1226])
def test_a_server_that_says_it_is_full_is_alive(code: int) -> None:
    failing = Failing(1.0, "hidden")
    failing.error = pymysql.err.OperationalError(code, "Too many connections")
    with pytest.raises(ServerFullError, match="Too many connections"):
        failing.check(ADDRESS)


def test_other_refusals_are_misses() -> None:
    failing = Failing(1.0, "hidden")
    failing.error = pymysql.err.OperationalError(2003, "Can't connect")
    assert failing.check(ADDRESS) == "Can't connect"
    failing.error = TimeoutError("timed out")
    assert failing.check(ADDRESS) == "timed out"


def test_a_timeout_below_a_second_is_not_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def connect(**options: Any) -> Any:
        asked.update(options)
        raise pymysql.err.OperationalError(2003, "Can't connect")

    monkeypatch.setattr(control, "opened", connect)
    MysqlControl(0.8, "hidden").check(ADDRESS)
    assert [asked[f"{name}_timeout"] for name in ("connect", "read", "write")] == [0.8, 0.8, 0.8]
