"""The operator's decisions, with servers that answer as they are told."""

from collections.abc import Sequence
from typing import Any

import pytest

from fivenines.managers import operate
from fivenines.managers.control import Address, Control
from fivenines.managers.control_mariadb import sequence


class Answers(Control):
    """Replicas have these positions; `None`: no answer."""

    positions: dict[str, int | None]
    done: list[str]
    refuses: str

    def check(self, address: Address) -> str:
        return "gone"

    def position(self, address: Address) -> int | None:
        return self.positions[address[0]]

    def promote(self, address: Address, others: Sequence[str]) -> None:
        if address[0] == self.refuses:
            raise RuntimeError("it will not")
        self.done.append(f"promote {address[0]} for {list(others)}")

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        if name == self.refuses:
            raise RuntimeError("it will not")
        self.done.append(f"repoint {name} to {primary[0]}")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(
        operate, "tell", lambda kind, node, detail="": said.append(f"{kind} {node}")
    )
    monkeypatch.setitem(operate.CONTROLS, "test", Answers)
    return said


def _operate(positions: dict[str, int | None], refuses: str = "", **more: Any) -> operate.Operate:
    Answers.positions, Answers.done, Answers.refuses = positions, [], refuses
    nodes = {name: [name, 1] for name in ("node1", "node2", "node3")}
    settings = {"timeout": 1, "interval": 1, "misses": 1, "fence": False, "synchronous": True}
    return operate.Operate({"family": "test", "nodes": nodes, **settings, **more})


def test_the_most_advanced_replica_is_promoted(told: list[str]) -> None:
    operator = _operate({"node2": 5, "node3": 7})
    assert operator.fail_over()
    assert Answers.done == ["promote node3 for ['node2']", "repoint node2 to node3"]
    assert told == ["decided node1", "promoted node3", "repointed node2"]
    assert operator.primary == "node3"


def test_a_replica_that_does_not_answer_is_left_out(told: list[str]) -> None:
    operator = _operate({"node2": 5, "node3": None}, synchronous=False)
    assert operator.fail_over()
    assert Answers.done == ["promote node2 for []"]


def test_nobody_to_promote_and_refusals_are_told(told: list[str]) -> None:
    assert not _operate({"node2": None, "node3": None}).fail_over()
    assert told == ["decided node1", "failed node1"]
    told.clear()
    assert not _operate({"node2": 1, "node3": 0}, refuses="node2").fail_over()
    assert told == ["decided node1", "failed node2"]
    told.clear()
    assert _operate({"node2": 1, "node3": 0}, refuses="node3").fail_over()
    assert told == ["decided node1", "promoted node2", "failed node3"]


def test_positions_are_compared_by_sequence_number() -> None:
    assert [sequence(text) for text in ("0-1-4711", "", None, "0-1-5,0-2-9")] == [4711, 0, 0, 9]
