"""Durability by role: the settings of a node, when they are set, and the events."""

import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.servers.mariadb.server import Mariadb
from fivenines.servers.roles import Company, RoleReader, RoleView, Settings
from fivenines.solutions.durability import DurabilitySettings
from fivenines.trial.deployment import durability
from fivenines.trial.deployment.durability import DurabilityKeeper

COMPANY = Company()


class Node(RoleReader):
    """A server with a role that can be changed, and its role reader."""

    frozen = False

    def __init__(self, name: str, primary: bool = False) -> None:
        self.name, self.primary = name, primary
        self.alive, self.accompanied, self.obeys, self.answers = True, True, True, True
        self.has: dict[str, str] = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
        self.asked_for: Company | None = None
        self.durability = Mariadb.durability

    @property
    def introspection(self) -> "Node":
        return self

    @property
    def sql(self) -> "Node":
        return self

    def role_reader(self, company: Company | None) -> RoleReader:
        self.asked_for = company
        return self

    def session(self, timeout: float) -> Any:
        return SimpleNamespace(close=lambda: None)

    def look(self, session: Any) -> RoleView:
        if not self.answers:
            raise OSError("gone")
        return RoleView(self.primary, self.primary and self.accompanied, dict(self.has))

    def change(self, session: Any, settings: Settings) -> None:
        if self.obeys:
            self.has.update(settings)

    @property
    def kind(self) -> str:
        return {("1", "1"): "strict", ("2", "0"): "relaxed"}[tuple(self.has.values())]  # type: ignore[index]


Keep = Callable[..., DurabilityKeeper]


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keep]:
    monkeypatch.setattr(durability, "EVERY", 0.01)
    monkeypatch.setattr(durability, "_TAKES_EFFECT", 0.05)
    monkeypatch.setattr(durability, "_TIMEOUT", 0.1)
    monkeypatch.setattr(durability, "_AT_FIRST", 2.0)
    made: list[DurabilityKeeper] = []

    def keeper(nodes: list[Node], **given: Any) -> DurabilityKeeper:
        cluster: Any = SimpleNamespace(name="test", nodes=nodes)
        made.append(DurabilityKeeper(cluster, DurabilitySettings(**given), COMPANY))
        return made[-1]

    yield keeper
    for one in made:
        one.stop()
    assert threading.active_count() == 1 or not [
        thread for thread in threading.enumerate() if thread.name.endswith("(_watch)")
    ]


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + 5
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def events_of(keeper: DurabilityKeeper) -> list[tuple[str, str, str]]:
    return [(event.kind, event.node, event.detail) for event in keeper.events()]


def test_durability_follows_a_change_of_roles(keep: Keep) -> None:
    one, two = Node("node1", primary=True), Node("node2")
    keeper = keep([one, two], primary="relaxed", standby="strict")
    keeper.start()
    assert (one.kind, two.kind) == ("relaxed", "strict"), "when it is up, all have theirs"
    assert one.asked_for is None, "who is never adaptive asks for no standbys"
    known = len(keeper.events())
    one.primary, two.primary = False, True
    until(lambda: len(keeper.events()) == known + 2)
    assert (one.kind, two.kind) == ("strict", "relaxed")
    later = sorted(events_of(keeper)[known:])
    settings = "innodb_flush_log_at_trx_commit = {}, sync_binlog = {}; otherwise for at most "
    assert [(kind, node) for kind, node, _ in later] == [("durability", "node1"), ("durability", "node2")]
    assert later[0][2].startswith(f"strict as standby: {settings.format(1, 1)}")
    assert later[1][2].startswith(f"relaxed as primary: {settings.format(2, 0)}")
    assert all(detail.endswith(" ms") for *_, detail in later)
    keeper.require()


def test_a_change_of_roles_without_a_change_of_settings_is_checked(keep: Keep) -> None:
    node = Node("node1", primary=True)
    keeper = keep([node], primary="adaptive")
    node.accompanied = False
    keeper.start()
    assert events_of(keeper) == [
        (
            "durability",
            "node1",
            "strict as primary, without a standby: innodb_flush_log_at_trx_commit = 1, sync_binlog = 1",
        )
    ]
    node.primary = False
    until(lambda: len(keeper.events()) == 2)
    assert events_of(keeper)[1][2] == (
        "strict as standby: innodb_flush_log_at_trx_commit = 1, sync_binlog = 1"
    )


def test_adaptive_is_relaxed_while_a_standby_is_connected(keep: Keep) -> None:
    node = Node("node1", primary=True)
    keeper = keep([node], primary="adaptive")
    keeper.start()
    assert node.asked_for is COMPANY
    assert node.kind == "relaxed"
    node.accompanied = False
    until(lambda: node.kind == "strict")
    node.accompanied = True
    until(lambda: node.kind == "relaxed")


def test_a_restarted_server_is_set_again(keep: Keep) -> None:
    node = Node("node1", primary=True)
    keeper = keep([node], primary="relaxed", standby="strict")
    keeper.start()
    node.alive = False
    time.sleep(0.05)
    node.has = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
    assert len(keeper.events()) == 1, "a dead server is not queried"
    node.alive = True
    until(lambda: node.kind == "relaxed")


def test_require_uses_only_later_observations(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "EVERY", 0.3)
    node = Node("node1", primary=True)
    keeper = keep([node], primary="relaxed", standby="strict")
    keeper.start()
    node.primary = False
    keeper.require()
    assert node.kind == "strict" and events_of(keeper)[-1][2].startswith("strict as standby")


def test_a_server_that_ignores_settings_is_reported_once_and_fails_the_trial(keep: Keep) -> None:
    node = Node("node1", primary=True)
    keeper = keep([node], primary="relaxed", standby="strict")
    keeper.start()
    node.obeys = False
    node.primary = False
    message = (
        "innodb_flush_log_at_trx_commit = 1, sync_binlog = 1 was set, but the server shows "
        "innodb_flush_log_at_trx_commit = 2, sync_binlog = 0"
    )

    def failed() -> list[str]:
        return [detail for kind, _, detail in events_of(keeper) if kind == "failed"]

    until(failed)
    with pytest.raises(FiveninesError, match=f"node1: {message}"):
        keeper.require()
    failures = failed()
    assert len(failures) == 1 and failures[0].startswith(f"durability: {message}")
    node.obeys = True
    until(lambda: not keeper.problem())
    keeper.require()


def test_start_waits_until_all_nodes_have_their_durability(keep: Keep) -> None:
    node = Node("node1", primary=True)
    node.obeys = False
    with pytest.raises(
        FiveninesError, match="test: durability does not follow the roles within 2 s: node1: "
    ):
        keep([node], primary="relaxed", standby="strict").start()


def test_a_node_without_answers_delays_no_other_and_fails_nothing(keep: Keep) -> None:
    one, two = Node("node1", primary=True), Node("node2")
    keeper = keep([one, two], primary="relaxed", standby="strict")
    keeper.start()
    one.answers = False
    two.primary = True
    until(lambda: two.kind == "relaxed")
    keeper.require()
