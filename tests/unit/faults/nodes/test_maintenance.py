"""Test the rolling restart: the order of servers, the steps around each restart, and early ends."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.base.errors import FiveninesError
from fivenines.faults.base import Injection
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes import maintenance, stop
from fivenines.faults.nodes.maintenance import Maintenance, MaintenanceSettings
from fivenines.servers.daemon import Daemon
from fivenines.servers.local import LocalServer
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.ndb.settings import NdbSettings
from fivenines.solutions.standalone import StandaloneSettings


class Life:
    """The start and stop of a server, as far as a fault uses them."""

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


class Node(Life, LocalServer):
    """A database server of which only start and stop are simulated."""


class Part(Life, Daemon):
    """A server that is not a node."""


for simulated in (Node, Part):
    simulated.__abstractmethods__ = frozenset()


class Drained:
    """An access layer that can drain nodes."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    def drain(self, name: str) -> str:
        self._done.append(f"drain {name}")
        return "drained"

    def undrain(self, name: str) -> None:
        self._done.append(f"undrain {name}")


class Solution:
    """A solution with node1 as its first primary, and a server part1 that is not a node."""

    hand_over_patience = 5.0

    def __init__(self, size: int = 3) -> None:
        self.done: list[str] = []
        # It answers for each of its aspects.
        self.roles = self.membership = self.switchover = self
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

    def certain_primary(self) -> Any:
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
    monkeypatch.setattr(maintenance, "_CHECK_INTERVAL", 0.001)
    monkeypatch.setattr(maintenance, "_LONGEST_WAIT", 0.05)


def _context(solution: Solution, drain: bool = False) -> FaultContext:
    settings = SimpleNamespace(switches_over=False)
    access: Any = SimpleNamespace(draining=Drained(solution.done) if drain else None, settings=settings)
    deployed: Any = SimpleNamespace(solution=solution, access=access, manager=None)
    events: list[str] = []
    context = FaultContext(deployed, note=lambda kind, node, _: events.append(f"{kind} {node}"))
    context.events = events  # type: ignore[attr-defined]
    return context


def _fault(**settings: Any) -> Maintenance:
    return Maintenance(MaintenanceSettings(fault="maintenance", pause=0, **settings))


def _run_all(fault: Maintenance, context: FaultContext) -> list[Injection]:
    """Run all injections as the runner does: each server recovers before the next injection."""
    injections = []
    now: Injection | None = fault.inject(context)
    while now is not None:
        injections.append(now)
        for server in now.servers:
            server.up = True  # type: ignore[attr-defined]
        now = fault.follow(context, now, "")
    return injections


def test_restarts_the_primary_last_after_a_switchover() -> None:
    solution = Solution()
    context = _context(solution)
    injections = _run_all(_fault(down=2), context)
    assert [injection.hosts for injection in injections] == [("part1",), ("node2",), ("node3",), ("node1",)]
    assert [injection.followed for injection in injections] == [True, True, True, False]
    assert all(injection.verified and (injection.lasts or 0) >= 2 for injection in injections)
    assert injections[0].role == "all"
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
    assert context.events[-3:] == ["maintenance node1", "handed over node1", "stopped node1"]  # type: ignore[attr-defined]
    assert _fault().recover(context, injections[1]).detail == "2 of 4 servers restarted"


def test_drains_nodes_in_an_access_layer_that_supports_it() -> None:
    solution = Solution(2)
    _run_all(_fault(target="nodes"), _context(solution, drain=True))
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
def test_shuts_the_primary_down_without_a_switchover(size: int, settings: dict[str, Any]) -> None:
    solution = Solution(size)
    injections = _run_all(_fault(target="nodes", **settings), _context(solution))
    assert injections[-1].hosts[0] == "node1"
    assert "hand over" not in solution.done


def test_restarts_only_the_target() -> None:
    solution = Solution()
    (injection,) = _run_all(_fault(target="node3"), _context(solution))
    assert (injection.hosts, injection.role, injection.followed) == (("node3",), "node3", False)


def test_shuts_no_server_down_while_another_one_is_unavailable() -> None:
    solution = Solution()
    fault, context = _fault(), _context(solution)
    first = fault.inject(context)
    solution.parts[0].up = True
    solution.away["node3"] = "node3 is not Synced"
    with pytest.raises(FiveninesError, match="no further server is shut down: node3 is not Synced"):
        fault.follow(context, first, "")
    assert solution.done == ["stop part1"]
    with pytest.raises(FiveninesError, match="no further server is shut down: node3"):
        fault.inject(context)


def test_waits_for_replicas_to_catch_up_before_the_next_shutdown() -> None:
    solution = Solution()
    solution.lacks = ["node2 has 7 bytes to replay"] * 3
    _fault().inject(_context(solution))
    assert solution.lacks == []


def test_stops_at_a_server_that_did_not_recover() -> None:
    solution = Solution()
    fault, context = _fault(target="nodes"), _context(solution, drain=True)
    first = fault.inject(context)
    with pytest.raises(FiveninesError) as caught:
        fault.follow(context, first, "node2 does not answer")
    assert str(caught.value) == (
        "node2 did not recover: stopped after 1 of 3 servers, node1, node3 not restarted"
    )
    assert solution.done == ["drain node2", "stop node2"], "the node stays drained"


@pytest.mark.parametrize("why", ["", "the load ended"])
def test_shuts_no_further_server_down_after_an_early_end(why: str) -> None:
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
    with pytest.raises(FiveninesError, match="cancelled before the first server"):
        fault.inject(context)


def test_a_shutdown_that_ends_by_sigkill_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop, "PATIENCE", 0.0)
    injection = _fault().inject(_context(Solution()))
    assert not injection.verified and injection.detail.startswith("part1: still running after")


def test_expected_duration() -> None:
    settings = MaintenanceSettings(fault="maintenance", down=2, pause=1)
    galera = GaleraSettings(solution="galera", arbiter=True, size=4).topology()
    assert settings.expected(galera) == 4 * 5 + 3
    assert settings.lasts == settings.longest() == 2
    ndb = NdbSettings(solution="ndb").topology()
    assert settings.expected(ndb) == 5 * 22 + 4
    assert settings.model_copy(update={"target": "nodes"}).expected(ndb) == 2 * 22 + 1
    assert settings.model_copy(update={"target": "data2"}).expected(ndb) == 22


@pytest.mark.parametrize("word", ["node0", "proxy", "manager", ""])
def test_refuses_targets_that_cannot_restart(word: str) -> None:
    with pytest.raises(ValidationError, match="is not a target"):
        MaintenanceSettings(fault="maintenance", target=word)


def test_refuses_targets_that_the_solution_does_not_have() -> None:
    alone = StandaloneSettings(solution="standalone").topology()
    assert MaintenanceSettings(fault="maintenance").problems_with(alone) == []
    assert MaintenanceSettings(fault="maintenance", target="nodes").problems_with(alone) == []
    (problem,) = MaintenanceSettings(fault="maintenance", target="node2").problems_with(alone)
    assert "has 1 node" in problem


@pytest.mark.parametrize(
    ("target", "refused"), [("all", True), ("group0", True), ("nodes", False), ("node1", False)]
)
def test_refuses_to_restart_a_data_node_without_a_replica(target: str, refused: bool) -> None:
    settings = NdbSettings(solution="ndb", replicas=1, data_nodes=2)
    fault = MaintenanceSettings(fault="maintenance", target=target)
    problems = settings.checks.problems_with_fault(fault)
    assert bool(problems) is refused
    assert NdbSettings(solution="ndb").checks.problems_with_fault(fault) == []
