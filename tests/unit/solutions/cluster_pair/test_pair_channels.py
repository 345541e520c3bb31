"""A channel between two clusters: when it is moved, from where, and when it is not."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.servers.base import Value
from fivenines.servers.mysql_family.channel import Channel, Numbers
from fivenines.solutions.cluster_pair import channels as pair_channels
from fivenines.solutions.cluster_pair.channels import Flow, Side


class Node:
    """A server that works or not, and records statements."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.works = True
        self.sent: list[str] = []
        self.error = ""
        # Its statements are recorded here as well.
        self.sql = self

    def answers(self) -> bool:
        return self.works

    def execute(self, *statements: str) -> None:
        self.sent += statements

    def replica_status(self) -> Mapping[str, Any]:
        return {"error": self.error, "following": bool(self.sent and self.sent[-1] != "stop")}


class Kind(Channel[Any]):
    """Places are numbers; nothing lags."""

    threads, stop, stop_receiving = ("", ""), ("stop",), "stop receiving"
    positions = ("received", "applied")

    def __init__(self) -> None:
        self.mark = "17"

    def settings(self, numbers: Numbers, detects: bool) -> dict[str, Value]:
        return {}

    def end(self, source: Any) -> str:
        return "100"

    def applied(self, of: int, servers: Sequence[Any], numbers: Sequence[int]) -> str:
        return self.mark

    def after(self, source: Any, mark: str, was_down: bool) -> str:
        return f"{mark}+" if mark else ""

    def follow(self, source: Any, of: int, place: str, password: str) -> list[str]:
        return [f"follow {source.name} from {place}"]

    def behind(self, of: int, sources: Sequence[Any], source: Any, applier: Any) -> str:
        return ""

    def trouble(self, status: Mapping[str, Any]) -> str:
        return str(status["error"])


def _works(node: Any) -> bool:
    return bool(node.works)


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(pair_channels, "_STARTS", 0.0)
    nodes: list[Any] = [Node(f"node{number}") for number in range(1, 5)]
    events: list[tuple[str, str]] = []
    sides = [
        Side(name, number, nodes[first : first + 2], first + 1, _works)
        for name, number, first in (("a", 1, 0), ("b", 2, 2))
    ]
    kind = Kind()
    a, b = sides
    flow = Flow(a, b, kind, "secret", lambda what, _node, words: events.append((what, words)))
    flow.note_ends()
    flow.begin()
    return flow, nodes, events, kind


def test_a_channel_begins_where_the_clusters_were_identical(pair: Any) -> None:
    flow, nodes, events, _ = pair
    assert nodes[2].sent == ["follow node1 from 100"]
    flow.look_after(0.0)
    assert (flow.problem(), events) == ("", [])


def test_a_moved_channel_continues_after_the_last_applied_change(pair: Any) -> None:
    flow, nodes, events, _ = pair
    nodes[0].works = False
    flow.look_after(60.0)
    assert events == [], "not before its time"
    flow.look_after(None)
    assert events == [], "nobody does"
    flow.look_after(0.0)
    assert nodes[3].sent == ["follow node2 from 17+"] and nodes[2].sent[-1] == "stop"
    assert [what for what, _ in events] == ["decided", "repointed"]
    assert events[1][1] == "channel a to b: it follows node2 from 17+, after 17"


def test_a_server_that_was_down_is_reported_and_chosen_last(pair: Any) -> None:
    flow, nodes, events, kind = pair
    kind.mark = ""
    flow.source.been_down = {"node2"}
    assert [node.name for node in flow.source.working()] == ["node1", "node2"]
    nodes[0].works = False
    flow.look_after(0.0)
    assert "from 100, as nothing has arrived yet (it was down itself" in events[1][1]


def test_a_channel_without_servers_at_one_end_waits(pair: Any) -> None:
    flow, nodes, events, _ = pair
    nodes[0].works = nodes[1].works = False
    flow.look_after(0.0)
    assert events == [] and flow.problem() == "node1 is not a working server of cluster a"


def test_an_applier_that_was_frozen_is_stopped_when_it_wakes(pair: Any) -> None:
    flow, nodes, _, _ = pair
    nodes[2].works = False
    flow.look_after(0.0)
    assert flow.applier is nodes[3] and nodes[2].sent == ["follow node1 from 100"]
    nodes[2].works = True
    flow.look_after(0.0)
    assert nodes[2].sent[-1] == "stop"


def test_a_channel_that_fails_again_on_the_only_servers_is_given_up(pair: Any) -> None:
    flow, nodes, events, _ = pair
    nodes[1].works = nodes[3].works = False
    nodes[2].error = "duplicate key"
    flow.look_after(0.0)
    assert events[-1] == ("failed", "channel a to b: node3: duplicate key")
    flow.look_after(0.0)
    assert len(events) == 2 and flow.problem() == "node3: duplicate key"


def test_unapplied_changes_are_reported(pair: Any) -> None:
    flow, nodes, _, _ = pair
    nodes[2].sql.replica_status = lambda: {"received": 9, "applied": 7}
    assert flow.drain(0.0) == "node3 has applied up to 7 of 9"
    nodes[2].sql.replica_status = lambda: {"received": 9, "applied": 9}
    assert flow.drain(0.0) == ""
    flow.end()
    assert flow.drain(0.0) == "no server applies it"
    assert flow.behind() == "channel a to b: it does not run"


def test_an_error_of_the_driver_is_a_reason(pair: Any) -> None:
    flow, nodes, events, _ = pair

    def fails() -> Any:
        raise FiveninesError("gone")

    nodes[2].sql.replica_status = fails
    flow.look_after(0.0)
    assert events[0] == ("decided", "channel a to b: gone")
