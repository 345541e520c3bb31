"""Roles of nodes: queries are repeated before a role counts as vacant."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster import roles
from fivenines.servers.cluster.roles import Observed, Roles


class _Node:
    """A node that gives these answers in turn, and then repeats the last one."""

    frozen = False

    def __init__(self, name: str, *answers: Observed) -> None:
        self.name, self._answers = name, list(answers)
        self.asked = 0

    @property
    def alive(self) -> bool:
        return self._answers[0] != "down"

    def accepts_writes(self) -> bool | None:
        self.asked += 1
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return {"primary": True, "replica": False, "silent": None}[answer]


def cluster_of(*nodes: _Node) -> Any:
    made: Any = Roles(SimpleNamespace(name="pair", nodes=nodes))  # type: ignore[arg-type]
    return made


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "_PATIENCE", 0.1)
    monkeypatch.setattr(roles, "_BETWEEN", 0.01)


def test_a_node_that_answers_late_is_still_the_primary() -> None:
    # It is silent for longer than a role may be vacant.
    silent: list[Observed] = ["silent"] * 50
    late = _Node("node1", *silent, "primary")
    made = cluster_of(late, _Node("node2", "replica"))
    assert made.target("primary") is late and late.asked == 51
    assert made.target("replica").name == "node2"


def test_a_role_is_vacant_once_all_nodes_have_answered_for_some_time() -> None:
    made = cluster_of(_Node("node1", "down"), _Node("node2", "replica"))
    with pytest.raises(FiveninesError, match=r"pair: no node has the role primary now$"):
        made.target("primary")


def test_a_node_that_never_answers_has_no_role(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "_SILENCE", 0.3)
    made = cluster_of(_Node("node1", "silent"), _Node("node2", "replica"))
    with pytest.raises(FiveninesError, match=r"role primary now: node1 did not answer for 0.3 s$"):
        made.target("primary")
    assert made.certain_primary() is None
    assert made.by_name() == {"node1": "down", "node2": "replica"}


def test_there_is_certainly_no_primary_if_no_node_is_silent() -> None:
    other = _Node("node2", "replica")
    assert cluster_of(_Node("node1", "down"), other).certain_primary() is None
    assert other.asked == 1
    late = _Node("node1", "silent", "silent", "primary")
    assert cluster_of(late, other).certain_primary() is late


def test_the_role_of_a_node_that_answers_late_is_awaited() -> None:
    late = _Node("node2", "silent", "silent", "replica")
    assert cluster_of(_Node("node1", "primary"), late).by_name() == {"node1": "primary", "node2": "replica"}


def test_a_frozen_node_is_down() -> None:
    frozen = _Node("node1", "primary")
    frozen.frozen = True
    assert cluster_of(frozen).certain_primary() is None and frozen.asked == 0
