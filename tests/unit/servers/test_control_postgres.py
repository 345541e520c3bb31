"""Operations of the operator on PostgreSQL: statements in their order."""

import contextlib
import re
import socket
import struct
import threading
from typing import Any

import psycopg
import pytest

from fivenines.servers.control import ServerFullError
from fivenines.servers.postgres.control import PostgresControl

ADDRESS = ("10.99.0.12", 5432)


class Scripted(PostgresControl):
    """Records all statements; a promotion ends with a fixed answer."""

    def __init__(self, promoted: bool, facts: dict[str, Any] | None = None) -> None:
        super().__init__(1.0, "hidden", facts)
        self.promoted = promoted
        self.statements: list[str] = []

    def _connect(self, address: Any) -> Any:
        assert address == ADDRESS
        return contextlib.nullcontext(self)

    def execute(self, statement: str | bytes) -> "Scripted":
        self.statements.append(statement.decode() if isinstance(statement, bytes) else statement)
        return self

    def fetchone(self) -> tuple[bool]:
        return (self.promoted,)


def test_no_reload_comes_before_the_promotion() -> None:
    control = Scripted(promoted=True)
    control.promote(ADDRESS, ["node3"])
    assert control.statements == [
        "SELECT pg_promote(true, 60)",
        "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (node3)'",
        "SELECT pg_reload_conf()",
    ]


def test_the_new_primary_waits_for_as_many_standbys_as_the_old_one() -> None:
    control = Scripted(promoted=True, facts={"wait_for": 2, "choice": "first"})
    control.promote(ADDRESS, ["node3", "node4"])
    assert "ALTER SYSTEM SET synchronous_standby_names = 'FIRST 2 (node3, node4)'" in control.statements


def test_a_promotion_that_does_not_end_changes_nothing() -> None:
    control = Scripted(promoted=False)
    with pytest.raises(RuntimeError, match="did not finish within 60 s"):
        control.promote(ADDRESS, [])
    assert control.statements == ["SELECT pg_promote(true, 60)"]


class Refusing(PostgresControl):
    """Refuses each client with these words."""

    words = ""

    def _connect(self, address: Any) -> Any:
        raise psycopg.OperationalError(self.words)


@pytest.mark.parametrize(
    "words",
    [
        'connection to server at "10.99.0.12", port 5432 failed: FATAL:  sorry, too many clients already',
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for role "fivenines"',
        "FATAL:  no more connections allowed (max_client_conn)",
    ],
)
def test_a_server_that_says_it_is_full_is_alive(words: str) -> None:
    control = Refusing(1.0, "hidden")
    control.words = words
    with pytest.raises(ServerFullError, match=re.escape(words)):
        control.check(ADDRESS)


def test_other_refusals_are_misses() -> None:
    control = Refusing(1.0, "hidden")
    control.words = "connection refused\nIs the server running?"
    assert control.check(ADDRESS) == "connection refused"


def test_a_server_that_stands_still_after_the_login_is_a_miss_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent = threading.Thread(target=_log_in_and_be_silent, args=(listener,), daemon=True)
        silent.start()
        control = PostgresControl(0.3, "hidden")
        assert control.check(listener.getsockname()) == "no answer within 0.3 s"
        silent.join(60)


def _log_in_and_be_silent(listener: socket.socket) -> None:
    """Accept one client as PostgreSQL does (protocol 3.0, chapter "Message Flow"), and answer no query."""
    client, _ = listener.accept()
    with client:
        start = client.recv(1024)
        if struct.unpack("!II", start[:8])[1] in (80877103, 80877104):
            client.sendall(b"N")
            start = client.recv(1024)
        if struct.unpack("!II", start[:8])[1] in (80877103, 80877104):
            client.sendall(b"N")
            client.recv(1024)
        client.sendall(b"R" + struct.pack("!II", 8, 0) + b"Z" + struct.pack("!I", 5) + b"I")
        while client.recv(1024):
            pass
