"""The conversation with the process that makes ODBC's calls, when that process has ended."""

import pytest

from fivenines.servers.external import by_odbc

GREETING = """printf '{"dialect": "mysql"}\\n'"""


def _connected(monkeypatch: pytest.MonkeyPatch, then: str) -> by_odbc.Connection:
    """Return a connection whose process sends a greeting and then runs these commands."""
    # What follows the shell's `exit` are arguments that it ignores.
    command = ["sh", "-c", f"{GREETING}; {then}; exit", "odbc"]
    monkeypatch.setattr(by_odbc, "_command", lambda *_: command)
    return by_odbc.Connection("DSN=x", "s3cret", "mysql", 10, 10)


def test_an_ended_process_is_reported_and_its_pipes_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = _connected(monkeypatch, "echo 'fivenines-core: s3cret is wrong' >&2")
    process = connection._process
    process.wait()
    with pytest.raises(by_odbc.OdbcError, match=r"^\*\*\* is wrong$"), connection:
        connection.execute("SELECT 1")
    pipes = (process.stdin, process.stdout, process.stderr)
    assert all(pipe is not None and pipe.closed for pipe in pipes)


def test_a_running_process_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = _connected(monkeypatch, "read line; echo '[]'")
    connection.close()
    assert connection._process.returncode is not None


def test_output_of_a_driver_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        _connected(monkeypatch, "read line; echo 'Welcome to the driver'") as connection,
        pytest.raises(by_odbc.OdbcError, match="unreadable answer: 'Welcome to the driver'"),
    ):
        connection.execute("SELECT 1")
