"""The operator's decisions, with servers that give fixed answers."""

import io
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from fivenines.failover.managers.operator import operate
from fivenines.servers.control import Address, Control, ServerFullError
from fivenines.servers.mariadb.control import sequence


class Answers(Control):
    """Replicas have these positions; `None`: no answer."""

    positions: dict[str, int | None]
    done: list[str]
    refuses: str
    # For how many seconds they have been running; others for long.
    ups: dict[str, float] = {}  # noqa: RUF012
    final: int | None = 7

    def check(self, address: Address) -> str:
        return "gone"

    def position(self, address: Address) -> int | None:
        return self.positions[address[0]]

    def uptime(self, address: Address) -> float | None:
        return self.ups.get(address[0], 1000.0)

    def promote(self, address: Address, others: Sequence[str]) -> None:
        if address[0] == self.refuses:
            raise RuntimeError("it will not")
        self.done.append(f"promote {address[0]} for {list(others)}")

    def repoint(self, address: Address, name: str, primary: Address) -> None:
        if name == self.refuses:
            raise RuntimeError("it will not")
        self.done.append(f"repoint {name} to {primary[0]}")

    def demote(self, address: Address) -> int | None:
        if address[0] == self.refuses:
            raise RuntimeError("it will not")
        self.done.append(f"demote {address[0]}")
        return self.final

    def undo_demote(self, address: Address) -> None:
        if address[0] == self.refuses:
            raise RuntimeError("it will not")
        self.done.append(f"undo_demote {address[0]}")

    def repoint_former(self, address: Address, name: str, primary: Address) -> None:
        self.done.append(f"former {name} to {primary[0]}")


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    printed: list[str] = []
    monkeypatch.setattr(operate, "tell", lambda kind, node, detail="": printed.append(f"{kind} {node}"))
    monkeypatch.setitem(operate.CONTROLS, "test", Answers)
    return printed


def _operate(positions: dict[str, int | None], refuses: str = "", **more: Any) -> operate.Operate:
    Answers.positions, Answers.done, Answers.refuses = positions, [], refuses
    nodes = {name: [name, 1] for name in ("node1", "node2", "node3")}
    settings = {"timeout": 1, "interval": 1, "misses": 1, "fence": False, "synchronous": True}
    return operate.Operate({"family": "test", "nodes": nodes, **settings, **more}, "hidden")


def test_the_most_advanced_replica_is_promoted(events: list[str]) -> None:
    operator = _operate({"node2": 5, "node3": 7})
    assert operator.fail_over()
    assert Answers.done == ["promote node3 for ['node2']", "repoint node2 to node3"]
    assert events == ["decided node1", "promoted node3", "repointed node2"]
    assert operator.primary == "node3"


def test_a_replica_that_does_not_answer_is_left_out(events: list[str]) -> None:
    operator = _operate({"node2": 5, "node3": None}, synchronous=False)
    assert operator.fail_over()
    assert Answers.done == ["promote node2 for []"]


def test_an_excluded_replica_follows_and_is_not_waited_for(events: list[str]) -> None:
    three = {"node1": None, "node2": 3, "node3": 9}
    assert _operate(three, candidates=["node1", "node2"]).fail_over()
    assert Answers.done == ["promote node2 for []", "repoint node3 to node2"]
    assert not _operate({"node1": None, "node2": None, "node3": 9}, candidates=["node2"]).fail_over()
    assert Answers.done == []
    assert events[-1] == "failed node1"


def test_a_missing_candidate_and_refusals_are_reported(events: list[str]) -> None:
    assert not _operate({"node2": None, "node3": None}).fail_over()
    assert events == ["decided node1", "failed node1"]
    events.clear()
    assert not _operate({"node2": 1, "node3": 0}, refuses="node2").fail_over()
    assert events == ["decided node1", "failed node2"]
    events.clear()
    assert _operate({"node2": 1, "node3": 0}, refuses="node3").fail_over()
    assert events == ["decided node1", "promoted node2", "failed node3"]


def test_after_a_total_failure_the_old_primary_may_come_back(events: list[str]) -> None:
    # No replica answers.
    operator = _operate({"node2": None, "node3": None}, total_failure_wait=30)
    assert not operator.fail_over()
    assert events == ["decided node1", "waiting node1"]
    # Replicas that come back are not promoted, and nothing is fenced.
    Answers.positions = {"node2": 5, "node3": 7}
    assert not operator.fail_over()
    assert events == ["decided node1", "waiting node1"] and Answers.done == []


def test_replicas_that_were_down_as_well_are_a_total_failure(events: list[str]) -> None:
    operator = _operate({"node2": 5, "node3": None}, total_failure_wait=30)
    operator.worked -= 4.0
    operator.control.ups = {"node2": 3.0}  # type: ignore[attr-defined]
    assert not operator.fail_over()
    assert events == ["decided node1", "waiting node1"]
    # One of them ran on.
    operator = _operate({"node2": 5, "node3": 7}, total_failure_wait=30)
    operator.worked -= 4.0
    operator.control.ups = {"node2": 3.0}  # type: ignore[attr-defined]
    assert operator.fail_over() and operator.primary == "node3"


def test_an_old_primary_that_does_not_come_back_is_replaced(events: list[str]) -> None:
    operator = _operate({"node2": None, "node3": None}, total_failure_wait=0.01)
    assert not operator.fail_over()
    Answers.positions = {"node2": 5, "node3": 7}
    time.sleep(0.02)
    assert operator.fail_over() and operator.primary == "node3"
    assert events[:3] == ["decided node1", "waiting node1", "waited node1"]


def test_it_waits_for_the_old_primary_once(events: list[str]) -> None:
    operator = _operate({"node2": None, "node3": None}, total_failure_wait=0.01)
    assert not operator.fail_over()
    time.sleep(0.02)
    # Its time is over, and still no replica answers.
    assert not operator.fail_over() and events[-2:] == ["waited node1", "failed node1"]
    operator.patience = 30.0
    Answers.positions = {"node2": 5, "node3": None}
    operator.control.ups = {"node2": 0.0}  # type: ignore[attr-defined]
    assert operator.fail_over() and operator.primary == "node2"
    assert events.count("waiting node1") == 1


def test_the_first_replica_is_promoted_if_that_is_asked_for(events: list[str]) -> None:
    operator = _operate({"node2": None, "node3": None}, total_failure_wait=None)
    assert not operator.fail_over()
    Answers.positions = {"node2": None, "node3": 7}
    assert operator.fail_over() and operator.primary == "node3"


def test_positions_are_compared_by_sequence_number() -> None:
    assert [sequence(text) for text in ("0-1-4711", "", None, "0-1-5,0-2-9")] == [4711, 0, 0, 9]


def test_a_switchover_waits_for_the_last_transaction_and_swaps_the_roles(events: list[str]) -> None:
    operator = _operate({"node2": 5, "node3": 7})
    assert operator.switch_over()
    assert Answers.done == [
        "demote node1",
        "promote node3 for ['node2']",
        "repoint node2 to node3",
        "former node1 to node3",
    ]
    assert events == ["decided node1", "promoted node3", "repointed node2", "repointed node1"]
    assert operator.primary == "node3"


def test_a_primary_without_demotion_by_sql_is_stopped_and_started_by_the_lab(
    events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Answers, "final", None)
    monkeypatch.setattr("sys.stdin", io.StringIO("stopped\nstarted\n"))
    assert _operate({"node2": 5, "node3": None}, synchronous=False).switch_over()
    assert Answers.done == ["demote node1", "promote node2 for []"]
    assert events == [
        "decided node1",
        "stop node1",
        "stopped node1",
        "promoted node2",
        "start node1",
        "started node1",
    ]


def test_no_switchover_without_a_replica_or_when_the_primary_refuses(events: list[str]) -> None:
    operator = _operate({"node2": None, "node3": None})
    assert not operator.switch_over()
    assert Answers.done == []
    assert operator.primary == "node1"
    assert not _operate({"node2": 5, "node3": 7}, refuses="node1").switch_over()
    assert Answers.done == []
    assert events[-1] == "failed node1"


def test_a_replica_that_never_has_everything_is_not_promoted(
    events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operate, "CATCH_UP", 0.02)
    assert not _operate({"node2": 5, "node3": 6}).switch_over()
    assert Answers.done == ["demote node1", "undo_demote node1"]


def test_a_primary_is_started_after_a_failed_switchover(
    events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Answers, "final", None)
    monkeypatch.setattr("sys.stdin", io.StringIO("stopped\nstarted\n"))
    operator = _operate({"node2": 5, "node3": None})
    found = iter([{"node2": 5}, {}])
    monkeypatch.setattr(operator, "positions", lambda: next(found))
    assert not operator.switch_over()
    assert events[-3:] == ["failed node1", "start node1", "started node1"]


def test_a_command_that_comes_while_an_answer_is_awaited_is_not_lost(
    events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("switchover\nfenced\n"))
    operate.ask("fence", "node1", "fenced")
    assert events == ["fence node1", "fenced node1"]
    assert operate.command(0.0) == "switchover"
    assert operate.command(0.0) == ""


def test_a_restarted_operator_knows_the_primary(events: list[str]) -> None:
    assert _operate({}, primary="node2").primary == "node2"
    assert _operate({}, primary="").primary == "node1"


def test_a_full_server_is_no_miss_and_is_told_once(
    events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: Iterator[str | Exception] = iter(
        ["gone", ServerFullError("too many"), ServerFullError("too many"), "gone", "", "gone", "gone"]
    )

    def check(_self: Answers, _address: Address) -> str:
        answer = next(answers, KeyboardInterrupt())
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(Answers, "check", check)
    operator = _operate({"node2": 5, "node3": 7}, misses=2, interval=0.001)
    monkeypatch.setattr(operate, "command", lambda _seconds: "")
    with pytest.raises(KeyboardInterrupt):
        operator.watch()
    assert events[:4] == ["watching node1", "missed node1", "full node1", "missed node1"]
    assert events[4:7] == ["missed node1", "missed node1", "decided node1"], (
        "two in a row, after a good check"
    )
