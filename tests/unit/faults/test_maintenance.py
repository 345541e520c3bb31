"""A rolling restart: who goes down when, what happens before and after, and where it stops."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.errors import FiveninesError
from fivenines.faults import maintenance, stop
from fivenines.faults.base import Injection
from fivenines.faults.context import FaultContext
from fivenines.faults.maintenance import Maintenance, MaintenanceSettings
from fivenines.servers.base import Server
from fivenines.servers.member import Member
from fivenines.solutions.galera import GaleraSettings
from fivenines.solutions.ndb_settings import NdbSettings
from fivenines.solutions.standalone import StandaloneSettings


class Life:
    """What a fault sees of a server's life."""

    def __init__(self, name: str, done: list[str]) -> None:
        self._name, self._done, self.up = name, done, True

    @property
    def name(self) -> str:
        return self._name

    @property
    def alive(self) -> bool:
        return self.up

    def stop(self, timeout: float = 60.0) -> None:
        self._done.append(f"stop {self.name}")
        self.up = False


class Node(Life, Server):
    """A database server of which only its life is pretended."""


class Part(Life, Member):
    """A server beside the nodes."""


for pretended in (Node, Part):
    pretended.__abstractmethods__ = frozenset()


class Drained:
    """An access layer with maintenance."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    def drain(self, name: str) -> str:
        self._done.append(f"drain {name}")
        return "drained"

    def undrain(self, name: str) -> None:
        self._done.append(f"undrain {name}")


class Solution:
    """Node1 is the primary at first; a server beside the nodes is called part1."""

    hand_over_patience = 5.0

    def __init__(self, size: int = 3) -> None:
        self.done: list[str] = []
        node: Any = Node
        part: Any = Part
        self.nodes: list[Any] = [node(f"node{n}", self.done) for n in range(1, size + 1)]
        self.parts: list[Any] = [part("part1", self.done)]
        self.members = [*self.nodes, *self.parts]
        self.first: Any = self.nodes[0]
        self.away: dict[str, str] = {}
        self.lacks: list[str] = []
        self.topology = SimpleNamespace(
            without_switchover=() if size > 1 else ("one node",), words={}, votes=size
        )

    def primary(self) -> Any:
        return self.first

    def target(self, _role: str) -> Any:
        return self.first

    def maintenance_order(self) -> list[Any]:
        return [*self.parts, *sorted(self.nodes, key=lambda node: node is self.first)]

    def hand_over(self, _draining: object) -> str:
        self.done.append("hand over")
        self.first = self.nodes[1]
        return "node1 to node2"

    def undrain(self, _draining: object, node: Any) -> None:
        self.done.append(f"welcome {node.name}")

    def not_joined_reason(self, node: Any) -> str:
        return self.away.get(node.name, "" if node.up else f"{node.name} does not answer")

    def written(self) -> Callable[[Any], str]:
        return lambda _node: self.lacks.pop(0) if self.lacks else ""

    def each(self, action: Callable[[Any], None], nodes: Any) -> None:
        for node in nodes:
            action(node)

    def node(self, name: str) -> Any:
        return next(node for node in self.nodes if node.name == name)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintenance, "_LOOK", 0.001)
    monkeypatch.setattr(maintenance, "_LONGEST_WAIT", 0.05)


def _context(solution: Solution, drain: bool = False) -> FaultContext:
    settings = SimpleNamespace(switches_over=False)
    access: Any = SimpleNamespace(draining=Drained(solution.done) if drain else None, settings=settings)
    deployed: Any = SimpleNamespace(solution=solution, access=access, manager=None)
    told: list[str] = []
    context = FaultContext(deployed, note=lambda kind, node, _: told.append(f"{kind} {node}"))
    context.told = told  # type: ignore[attr-defined]
    return context


def _fault(**settings: Any) -> Maintenance:
    return Maintenance(MaintenanceSettings(fault="maintenance", pause=0, **settings))


def _all_of_it(fault: Maintenance, context: FaultContext) -> list[Injection]:
    """As a runner does it: each server is back before what follows."""
    found = []
    now: Injection | None = fault.inject(context)
    while now is not None:
        found.append(now)
        for server in now.servers:
            server.up = True  # type: ignore[attr-defined]
        now = fault.follow(context, now, "")
    return found


def test_the_primary_comes_last_and_hands_over_before() -> None:
    solution = Solution()
    context = _context(solution)
    found = _all_of_it(_fault(down=2), context)
    assert [one.hosts for one in found] == [("part1",), ("node2",), ("node3",), ("node1",)]
    assert [one.followed for one in found] == [True, True, True, False]
    assert all(one.verified and (one.lasts or 0) >= 2 for one in found)
    assert found[0].role == "all"
    assert solution.done == [
        "stop part1",
        "stop node2",
        "welcome node2",
        "stop node3",
        "welcome node3",
        "hand over",
        "stop node1",
        "welcome node1",
    ]
    assert context.told[-3:] == ["maintenance node1", "handed over node1", "stopped node1"]  # type: ignore[attr-defined]
    assert _fault().recover(context, found[1]).detail == "2 of 4 servers had their turn"


def test_nodes_are_taken_out_of_an_access_layer_that_can_do_that() -> None:
    solution = Solution(2)
    _all_of_it(_fault(target="nodes"), _context(solution, drain=True))
    assert solution.done == [
        "drain node2",
        "stop node2",
        "welcome node2",
        "undrain node2",
        "hand over",
        "drain node1",
        "stop node1",
        "welcome node1",
        "undrain node1",
    ]


@pytest.mark.parametrize(("size", "settings"), [(3, {"switchover": False}), (1, {})])
def test_without_a_switchover_the_primary_is_shut_down_as_it_is(size: int, settings: dict[str, Any]) -> None:
    solution = Solution(size)
    found = _all_of_it(_fault(target="nodes", **settings), _context(solution))
    assert [one.hosts[0] for one in found][-1] == "node1"
    assert "hand over" not in solution.done


def test_a_target_names_fewer() -> None:
    solution = Solution()
    found = _all_of_it(_fault(target="node3"), _context(solution))
    assert [(one.hosts, one.role, one.followed) for one in found] == [(("node3",), "node3", False)]


def test_nobody_goes_down_while_another_one_is_away() -> None:
    solution = Solution()
    fault, context = _fault(), _context(solution)
    first = fault.inject(context)
    solution.parts[0].up = True
    solution.away["node3"] = "node3 is not Synced"
    with pytest.raises(FiveninesError, match="nobody else goes down: node3 is not Synced"):
        fault.follow(context, first, "")
    assert solution.done == ["stop part1"]
    with pytest.raises(FiveninesError, match="nobody else goes down: node3"):
        fault.inject(context)


def test_replicas_have_what_was_written_before_the_next_one_goes_down() -> None:
    solution = Solution()
    solution.lacks = ["node2 has 7 bytes to replay"] * 3
    _fault().inject(_context(solution))
    assert solution.lacks == []


def test_it_stops_at_a_server_that_did_not_come_back() -> None:
    solution = Solution()
    fault, context = _fault(target="nodes"), _context(solution, drain=True)
    first = fault.inject(context)
    with pytest.raises(FiveninesError) as caught:
        fault.follow(context, first, "node2 does not answer")
    assert str(caught.value) == (
        "node2 did not come back: stopped after 1 of 3 servers, node1, node3 had no turn"
    )
    assert solution.done == ["drain node2", "stop node2"], "it stays in maintenance"


@pytest.mark.parametrize("why", ["", "the load ended"])
def test_an_early_end_takes_nobody_else_down(why: str) -> None:
    solution = Solution()
    fault, context = _fault(target="nodes"), _context(solution)
    first = fault.inject(context)
    solution.nodes[1].up = True
    context.why_ended = why
    context.ended.set()
    if why:
        with pytest.raises(FiveninesError, match="the load ended: stopped after 1 of 3 servers"):
            fault.follow(context, first, "")
    else:
        assert fault.follow(context, first, "") is None
    assert solution.done == ["stop node2", "welcome node2"]
    with pytest.raises(FiveninesError, match="ended before anybody"):
        fault.inject(context)


def test_a_shutdown_that_had_to_be_killed_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop, "PATIENCE", 0.0)
    injection = _fault().inject(_context(Solution()))
    assert not injection.verified and injection.detail.startswith("part1: not down after")


def test_how_long_it_is_expected_to_take() -> None:
    settings = MaintenanceSettings(fault="maintenance", down=2, pause=1)
    galera = GaleraSettings(solution="galera", arbiter=True, size=4).topology()
    assert settings.expected(galera) == 4 * 5 + 3
    assert settings.lasts == settings.longest() == 2
    ndb = NdbSettings(solution="ndb").topology()
    assert settings.expected(ndb) == 5 * 22 + 4
    assert settings.model_copy(update={"target": "nodes"}).expected(ndb) == 2 * 22 + 1
    assert settings.model_copy(update={"target": "data2"}).expected(ndb) == 22


@pytest.mark.parametrize("word", ["node0", "proxy", "manager", ""])
def test_what_cannot_have_a_turn_is_refused(word: str) -> None:
    with pytest.raises(ValidationError, match="is not a target"):
        MaintenanceSettings(fault="maintenance", target=word)


def test_what_a_solution_has_not_is_refused() -> None:
    alone = StandaloneSettings(solution="standalone").topology()
    assert MaintenanceSettings(fault="maintenance").problems_with(alone) == []
    assert MaintenanceSettings(fault="maintenance", target="nodes").problems_with(alone) == []
    (problem,) = MaintenanceSettings(fault="maintenance", target="node2").problems_with(alone)
    assert "has 1 node" in problem


@pytest.mark.parametrize(
    ("target", "refused"), [("all", True), ("group0", True), ("nodes", False), ("node1", False)]
)
def test_a_data_node_that_nobody_can_spare_is_not_restarted(target: str, refused: bool) -> None:
    settings = NdbSettings(solution="ndb", replicas=1, data_nodes=2)
    fault = MaintenanceSettings(fault="maintenance", target=target)
    found = settings.problems_with_fault(fault)
    assert bool(found) is refused
    assert NdbSettings(solution="ndb").problems_with_fault(fault) == []
