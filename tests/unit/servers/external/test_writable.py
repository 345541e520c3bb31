"""Signs of a server that is not writable, and the reason."""

from typing import Any

import pytest

from fivenines.servers.external.writable import (
    MYSQL_QUESTION,
    POSTGRES_QUESTION,
    STANDBYS_QUESTION,
    WSREP_QUESTION,
    endless_wait,
    why_not,
)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"read_only": "OFF", "innodb_read_only": "OFF"}, ""),
        ({"read_only": "0"}, ""),
        ({"read_only": "ON"}, "read_only is on"),
        ({"read_only": "NO_LOCK"}, "read_only is NO_LOCK"),
        ({}, "the server does not show whether it is read_only"),
        ({"read_only": "OFF", "innodb_read_only": "ON"}, "read_only is off, but innodb_read_only is ON"),
        ({"read_only": "OFF", "offline_mode": "ON"}, "read_only is off, but offline_mode is ON"),
        ({"read_only": "OFF", "wsrep_on": "ON"}, "wsrep_ready is off"),
    ],
)
def test_signs_of_mysqls_family(variables: dict[str, str], reason: str) -> None:
    def ask(question: str) -> list[Any]:
        assert question in (MYSQL_QUESTION, WSREP_QUESTION)
        return list(variables.items()) if question == MYSQL_QUESTION else [("wsrep_ready", "OFF")]

    assert why_not("mysql", ask) == reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((False, "off", "off"), ""),
        ((True, "off", "on"), "the server is in recovery"),
        ((False, "on", "on"), "the server is not in recovery, but default_transaction_read_only is on"),
        ((False, "off", "on"), "the server is not in recovery, but transaction_read_only is on"),
    ],
)
def test_signs_of_postgres(row: tuple[Any, ...], reason: str) -> None:
    def ask(question: str) -> list[Any]:
        assert question == POSTGRES_QUESTION
        return [row]

    assert why_not("postgres", ask) == reason


@pytest.mark.parametrize(
    ("row", "waits"),
    [
        (("", "on", 0), False),
        (("db2", "on", 0), True),
        (("ANY 1 (db2, db3)", "remote_write", 0), True),
        (("db2", "on", 1), False),
        (("db2", "local", 0), False),
        (("db2", "off", 0), False),
    ],
)
def test_a_commit_waits_without_end_if_no_synchronous_standby_is_connected(
    row: tuple[Any, ...], waits: bool
) -> None:
    def ask(question: str) -> list[Any]:
        assert question == STANDBYS_QUESTION
        return [row]

    assert bool(endless_wait("postgres", ask)) is waits
    assert endless_wait("mysql", ask) == ""


def test_a_server_without_such_settings_is_not_refused() -> None:
    def ask(question: str) -> list[Any]:
        raise RuntimeError(f"no such column: {question}")

    assert endless_wait("postgres", ask) == ""
