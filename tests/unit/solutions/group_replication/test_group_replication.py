"""Group Replication: settings, configuration of members, roles, and rejoining."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.base.errors import FiveninesError
from fivenines.servers.mysql.group import Group, bootstrap
from fivenines.servers.mysql.server import Mysql
from fivenines.solutions.group_replication import membership
from fivenines.solutions.group_replication.settings import GroupReplicationSettings
from fivenines.solutions.group_replication.solution import GroupReplication


class Member(Mysql):
    """A simulated member: records calls, and gives fixed answers."""

    def __init__(self, number: int) -> None:
        host: Any = SimpleNamespace(name=f"node{number}", address=f"10.99.0.{10 + number}")
        super().__init__(host, SimpleNamespace(family="mysql"))  # type: ignore[arg-type]
        self.done: list[str] = []
        self.answer: Group | None = None
        self.gtids, self.words, self.refuses = "", "", ""
        self.sql: Any = SimpleNamespace(execute=self.execute)

    @property
    def alive(self) -> bool:
        return self.answer is not None

    def start(self, *arguments: str) -> None:
        self.done.append("start")
        self.answer = Group("OFFLINE", "", {}, "")

    def stop(self, timeout: float = 60.0) -> None:
        self.done.append("stop")

    def wait_ready(self, timeout: float = 60.0) -> None:
        assert self.alive

    def execute(self, *statements: str, timeout: float = 30.0) -> None:
        self.done += statements
        if self.refuses and any(one.startswith("START GROUP") for one in statements):
            self.refuses, self.words = "", self.refuses
            raise FiveninesError(f"{self.name}: refused")

    def group(self) -> Group | None:
        return self.answer

    def position(self) -> str:
        return self.gtids

    def last_words(self, lines: int = 8) -> str:
        return self.words


def settings(**given: Any) -> GroupReplicationSettings:
    return GroupReplicationSettings(**{"solution": "group-replication", **given})


def deployed(**given: Any) -> Any:
    """Return the solution of these settings; its members run, and node1 is the primary."""
    one = settings(**given)
    solution: Any = GroupReplication(one, None, SimpleNamespace(family="mysql"), None)  # type: ignore[arg-type]
    solution.nodes = [Member(number) for number in range(1, one.size + 1)]
    for node in solution.nodes:
        node.answer = seen(solution, node)
    return solution


def seen(solution: Any, node: Member, gone: tuple[int, ...] = (), primary: int = 1) -> Group:
    """Return the group as a member sees it that does not reach the numbers `gone`."""
    states = {
        other.host.address: "UNREACHABLE" if number in gone else "ONLINE"
        for number, other in enumerate(solution.nodes, start=1)
    }
    role = "PRIMARY" if node is solution.nodes[primary - 1] else "SECONDARY"
    return Group("ONLINE", role, states, solution.nodes[primary - 1].host.address)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "group replication"),
        ({"mode": "multi-primary"}, "group replication multi"),
        ({"access": {"kind": "haproxy"}}, "group replication + haproxy"),
    ],
)
def test_names(given: Any, name: str) -> None:
    assert settings(**given).default_name() == name
    assert settings(**given).problems() == []
    assert settings(**given).facts().sources


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"member_expel_timeout": 0.5}, "member_expel_timeout must be whole seconds"),
        ({"unreachable_majority_timeout": 1.5}, "unreachable_majority_timeout must be whole"),
        ({"writes": "all"}, "writes: all needs mode: multi-primary"),
        ({"mode": "multi-primary", "paxos_single_leader": True}, "needs mode: single-primary"),
        ({"weights": [1, 2, 3, 4]}, "weights: 4 for a group of 3"),
    ],
)
def test_invalid_settings_are_reported(given: Any, words: str) -> None:
    (problem,) = settings(**given).problems()
    assert words in problem


@pytest.mark.parametrize("wrong", [{"size": 2}, {"size": 10}, {"consistency": "ALWAYS"}, {"weights": [101]}])
def test_values_out_of_range_are_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        settings(**wrong)


def test_only_one_primary_is_a_single_writer() -> None:
    assert settings().traits.single_writer
    assert not settings(mode="multi-primary").traits.single_writer


def test_a_members_configuration_contains_the_settings() -> None:
    solution = deployed(weights=[70], rejoin="clone", consistency="AFTER")
    answer = [solution.configuration.own(node) for node in solution.nodes]
    assert [one["server_id"] for one in answer] == [1, 2, 3]
    assert [one["group_replication_member_weight"] for one in answer] == [70, 50, 50]
    first = answer[0]
    assert first["group_replication_local_address"] == "10.99.0.11:33061"
    assert first["group_replication_group_seeds"].count(":33061") == 3
    assert first["group_replication_consistency"] == "AFTER"
    assert first["plugin_load_add"] == "group_replication.so;mysql_clone.so"
    # Writes are refused until the group has a primary, and a low threshold in a file would clone at every
    # start.
    assert first["super_read_only"] is True
    assert "group_replication_clone_threshold" not in first


def test_roles_come_from_the_group() -> None:
    solution = deployed()
    assert solution.roles.by_name() == {"node1": "primary", "node2": "replica", "node3": "replica"}
    solution.nodes[2].answer = Group("RECOVERING", "SECONDARY", {}, "")
    assert solution.roles.observed(solution.nodes[2]) == "down"
    assert solution.membership.not_joined_reason(solution.nodes[2]) == "node3 is still RECOVERING"


def test_of_several_primaries_the_first_working_one_gets_the_writes() -> None:
    solution = deployed(mode="multi-primary")
    assert solution.roles.by_name()["node1"] == "primary"
    solution.switchover.drained.add("node1")
    assert solution.roles.by_name() == {"node1": "replica", "node2": "primary", "node3": "replica"}


def test_a_member_without_majority_is_no_primary() -> None:
    solution = deployed()
    first, second, third = solution.nodes
    first.answer = seen(solution, first, gone=(2, 3))
    rest = dict.fromkeys(["10.99.0.12", "10.99.0.13"], "ONLINE")
    for node in (second, third):
        node.answer = Group("ONLINE", "SECONDARY", rest, "")
    assert solution.roles.by_name()["node1"] == "down"
    assert "reaches no majority" in solution.membership.not_joined_reason(first)
    # The network works again: it does not know yet that the others have expelled it.
    first.answer = seen(solution, first)
    assert solution.roles.by_name()["node1"] == "down"
    assert solution.membership.not_joined_reason(first) == "node1 has been expelled, but has not noticed yet"
    first.answer = Group("ERROR", "", {}, "")
    assert "does not rejoin by itself" in solution.membership.unexpected_primary_reason(first)


def test_a_dead_member_joins_the_others() -> None:
    solution = deployed()
    node = solution.nodes[2]
    node.answer = None
    for other in solution.nodes[:2]:
        other.answer = Group("ONLINE", "", dict.fromkeys(["10.99.0.11", "10.99.0.12"], "ONLINE"), "")
    solution.membership.rejoin(node)
    assert node.done == ["start", solution.join_statement]


def test_a_member_that_has_more_than_the_group_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = deployed()
    node = solution.nodes[0]
    replaced: list[Any] = []
    monkeypatch.setattr(membership.dataset, "copy", lambda data, one: replaced.append(one))
    monkeypatch.setattr(solution.configuration, "write", lambda one: None)
    node.refuses = "x [ERROR] This member has more executed transactions than those present"
    solution.membership._join(node)
    assert node.done == [solution.join_statement, "stop", "start", solution.join_statement]
    assert replaced == [node]
    (event,) = [event for event in solution.membership.events if event.kind == "restored"]
    assert event.node == "node1"


def test_a_member_that_does_not_join_is_reported_with_a_remedy() -> None:
    solution = deployed()
    node = solution.nodes[0]
    node.refuses = "x [ERROR] 'Member version is incompatible with the group.'"
    with pytest.raises(FiveninesError) as refused:
        solution.membership._join(node)
    assert "group_replication_allow_local_lower_version_join" in str(refused.value)
    assert "Member version is incompatible" in str(refused.value)


def test_the_most_advanced_of_all_dead_members_is_the_new_group() -> None:
    solution = deployed()
    for node, gtids in zip(solution.nodes, ("u:1-5", "u:1-9", "u:1-7"), strict=True):
        node.answer, node.gtids = None, gtids
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[1].done == ["start", *bootstrap(solution.passwords.replication)]
    assert solution.nodes[0].done == solution.nodes[2].done == ["start", solution.join_statement]


def test_remediation_forces_the_most_advanced_survivors_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solution = deployed(size=5, bootstrap_after=3.0)
    clock = [100.0]
    monkeypatch.setattr("fivenines.solutions.group_replication.membership.time.monotonic", lambda: clock[0])
    for node in solution.nodes[:3]:
        node.answer = None
    assert solution.membership.remediate() == []
    fourth, fifth = solution.nodes[3:]
    for node in (fourth, fifth):
        node.answer = seen(solution, node, gone=(1, 2, 3))
    fourth.gtids, fifth.gtids = "u:1-4", "u:1-9"
    assert solution.membership.remediate() == []
    clock[0] += 3.1
    assert solution.membership.remediate() == [
        "node5: group_replication_force_members, as no member had a majority"
    ]
    solution.membership._rescuer.join(5.0)
    switch = "SET GLOBAL group_replication_force_members"
    assert fifth.done == [f"{switch} = '10.99.0.14:33061,10.99.0.15:33061'", f"{switch} = ''"]
    assert fourth.done == []
    assert deployed(bootstrap_after=None).membership.remediate() == []


def test_survivors_that_have_left_begin_a_new_group() -> None:
    statements, answer = membership._rescue(Group("ERROR", "", {}, ""), "hidden")
    assert statements[0] == "STOP GROUP_REPLICATION"
    assert statements[-3:] == bootstrap("hidden")
    assert "bootstrapped" in answer


def test_a_switchover_elects_the_first_replica() -> None:
    solution = deployed()
    assert "node1 to node2" in solution.switchover.hand_over(None)
    assert solution.nodes[0].done == [f"SELECT group_replication_set_as_primary('{solution.nodes[1].uuid}')"]
    assert solution.nodes[1].uuid == "00000000-0000-0000-0000-000000000012"


def test_one_of_several_primaries_is_drained_and_comes_back() -> None:
    solution = deployed(mode="multi-primary")
    node = solution.nodes[0]
    solution.switchover.hand_over(None)
    assert solution.roles.primary().name == "node2"
    solution.switchover.undrain(None, node)
    assert solution.roles.primary().name == "node1"
    assert node.done[0] == "SET GLOBAL super_read_only = ON"
    assert node.done[-1] == "SET GLOBAL read_only = OFF"
