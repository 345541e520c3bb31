"""The faults of a trial: strike, end, restart, rejoin, and what is written down of them."""

import threading
import time
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from fake_clock import FakeClock
from pydantic import Field

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import wait_until
from fivenines.faults.base import Fault, Injection, Recovery
from fivenines.faults.settings import FaultSettings, Step
from fivenines.results.records import Event, FaultRecord
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.trial.faults import node_recovery
from fivenines.trial.faults import run as fault_run
from fivenines.trial.faults import timeline as fault_runner
from fivenines.trial.faults.timeline import FaultRunner

NODE: Any = SimpleNamespace(name="node1", alive=False, frozen=False)
OTHER: Any = SimpleNamespace(name="node2", alive=True, frozen=False)


class PretendedSettings(FaultSettings):
    """Ends after this time; strikes so often."""

    fault: Literal["pretended"] = "pretended"
    restart_after: float | None = 0.0
    times: int = 1
    fails: str = Field("", description="what it says when it cannot strike, or cannot end")
    turns: int = Field(1, description="how often it strikes, each time once the node is back")
    awaits: bool = Field(False, description="whether each strike waits for the recovery from the one before")

    def schedule(self, _random: Random) -> list[Step]:
        return [Step(0.02 * number, self, self.awaits) for number in range(self.times)]


class Pretended(Fault[PretendedSettings]):
    """Strikes node1, at once mended or never."""

    settings_type = PretendedSettings
    stops_servers = True

    def inject(self, context: Any) -> Injection:
        if self.settings.fails == "inject":
            raise FiveninesError("no node is primary now")
        return self._struck(1)

    def _struck(self, turn: int) -> Injection:
        NODE.alive = False
        moment, more = time.monotonic_ns(), turn < self.settings.turns
        return Injection(("node1",), "primary", moment, True, "done", (NODE,), state=turn, followed=more)

    def follow(self, context: Any, injection: Injection, away: str) -> Injection | None:
        if not injection.followed:
            return None
        if away or context.ended.is_set():
            raise FiveninesError(f"stopped: {away or context.why_ended}")
        return self._struck(injection.state + 1)

    def recover(self, context: Any, injection: Injection) -> Recovery:
        if self.settings.fails == "end":
            raise FiveninesError("it goes on")
        return Recovery()


class Solution:
    """Node1 rejoins after some polls; a node is primary after some polls."""

    def fault(self, settings: Any) -> None:
        """No means of its own."""

    def __init__(self) -> None:
        self.done: list[str] = []
        # It answers for each of its aspects.
        self.roles = self.membership = self
        self.by_itself = False
        self.reasons = ["node1 does not answer", "not yet", ""]
        self.without_primary = 2
        self.refuses: Exception | None = None
        self.nodes = self.members = [NODE, OTHER]
        self.primary_of_record = NODE
        self.tells: list[str] = []
        self.standing_by: set[str] = set()
        NODE.alive = True

    def primary(self) -> Any:
        self.without_primary -= 1
        self.done.append("asked for the primary")
        return OTHER if self.without_primary < 0 else None

    def replaces(self) -> bool:
        return self.by_itself

    def restart_order(self, nodes: Any) -> Any:
        return list(nodes)

    def stands_by(self, node: Any) -> bool:
        return node.name in self.standing_by

    def rejoin(self, node: Any) -> None:
        self.done.append(f"rejoin {node.name}")
        if self.refuses:
            raise self.refuses
        node.alive = True

    def unexpected_primary_reason(self, _node: Any) -> str:
        return ""

    def remediate(self) -> list[str]:
        steps, self.tells = self.tells, []
        return steps

    def not_joined_reason(self, node: Any) -> str:
        if node is OTHER:
            return ""
        return self.reasons.pop(0) if len(self.reasons) > 1 else self.reasons[0]


class Downed(Solution):
    """Joins again, and its server does not run: another node has the disk."""

    def rejoin(self, node: Any) -> None:
        self.done.append(f"rejoin {node.name}")


@pytest.fixture
def skipping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits end as soon as their deadline is reached on a clock that sleeping moves."""
    clock = FakeClock()
    for module in (node_recovery, fault_run):
        monkeypatch.setattr(module, "time", clock)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_recovery, "POLL", 0.001)
    monkeypatch.setattr(node_recovery, "_BETWEEN_ATTEMPTS", 0.001)
    monkeypatch.setattr(fault_run, "POLL", 0.001)
    monkeypatch.setattr(fault_runner, "_ON_CALL", 0.005)
    monkeypatch.setattr(fault_runner.plugins, "implementation", lambda *_: Pretended)


def _made(solution: Solution, after: float | None = 0.0, manager: Any = None, **settings: Any) -> FaultRunner:
    messages = manager.events if manager is not None else list
    access = SimpleNamespace(start_on=lambda _node: None, at_work=False, promotes=False)
    deployed: Any = SimpleNamespace(
        solution=solution,
        manager=manager,
        events=messages,
        access=access,
        start_node=solution.membership.rejoin,
    )
    requested = PretendedSettings(restart_after=after, **settings)
    return FaultRunner(requested, deployed, time.monotonic_ns() - 10**9, time.monotonic() + 5.0)


def _manager(promotes: bool = True, messages: list[ManagerEvent] | None = None) -> Any:
    return SimpleNamespace(
        promotes=promotes, alive=True, at_work=False, settled=True, events=lambda: messages or []
    )


def _run(made: FaultRunner) -> FaultRecord:
    made.begin()
    made.finish()
    return made.records()[0]


def test_before_the_strike_there_is_nothing_to_tell() -> None:
    made = _made(Solution())
    made.finish()
    made.confirm()
    assert (made.records(), made.events(), made.unexpected_primaries()) == ([], [], {})


def test_a_node_is_struck_restarted_and_back() -> None:
    solution = Solution()
    made = _made(solution, after=0.05)
    record = _run(made)
    assert (record.kind, record.node, record.role) == ("pretended", "node1", "primary")
    assert (record.verified, record.detail, record.rejoined) == (True, "done", True)
    assert (record.nodes, record.ended_verified) == (["node1"], True)
    assert record.ended is not None and record.restarted is not None
    assert record.rejoined_at is not None
    assert 1000.0 <= record.at < record.ended <= record.restarted <= record.rejoined_at
    assert record.ended - record.at >= 50.0
    assert made.unexpected_primaries() == {}
    assert [event.kind for event in made.events()] == ["fault", "ended", "restarted", "rejoined"]
    assert solution.done == ["rejoin node1"]


def test_faults_in_turn_wait_for_the_recovery_from_the_one_before() -> None:
    solution = Solution()
    solution.reasons = ["node1 does not answer", *["not yet"] * 20, "", "it fell out", ""]
    made = _made(solution, times=2, awaits=True)
    _run(made)
    first, second = made.records()
    assert first.rejoined_at is not None and second.at > first.rejoined_at
    assert made.over and solution.reasons == [""]


def test_faults_in_turn_wait_until_the_manager_has_ended_its_operations() -> None:
    solution, manager = Solution(), _manager()
    solution.reasons, manager.settled = [""], False
    made = _made(solution, manager=manager, times=2, awaits=True)
    made.begin()
    wait_until(lambda: "" if made.runs[0].over else "not yet", 10.0, "", 0.001)
    time.sleep(0.05)
    assert not made.runs[1].begun_ns
    manager.settled = True
    made.finish()
    assert len(made.records()) == 2


def test_faults_in_turn_end_with_the_load_if_a_node_does_not_return() -> None:
    solution = Solution()
    solution.reasons = ["node1 does not answer", "", "it fell out again"]
    made = _made(solution, times=3, awaits=True)
    made.begin()
    wait_until(lambda: "" if solution.reasons == ["it fell out again"] else "not yet", 10.0, "", 0.001)
    made.end_early("the load ended")
    made.finish()
    assert len(made.records()) == 1 and made.over
    (skipped,) = [event for event in made.events() if event.kind == "skipped"]
    assert skipped.detail == "2 of 3 faults: it fell out again"


def test_faults_in_turn_that_are_not_due_are_skipped_with_the_load() -> None:
    made = _made(Solution(), times=3, awaits=True)
    made.steps[1] = replace(made.steps[1], at=60.0)
    made.begin()
    wait_until(lambda: "" if made.runs[0].over else "not yet", 10.0, "", 0.001)
    made.end_early("the load ended")
    made.finish()
    (skipped,) = [event for event in made.events() if event.kind == "skipped"]
    assert skipped.detail == "2 of 3 faults: the load ended"
    assert made.over and [one.planned for one in made.records()] == [3]


def test_an_error_between_faults_in_turn_skips_the_others() -> None:
    class Odd:
        promotes, alive = True, True

        @property
        def at_work(self) -> bool:
            raise ValueError("odd")

        def events(self) -> list[ManagerEvent]:
            return []

    solution = Solution()
    solution.reasons, solution.without_primary = [""], 0
    made = _made(solution, manager=Odd(), times=2, awaits=True)
    made.begin()
    wait_until(lambda: "" if made.over else "not yet", 10.0, "", 0.001)
    made.dismiss()
    (skipped,) = [event for event in made.events() if event.kind == "skipped"]
    assert skipped.detail == "1 of 2 faults: ValueError: odd"


def test_a_node_that_falls_out_at_last_had_rejoined_after_the_faults_before() -> None:
    solution = Solution()
    solution.reasons = [""]
    made = _made(solution, times=3, awaits=True)
    _run(made)
    solution.reasons = ["it fell out"]
    made.confirm()
    assert [one.rejoined for one in made.records()] == [True, True, False]


@pytest.mark.parametrize("ready", [True, False])
def test_a_server_that_does_not_run_has_started_only_where_it_stands_by(ready: bool) -> None:
    solution = Downed()
    solution.standing_by = {"node1"} if ready else set()
    record = _run(_made(solution))
    assert record.ended_verified is ready
    assert record.ended_detail == ("" if ready else "node1 did not start")


def test_a_node_that_is_never_to_be_restarted_stays_away() -> None:
    solution = Solution()
    solution.reasons = ["node1 does not answer"]
    made = _made(solution, after=None)
    record = _run(made)
    made.confirm()
    assert (record.ended, record.restarted, record.rejoined) == (None, None, None)
    assert made.unexpected_primaries() == {"node1": "not restarted"}
    assert [event.kind for event in made.events()] == ["fault"]
    assert solution.done == []


def test_a_dead_primary_waits_for_its_successor() -> None:
    solution = Solution()
    _run(_made(solution, manager=_manager()))
    assert solution.done == ["asked for the primary"] * 3 + ["rejoin node1"]
    solution = Solution()
    solution.by_itself = True
    _run(_made(solution))
    assert solution.done == ["asked for the primary"] * 3 + ["rejoin node1"]


def test_a_server_on_a_shared_disk_is_left_to_its_manager() -> None:
    solution = Solution()
    # The other node has the other disk, and no server.
    solution.standing_by, OTHER.alive = {"node2"}, False
    try:
        _run(_made(solution, manager=_manager()))
    finally:
        OTHER.alive = True
    assert solution.done == ["asked for the primary"] * 3 + ["rejoin node1"]


@pytest.mark.parametrize("manager", [None, _manager(promotes=False)])
def test_who_has_no_successor_to_wait_for_is_restarted_at_once(manager: Any) -> None:
    solution = Solution()
    _run(_made(solution, manager=manager))
    assert solution.done == ["rejoin node1"]


def test_nobody_waits_for_a_manager_that_is_dead_or_has_nobody_to_promote() -> None:
    for dead, alone in ((True, False), (False, True)):
        solution = Solution()
        manager = _manager()
        manager.alive = not dead
        solution.nodes = [NODE] if alone else [NODE, OTHER]
        _run(_made(solution, manager=manager))
        assert solution.done == ["rejoin node1"]


@pytest.mark.parametrize(
    ("error", "detail"), [(FiveninesError("it will not"), "it will not"), (ValueError("odd"), "odd")]
)
@pytest.mark.usefixtures("skipping")
def test_why_a_node_did_not_rejoin_is_told(error: Exception, detail: str) -> None:
    solution = Solution()
    solution.reasons = ["node1 does not answer"]
    solution.refuses = error
    made = _made(solution)
    made.node_recovery._deadline = time.monotonic() - 5
    record = _run(made)
    assert (record.rejoined, record.rejoined_at, record.ended_verified) == (False, None, False)
    assert detail in record.rejoin_detail or "does not answer" in record.rejoin_detail
    assert record.restarted is not None
    assert list(made.unexpected_primaries()) == ["node1"]
    assert solution.done == ["rejoin node1"] * 3


@pytest.mark.parametrize("without_successor", [False, True])
def test_a_deadline_that_comes_nearer_ends_a_wait_that_goes_on(
    monkeypatch: pytest.MonkeyPatch, without_successor: bool
) -> None:
    monkeypatch.setattr(node_recovery, "_GRACE", 0.0)
    solution = Solution()
    solution.reasons = ["not yet"]
    solution.without_primary = 10**9 if without_successor else 0
    solution.by_itself = without_successor
    made = _made(solution)
    made.node_recovery._deadline = time.monotonic() + 3600
    made.begin()
    time.sleep(0.05)
    assert not made.over
    made.hurry(time.monotonic())
    made.finish()
    assert made.over
    (record,) = made.records()
    if without_successor:
        assert "node1 was not restarted within" in record.ended_detail
        assert record.ended_detail.endswith("no node was promoted")
    else:
        assert record.rejoin_detail.startswith("node1 did not rejoin within")


def test_a_fault_that_cannot_be_injected_is_recorded_as_such() -> None:
    solution = Solution()
    made = _made(solution, fails="inject")
    record = _run(made)
    assert (record.node, record.verified, record.detail) == ("", False, "no node is primary now")
    assert (record.ended, record.rejoined, made.unexpected_primaries()) == (None, None, {})


def test_a_fault_that_cannot_end_is_recorded_as_such() -> None:
    record = _run(_made(Solution(), fails="end"))
    assert (record.verified, record.ended, record.ended_verified) == (True, None, False)
    assert record.ended_detail == "it goes on"
    assert record.rejoined


def test_a_node_that_fell_out_again_did_not_rejoin() -> None:
    solution = Solution()
    made = _made(solution)
    assert _run(made).rejoined
    made.confirm()
    assert made.records()[0].rejoined
    solution.reasons = ["node1: duplicate key"]
    made.confirm()
    record = made.records()[0]
    assert (record.rejoined, record.rejoined_at) == (False, None)
    assert record.rejoin_detail == "node1: duplicate key"
    assert made.unexpected_primaries() == {"node1": "node1: duplicate key"}


def test_an_early_end_cancels_what_has_not_struck_and_ends_what_has() -> None:
    solution = Solution()
    made = _made(solution, after=60.0, times=3)
    for step in (1, 2):
        made.steps[step] = Step(60.0, made.steps[step].fault)
    made.begin()
    while not made.records():
        time.sleep(0.001)
    made.end_early()
    made.finish()
    (record,) = made.records()
    assert record.rejoined and record.ended is not None and record.ended < 60_000


def test_a_fault_that_goes_on_after_each_return_is_one() -> None:
    class Dead(Solution):
        """Node1 is a member when its server runs, unless it is marked as dropped out."""

        out = ""

        def not_joined_reason(self, node: Any) -> str:
            return self.out if node.alive else "it is dead"

    solution = Dead()
    made = _made(solution, turns=3)
    record = _run(made)
    assert len(made.records()) == 1
    assert (record.nodes, record.verified, record.rejoined) == (["node1"] * 3, True, True)
    assert [event.kind for event in made.events()] == [
        "fault",
        "restarted",
        "rejoined",
        "restarted",
        "rejoined",
        "ended",
        "restarted",
        "rejoined",
    ]
    assert record.restarted is not None and record.rejoined_at is not None
    assert record.at < (record.ended or 0.0) <= record.restarted <= record.rejoined_at
    assert solution.done == ["rejoin node1"] * 3
    solution.out = "node1: duplicate key"
    made.confirm()
    assert made.records()[0].rejoined is False


@pytest.mark.usefixtures("skipping")
def test_a_fault_does_not_go_on_after_a_node_that_stays_away() -> None:
    solution = Solution()
    solution.reasons = ["node1 does not answer"]
    solution.refuses = FiveninesError("no such option")
    made = _made(solution, turns=3)
    made.node_recovery._deadline = time.monotonic() - 5
    record = _run(made)
    assert (record.nodes, record.rejoined, record.ended_verified) == (["node1"], False, False)
    assert record.ended is not None, "what it did was ended"
    assert record.ended_detail.startswith("stopped: node1 did not rejoin within")
    assert record.rejoin_detail.endswith("no such option"), "why its last restart failed"


def test_an_early_end_lets_nothing_follow() -> None:
    made = _made(Solution(), after=60.0, turns=3)
    made.begin()
    while not made.records():
        time.sleep(0.001)
    assert made.records()[0].ended is None
    made.end_early("the load ended")
    made.finish()
    (record,) = made.records()
    assert (record.rejoined, record.ended_detail) == (True, "stopped: the load ended")
    assert record.nodes == ["node1"]


def test_several_faults_have_records_of_their_own() -> None:
    made = _made(Solution(), times=3)
    made.begin()
    made.finish()
    records = made.records()
    assert [record.kind for record in records] == ["pretended"] * 3
    assert [record.at for record in records] == sorted(record.at for record in records)


def test_a_node_that_is_struck_again_on_its_way_back_comes_back_from_both() -> None:
    class Slow(Solution):
        """Node1 joins only after it has been struck twice."""

        def not_joined_reason(self, node: Any) -> str:
            return "" if node.alive and len(made.records()) == 2 else "still joining"

    solution = Slow()
    made = _made(solution, times=2)
    made.begin()
    made.finish()
    assert [(record.rejoined, record.rejoin_detail) for record in made.records()] == [(True, "")] * 2
    # One start may be for both.
    assert set(solution.done) == {"rejoin node1"}


def test_what_the_person_on_duty_did_is_an_event() -> None:
    solution = Solution()
    solution.tells = ["node2: pc.bootstrap=YES"]
    made = _made(solution)
    _run(made)
    events = [event for event in made.events() if event.kind == "bootstrapped"]
    assert [(event.node, event.detail) for event in events] == [("node2", "pc.bootstrap=YES")]


def test_a_node_that_was_fenced_is_restarted() -> None:
    solution = Solution()
    solution.without_primary = 0
    messages = [ManagerEvent(time.monotonic_ns(), "fenced", "node2")]
    made = _made(solution, manager=_manager(messages=messages))
    OTHER.alive = False
    try:
        _run(made)
    finally:
        OTHER.alive = True
    assert "rejoined" in [event.kind for event in made.events() if event.node == "node2"]


def test_who_was_dismissed_repairs_nothing_more() -> None:
    solution = Solution()
    solution.without_primary = 0
    events: list[ManagerEvent] = []
    made = _made(solution, manager=_manager(messages=events))
    made.begin()
    while not made.over:
        time.sleep(0.001)
    made.dismiss()
    OTHER.alive = False
    events.append(ManagerEvent(time.monotonic_ns(), "fenced", "node2"))
    time.sleep(0.1)
    try:
        assert not OTHER.alive and "rejoin node2" not in solution.done
    finally:
        OTHER.alive = True


def test_nobody_is_restarted_while_the_manager_is_at_work() -> None:
    class Dead(Solution):
        """Node1 is a member when its server runs."""

        def not_joined_reason(self, node: Any) -> str:
            return "" if node.alive else "it is dead"

    solution, manager = Dead(), _manager()
    manager.at_work = True
    made = _made(solution, manager=manager)
    began = time.monotonic()
    threading.Timer(0.2, setattr, (manager, "at_work", False)).start()
    record = _run(made)
    assert record.rejoined
    assert record.restarted is not None
    restarted = made._started_ns / 1e9 + record.restarted / 1000
    assert restarted - began > 0.19


def test_the_managers_steps_stand_among_the_others_in_the_order_of_time() -> None:
    solution = Solution()
    solution.without_primary = 0
    messages: list[ManagerEvent] = []
    made = _made(solution, manager=_manager(messages=messages))
    messages += [
        ManagerEvent(made._started_ns + 10**15, "decided", "node2", "most advanced"),
        ManagerEvent(made._started_ns + 500_000, "missed", "node1", "1 of 3"),
    ]
    _run(made)
    events = made.events()
    assert [event.kind for event in events] == [
        "missed",
        "fault",
        "ended",
        "restarted",
        "rejoined",
        "decided",
    ]
    assert events[0] == Event(t=0.5, kind="missed", node="node1", detail="1 of 3")
    assert events[-1] == Event(t=1e9, kind="decided", node="node2", detail="most advanced")
