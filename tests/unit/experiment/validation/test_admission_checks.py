"""Server settings under which the load's connections are not let in are refused when the file is read."""

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.source import parse_experiment


def _message(server: str, further: str = "", engine: str = "mysql-9.7") -> str:
    text = (
        f"name: x\nworkloads: [oltp_read_only]\nconnections: [4, 16]\n{further}"
        f"solutions:\n  - solution: standalone\n    engine: {engine}\n    server: {{{server}}}\n"
    )
    try:
        parse_experiment(text, "x.yaml")
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("max_connections: 15", "max_connections: 15: the load has 16 connections"),
        ("max-user-connections: '8'", "max-user-connections: 8: the load has 16 connections"),
        ("max_user_connections: 0", ""),
        ("max_connections: 16", ""),
        ("require_secure_transport: ON", "write `load: {tls: require}`"),
        ("require_secure_transport: OFF", ""),
        ("skip-name-resolve: ", "found null; for an option without a value write true"),
    ],
)
def test_what_keeps_clients_out_is_refused(server: str, words: str) -> None:
    message = _message(server)
    assert words in message and bool(message) is bool(words)
    assert not words or message.startswith("x.yaml:7:")


def test_encrypted_connections_are_let_in() -> None:
    assert _message("require_secure_transport: ON", "load: {tls: require}\n") == ""


def test_connections_of_postgresql_are_counted_too() -> None:
    assert "the load has 16 connections" in _message("Max_Connections: 8", engine="postgres-18")
