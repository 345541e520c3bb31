"""Operations of the operator on PostgreSQL: statements in their order."""

import contextlib
from typing import Any

import pytest

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
