"""The fault of a trial: strike, restart, rejoin, and what is written down of them."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.errors import FiveninesError
from fivenines.experiment import disturbance
from fivenines.experiment.disturbance import Disturbance
from fivenines.faults.base import Fault, Strike
from fivenines.faults.settings import FaultSettings
from fivenines.managers.events import ManagerEvent
from fivenines.results.records import Event, FaultRecord

NODE: Any = SimpleNamespace(name="node1")


class Pretended(Fault[FaultSettings]):
    """Strikes node1, at once mended or never."""

    def __init__(self, after: float | None, role: str = "primary") -> None:
        super().__init__(FaultSettings(fault="pretended"))
        self.after, self.role = after, role

    def strike(self, solution: Any) -> Strike:
        return Strike(NODE, self.role, time.monotonic_ns(), True, "done")

    @property
    def mend_after(self) -> float | None:
        return self.after


class Solution:
    """Node1 rejoins after some looks; somebody is primary after some looks."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.reasons = ["not yet", ""]
        self.without_primary = 2
        self.refuses: Exception | None = None

    def primary(self) -> Any:
        self.without_primary -= 1
        self.done.append("asked for the primary")
        return NODE if self.without_primary < 0 else None

    def rejoin(self, node: Any) -> None:
        self.done.append(f"rejoin {node.name}")
        if self.refuses:
            raise self.refuses

    def joined(self, node: Any) -> str:
        return self.reasons.pop(0) if len(self.reasons) > 1 else self.reasons[0]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disturbance, "_POLL", 0.001)


def _made(
    solution: Solution, after: float | None = 0.0, manager: Any = None, role: str = "primary"
) -> Disturbance:
    deployed: Any = SimpleNamespace(solution=solution, manager=manager)
    return Disturbance(
        Pretended(after, role), deployed, time.monotonic_ns() - 10**9, time.monotonic() + 5.0
    )


def _manager(promotes: bool = True, told: list[ManagerEvent] | None = None) -> Any:
    return SimpleNamespace(promotes=promotes, events=lambda: told or [])


def _record(made: Disturbance) -> FaultRecord:
    record = made.record()
    assert record is not None
    return record


def test_before_the_strike_there_is_nothing_to_tell() -> None:
    made = _made(Solution())
    made.finish()
    made.confirm()
    assert (made.record(), made.events(), made.stray()) == (None, [], set())


def test_a_node_is_struck_restarted_and_back() -> None:
    solution = Solution()
    made = _made(solution, after=0.05)
    made.strike()
    made.finish()
    record = _record(made)
    assert (record.kind, record.node, record.role) == ("pretended", "node1", "primary")
    assert (record.verified, record.detail, record.rejoined) == (True, "done", True)
    assert record.restarted is not None and record.rejoined_at is not None
    assert 1000.0 <= record.at < record.restarted <= record.rejoined_at
    assert record.restarted - record.at >= 50.0
    assert record.at == round(record.at, 3)
    assert made.stray() == set()
    assert [event.kind for event in made.events()] == ["fault", "restarted", "rejoined"]
    assert solution.done == ["rejoin node1"]


def test_a_node_that_is_never_to_be_restarted_stays_away() -> None:
    solution = Solution()
    made = _made(solution, after=None)
    made.strike()
    made.finish()
    made.confirm()
    record = _record(made)
    assert (record.restarted, record.rejoined, record.rejoined_at) == (None, None, None)
    assert made.stray() == {"node1"}
    assert [event.kind for event in made.events()] == ["fault"]
    assert solution.done == []


def test_a_dead_primary_waits_for_its_successor() -> None:
    solution = Solution()
    made = _made(solution, manager=_manager())
    made.strike()
    made.finish()
    assert solution.done == ["asked for the primary"] * 3 + ["rejoin node1"]


@pytest.mark.parametrize(
    ("manager", "role"),
    [(None, "primary"), (_manager(promotes=False), "primary"), (_manager(), "replica")],
)
def test_who_has_no_successor_to_wait_for_is_restarted_at_once(manager: Any, role: str) -> None:
    solution = Solution()
    made = _made(solution, manager=manager, role=role)
    made.strike()
    made.finish()
    assert solution.done == ["rejoin node1"]
    assert _record(made).role == role


@pytest.mark.parametrize(
    ("error", "detail"),
    [(FiveninesError("it will not"), "it will not"), (ValueError("odd"), "ValueError: odd")],
)
def test_why_a_node_did_not_rejoin_is_told(error: Exception, detail: str) -> None:
    solution = Solution()
    solution.refuses = error
    made = _made(solution)
    made.strike()
    made.finish()
    record = _record(made)
    assert (record.rejoined, record.rejoined_at, record.rejoin_detail) == (False, None, detail)
    assert record.restarted is not None
    assert made.stray() == {"node1"}
    assert [event.kind for event in made.events()] == ["fault", "restarted"]


def test_waiting_for_a_node_has_an_end() -> None:
    solution = Solution()
    solution.reasons = ["node1 is Joining"]
    made = _made(solution)
    made.deadline = time.monotonic()
    made.strike()
    made.finish()
    assert _record(made).rejoin_detail == "node1 did not rejoin within 1 s: node1 is Joining"


def test_a_node_that_fell_out_again_did_not_rejoin() -> None:
    solution = Solution()
    made = _made(solution)
    made.strike()
    made.finish()
    made.confirm()
    assert _record(made).rejoined
    solution.reasons = ["node1: duplicate key"]
    made.confirm()
    record = _record(made)
    assert (record.rejoined, record.rejoined_at) == (False, None)
    assert record.rejoin_detail == "node1: duplicate key"
    assert record.restarted is not None
    assert made.stray() == {"node1"}


def test_the_managers_steps_stand_among_the_others_in_the_order_of_time() -> None:
    solution = Solution()
    told: list[ManagerEvent] = []
    made = _made(solution, after=0.0, manager=_manager(told=told))
    told += [
        ManagerEvent(made.started_ns + 10**15, "promoted", "node2", "most advanced"),
        ManagerEvent(made.started_ns + 500_000, "missed", "node1", "1 of 3"),
    ]
    made.strike()
    made.finish()
    events = made.events()
    assert [event.kind for event in events] == [
        "missed", "fault", "restarted", "rejoined", "promoted",
    ]  # fmt: skip
    assert events[0] == Event(t=0.5, kind="missed", node="node1", detail="1 of 3")
    assert events[-1] == Event(t=1e9, kind="promoted", node="node2", detail="most advanced")
