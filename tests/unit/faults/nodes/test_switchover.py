"""Planned switchovers and stalled replicas, by the solution's own commands."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.faults.context import FaultContext
from fivenines.faults.nodes.switchover import Switchover, SwitchoverSettings, hand_over
from fivenines.faults.services.stalled_replica import StalledReplica, StalledReplicaSettings
from fivenines.servers.cluster.switchover import ChosenSwitchover
from fivenines.servers.cluster.switchover import Switchover as OwnSwitchover

FIRST, SECOND = SimpleNamespace(name="node1"), SimpleNamespace(name="node2")


class Plain(OwnSwitchover[Any]):
    """Moves the writes to node2."""

    def hand_over(self, draining: object) -> str:
        self.cluster.roles.now = SECOND  # type: ignore[attr-defined]
        return "to the next node"


class Chosen(ChosenSwitchover[Any]):
    """Moves the writes to the named node."""

    def hand_over(self, draining: object) -> str:
        return self.hand_over_to("node2")

    def hand_over_to(self, name: str) -> str:
        self.cluster.roles.now = SECOND  # type: ignore[attr-defined]
        return f"to {name}"


class Roles:
    """The primary and its replica."""

    def __init__(self) -> None:
        self.now: Any = FIRST

    def primary(self) -> Any:
        return self.now

    def certain_primary(self) -> Any:
        return self.now

    def target(self, role: str) -> Any:
        return FIRST if role == "primary" else SECOND


def _context(switchover: Any = None) -> FaultContext:
    solution: Any = SimpleNamespace(
        name="pair",
        nodes=[FIRST, SECOND],
        roles=Roles(),
        stalling=None,
        switchover=None,
        hand_over_patience=5.0,
        topology=SimpleNamespace(words={}, votes=2),
    )
    solution.switchover = switchover and switchover(solution)
    access = SimpleNamespace(draining=None, settings=SimpleNamespace(switches_over=False))
    deployed: Any = SimpleNamespace(solution=solution, access=access, manager=None)
    return FaultContext(deployed)


@pytest.mark.parametrize(
    ("switchover", "to", "detail"),
    [(Plain, "", "to the next node"), (Chosen, "", "to node2"), (Chosen, "node2", "to node2")],
)
def test_the_solution_moves_the_writes(switchover: Any, to: str, detail: str) -> None:
    done = hand_over(_context(switchover), to)
    assert (done.former.name, done.verified, done.detail) == ("node1", True, detail)


@pytest.mark.parametrize(
    ("switchover", "to", "message"),
    [
        (None, "", "pair: it does not support a switchover"),
        (Plain, "node2", "pair: it does not support choosing the new primary"),
    ],
)
def test_what_a_solution_does_not_support_is_an_error(switchover: Any, to: str, message: str) -> None:
    with pytest.raises(FiveninesError, match=message):
        hand_over(_context(switchover), to)


def test_a_switchover_by_other_means_leaves_nothing_to_undo() -> None:
    fault, injection = Switchover(SwitchoverSettings(fault="switchover")), SimpleNamespace(servers=(FIRST,))
    assert fault.recover(_context(), injection).verified  # type: ignore[arg-type]


def test_replicas_that_cannot_stall_are_an_error() -> None:
    fault = StalledReplica(StalledReplicaSettings(fault="stalled-replica"))
    with pytest.raises(FiveninesError, match="pair: it has no replica that could stall"):
        fault.inject(_context())
