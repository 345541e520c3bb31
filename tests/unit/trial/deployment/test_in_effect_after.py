"""Settings after a recovery: read back, different, or not observed with the reason."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.servers.in_effect import Finding
from fivenines.trial.deployment import in_effect


class _Node:
    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name, self._error = name, error
        self.monitoring = self

    def in_effect(self, asked: Mapping[str, object]) -> list[Finding]:
        if self._error is not None:
            raise self._error
        return [Finding(self.name, name, str(value), "1", "differs") for name, value in asked.items()]


def _solution(nodes: list[_Node], broken: str = "") -> Any:
    def parts() -> list[Finding]:
        if broken:
            raise OSError(broken)
        return []

    return SimpleNamespace(
        serving=nodes,
        settings=SimpleNamespace(name="pair"),
        configuration=SimpleNamespace(parts_in_effect=parts),
    )


@pytest.fixture(autouse=True)
def _one_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_effect, "asked_of", lambda *_: {"max_connections": 100})


def test_a_server_that_does_not_answer_is_not_taken_for_one_that_agrees() -> None:
    dead = _Node("node2", ConnectionError("connection\nrefused"))
    check = in_effect.in_effect_after(_solution([_Node("node1"), dead]), ())
    assert check.compared == 1
    assert [seen.place for seen in check.differing] == ["node1"]
    (seen,) = check.unobserved
    assert (seen.place, seen.setting, seen.asked, seen.found) == ("node2", "max_connections", "100", "")
    assert seen.why == "connection refused"


def test_parts_that_do_not_answer_are_not_observed() -> None:
    check = in_effect.in_effect_after(_solution([], "no answer"), ())
    (seen,) = check.unobserved
    assert (seen.place, seen.setting, seen.why) == ("pair", "its own parts", "no answer")


def test_nodes_that_are_left_out_are_in_no_list() -> None:
    check = in_effect.in_effect_after(_solution([_Node("node1")]), ["node1"])
    assert (check.compared, check.differing, check.unobserved) == (0, [], [])
