"""Hot standby: settings, what commits wait for, and rejoining."""

from typing import Any

import pytest
from noting_servers import deployed, standby

from fivenines.base.errors import FiveninesError


@pytest.mark.parametrize(
    ("synchronous_commit", "synchronous"),
    [("off", False), ("local", False), ("remote_write", True), ("on", True), ("remote_apply", True)],
)
def test_which_commits_wait_for_a_standby(synchronous_commit: str, synchronous: bool) -> None:
    solution = deployed(standby(synchronous_commit=synchronous_commit, standbys=2))
    assert solution.configuration.own(solution.nodes[0])["synchronous_commit"] == synchronous_commit
    assert solution.manager_facts()["synchronous"] == synchronous
    names = "ANY 1 (node1, node3)" if synchronous else ""
    primary, old = solution.nodes[1], solution.nodes[0]
    primary.answering = primary.is_writable = True
    solution.follow = lambda node, source: node.done.append(f"follows {source.name}")
    solution.membership.rejoin(old)
    assert old.done == ["rewind from node2", "follows node2", "start"]
    assert primary.done == [f"synchronous_standby_names = {names}"]


def test_a_primary_that_cannot_be_rewound_is_copied_anew() -> None:
    solution = deployed(standby(standbys=2))
    old, primary, _ = solution.nodes
    primary.answering = primary.is_writable = old.spent = True
    solution.follow = lambda node, source: node.done.append(f"follows {source.name}")
    solution.membership.rejoin(old)
    assert old.done == ["rewind from node2", "copy of node2", "follows node2", "start"]
    (event,) = solution.events()
    assert (event.kind, event.node) == ("restored", "node1")
    assert event.detail.endswith("as pg_rewind failed: pg_rewind: error: could not open the log")
    primary.spent = True
    with pytest.raises(FiveninesError, match="A new base copy failed, too: pg_basebackup"):
        solution.membership.rejoin(old)


def test_how_many_standbys_a_commit_waits_for_and_which() -> None:
    quorum = deployed(standby(standbys=3, wait_for=2))
    assert quorum.sync_names(quorum.nodes[1]) == "ANY 2 (node1, node3, node4)"
    ranked = deployed(standby(standbys=3, wait_for=2, choice="first"))
    assert ranked.sync_names(ranked.nodes[0]) == "FIRST 2 (node2, node3, node4)"
    assert ranked.manager_facts()["control"] == {"wait_for": 2, "choice": "first"}


def test_a_delayed_standby_is_never_awaited_read_from_or_promoted() -> None:
    solution = deployed(standby(standbys=2, delay=30))
    first, second, last = solution.nodes
    assert "recovery_min_apply_delay" not in solution.configuration.own(second)
    assert solution.configuration.own(last)["recovery_min_apply_delay"] == "30000ms"
    assert solution.sync_names(first) == "ANY 1 (node2)"
    assert solution.manager_facts()["candidates"] == ["node1", "node2"]
    assert solution.replicas == [second]
    assert solution.settings.traits.least_settle == 30


def test_a_subscriber_is_never_awaited_or_promoted_and_refuses_writes() -> None:
    solution = deployed(standby(standbys=2, slots=True, subscriber=True))
    first, second, third, last = solution.nodes
    assert solution.settings.traits.nodes == 4
    assert solution.configuration.own(second)["sync_replication_slots"] is True
    assert solution.configuration.own(last)["default_transaction_read_only"] is True
    assert solution.sync_names(first) == "ANY 1 (node2, node3)"
    assert solution.manager_facts()["candidates"] == ["node1", "node2", "node3"]
    assert solution.replicas == [second, third]
    last.answering = last.is_writable = True
    assert solution.roles.observed(last) == "replica"
    assert solution.membership.unexpected_primary_reason(last) == ""
    assert "one subscriber by logical replication" in solution.settings.facts().replication


def test_in_a_cascade_each_standby_follows_the_previous_one() -> None:
    followed: dict[bool, list[str]] = {}
    for cascade in (False, True):
        solution = deployed(standby(standbys=3, cascade=cascade, synchronous_commit="local"))
        message = followed[cascade] = []
        solution.follow = lambda node, source, message=message: message.append(
            f"{node.name} follows {source.name}"
        )
        solution.nodes[0].write_auto_conf = lambda _settings: None
        solution.configuration.write = lambda _node: None
        solution.configure()
    assert followed[False] == [f"node{number} follows node1" for number in (2, 3, 4)]
    assert followed[True] == [f"node{number} follows node{number - 1}" for number in (2, 3, 4)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"wait_for": 2}, "wait_for: 2 standbys cannot acknowledge, as there are 1"),
        ({"standbys": 2, "wait_for": 2, "delay": 5}, "as there are 1 without the delayed one"),
        (
            {"wait_for": 2, "synchronous_commit": "local"},
            "with synchronous_commit local a commit waits for no standby",
        ),
        (
            {"choice": "first", "synchronous_commit": "off"},
            "with synchronous_commit off a commit waits for no standby",
        ),
        ({"standbys": 3, "cascade": True, "wait_for": 2}, "in a cascade only one standby"),
        ({"cascade": True}, "cascade: it needs at least 2 standbys"),
        ({"delay": 5, "synchronous_commit": "local"}, "delay: it needs at least 2 standbys"),
        (
            {"standbys": 2, "delay": 5, "synchronous_commit": "off", "durability": "adaptive"},
            "would count as a standby",
        ),
        ({"subscriber": True}, "subscriber: a standby needs a replication slot"),
        ({"subscriber": True, "slots": True, "standbys": 2, "delay": 5}, "delay: it cannot be combined"),
        ({"subscriber": True, "slots": True, "standbys": 2, "cascade": True}, "cascade: it cannot"),
    ],
)
def test_what_standbys_cannot_do(given: dict[str, Any], message: str) -> None:
    assert message in "\n".join(standby(**given).problems())


def test_the_facts_say_how_many_copies_a_commit_needs() -> None:
    plain, two = standby(standbys=2).facts(), standby(standbys=2, wait_for=2).facts()
    assert "waits for a standby that has it on disk" in plain.replication
    assert "waits for 2 standbys that have it on disk" in two.replication
    assert "a failed replica changes nothing" in plain.one_down
    assert "without any of its standbys each commit waits" in two.one_down
    assert "2 other nodes are available" in two.one_down


def test_a_standby_that_died_is_not_rewound() -> None:
    solution = deployed(standby(standbys=2))
    primary, dead = solution.nodes[0], solution.nodes[1]
    primary.answering = primary.is_writable = dead.standby = True
    solution.follow = lambda node, source: node.done.append(f"follows {source.name}")
    solution.membership.rejoin(dead)
    assert dead.done == ["follows node1", "start"]


def test_without_a_primary_postgresql_is_just_started() -> None:
    solution = deployed(standby())
    solution.membership.rejoin(solution.nodes[0])
    assert solution.nodes[0].done == ["start"]


def test_an_unknown_node_is_reported_with_the_known_nodes() -> None:
    solution = deployed(standby())
    assert solution.node("node2") is solution.nodes[1]
    with pytest.raises(FiveninesError, match=r"^there is no node 'node3': the nodes are node1, node2$"):
        solution.node("node3")
