"""Roles of nodes: queries are repeated before a role counts as vacant."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster import roles, silence
from fivenines.servers.cluster.roles import Roles
from fivenines.servers.cluster.silence import Observed, Silence


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
    by_name = {node.name: node for node in nodes}
    made: Any = Roles(SimpleNamespace(name="pair", nodes=nodes, node=by_name.get))  # type: ignore[arg-type]
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
    monkeypatch.setattr(silence, "SILENCE", 0.3)
    silent = _Node("node1", "silent")
    made = cluster_of(silent, _Node("node2", "replica"))
    with pytest.raises(FiveninesError, match=r"role primary now: node1 did not answer for 30 s$"):
        made.target("primary")
    # It was awaited once, and is not awaited again.
    asked = silent.asked
    assert made.certain_primary() is None
    assert made.by_name() == {"node1": "down", "node2": "replica"}
    assert silent.asked == asked + 2


def test_there_is_certainly_no_primary_if_no_node_is_silent() -> None:
    other = _Node("node2", "replica")
    assert cluster_of(_Node("node1", "down"), other).certain_primary() is None
    assert other.asked == 1
    late = _Node("node1", "silent", "silent", "primary")
    assert cluster_of(late, other).certain_primary() is late


def test_the_role_of_a_node_that_answers_late_is_awaited() -> None:
    late = _Node("node2", "silent", "silent", "replica")
    assert cluster_of(_Node("node1", "primary"), late).by_name() == {"node1": "primary", "node2": "replica"}


def test_an_old_primary_that_is_back_does_not_stand_for_one_that_is_late() -> None:
    old, late = _Node("node1", "primary"), _Node("node2", "silent", "silent", "primary")
    made = cluster_of(old, late)
    made.appoint("node2")
    assert made.primary() is old
    assert made.certain_primary() is late
    late = _Node("node2", "silent", "silent", "primary")
    made = cluster_of(old, late)
    made.appoint("node2")
    assert made.second_primary_reason(old) == "node1 is writable although node2 is the primary"
    late = _Node("node2", "silent", "silent", "primary")
    made = cluster_of(old, late)
    made.appoint("node2")
    assert made.target("primary") is late


def test_silence_is_one_if_looks_are_close(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(silence.time, "monotonic", lambda: now[0])
    memory = Silence()
    found = []
    # A look after a long pause begins a new silence; an answer ends one.
    for moment, role in ((0, "silent"), (29, "silent"), (31, "silent"), (62, "silent"), (70, "replica")):
        now[0] = moment
        found.append(memory.judged({"node1": role})["node1"])  # type: ignore[dict-item]
    assert found == ["silent", "silent", "down", "silent", "replica"]
    assert memory.given_up() == []


def test_a_frozen_node_is_down() -> None:
    frozen = _Node("node1", "primary")
    frozen.frozen = True
    assert cluster_of(frozen).certain_primary() is None and frozen.asked == 0
