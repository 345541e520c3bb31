"""Slots have valid names, and are created again."""

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.postgres import slots


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9.-]{0,40}", fullmatch=True))
def test_any_node_has_a_valid_slot_name(node: str) -> None:
    assert set(slots.named(node)) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")


def test_unused_slots_are_dropped_first() -> None:
    executed: list[str] = []

    class Noting:
        def execute(self, *statements: str) -> None:
            executed.extend(statements)

    server: Any = SimpleNamespace(sql=Noting())
    slots.renew(server, ["node2", "east-1"])
    dropped, second, third = executed
    assert "pg_drop_replication_slot" in dropped and "NOT active" in dropped
    assert "('node2')" in second and "('east_1')" in third
