"""Test targets: words resolve to nodes and hosts at the time of the injection."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.faults import targets
from fivenines.faults.context import FaultContext
from fivenines.faults.network import peers
from fivenines.faults.network.cuts import all_links, between
from fivenines.faults.nodes.kill import KillSettings
from fivenines.faults.targets import Target
from fivenines.solutions.galera.settings import GaleraSettings
from fivenines.solutions.hot_standby.settings import HotStandbySettings
from fivenines.solutions.ndb.settings import NdbSettings
from fivenines.solutions.standalone import StandaloneSettings


def _context(size: int, primary: int = 0, seed: int = 1, votes: int | None = None) -> FaultContext:
    nodes = [SimpleNamespace(name=f"node{number + 1}") for number in range(size)]

    def target(role: str) -> Any:
        others = [node for node in nodes if node is not nodes[primary]]
        candidates = [nodes[primary]] if role == "primary" else others
        if not candidates:
            raise FiveninesError("no node is replica now")
        return candidates[0]

    solution = SimpleNamespace(
        nodes=nodes,
        members=nodes,
        roles=SimpleNamespace(target=target, certain_primary=lambda: nodes[primary]),
        topology=SimpleNamespace(votes=size if votes is None else votes, words={}),
        node=lambda name: next(node for node in nodes if node.name == name),
        arbiter=None,
    )
    hosts = dict.fromkeys([*(node.name for node in nodes), "proxy", "client", "manager"])
    members = {"east": ["node1", "client"], "west": []}
    lab = SimpleNamespace(hosts=hosts, sites=SimpleNamespace(members=lambda: members))
    deployed: Any = SimpleNamespace(
        solution=solution,
        lab=lab,
        clients={"client": SimpleNamespace(name="client")},
        access=SimpleNamespace(settings=SimpleNamespace(host="proxy")),
        manager=SimpleNamespace(settings=SimpleNamespace(host="manager")),
    )
    return FaultContext(deployed, Random(seed))


sizes = st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1)))


@given(sizes, st.integers())
def test_majority_and_minority_match_their_definitions(sized: tuple[int, int], seed: int) -> None:
    size, primary = sized
    context = _context(size, primary, seed)
    name = f"node{primary + 1}"
    most = targets.resolve("majority", context).hosts
    assert len(set(most)) == len(most) == size // 2 + 1
    assert name in most
    few = targets.resolve("minority", context).hosts
    assert len(set(few)) == len(few)
    assert name not in few
    assert size - len(few) > size / 2
    assert size - len(few) - 1 <= size / 2 or size - len(few) == size // 2 + 1
    assert targets.resolve("all", context).hosts == tuple(f"node{i + 1}" for i in range(size))
    assert targets.resolve("any", context).hosts == targets.resolve("any", _context(*sized, seed)).hosts


def test_single_nodes_and_hosts() -> None:
    context = _context(3, primary=1)
    assert targets.resolve("primary", context).hosts == ("node2",)
    assert targets.resolve("standby", context) == targets.resolve("replica", context).__class__(
        "standby", ("node1",), (context.solution.nodes[0],)
    )
    assert targets.resolve("node3", context).hosts == ("node3",)
    for word in ("proxy", "client", "manager"):
        assert targets.resolve(word, context) == Target(word, (word,))


def test_a_site_stands_for_its_hosts_and_their_servers() -> None:
    context = _context(2)
    target = targets.resolve("site east", context)
    assert target.hosts == ("node1", "client")
    assert [server.name for server in target.servers] == ["node1"]
    with pytest.raises(FiveninesError, match="site west has no host"):
        targets.resolve("site west", context)


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("replica", "no replica"),
        ("minority", "none of 1 nodes can fail"),
        ("node2", "has 1 node"),
        ("proxy", "direct has no separate host"),
        ("manager", "no failover manager"),
        ("proxi", "unknown target; write primary, replica,"),
        ("etcd1", "or a host of client"),
        ("primary", ""),
        ("majority", ""),
    ],
)
def test_problems_of_a_single_server(target: str, problem: str) -> None:
    problems = targets.problems_of(target, StandaloneSettings(solution="standalone").topology())
    assert problem in problems[0] if problem else problems == []


def test_problems_of_clusters() -> None:
    galera = GaleraSettings(solution="galera", access={"kind": "haproxy"}).topology()
    assert targets.problems_of("minority", galera) == targets.problems_of("proxy", galera) == []
    assert "no failover manager" in targets.problems_of("manager", galera)[0]
    assert targets.problems_of("manager", HotStandbySettings(solution="hot-standby").topology()) == []
    assert (
        "2 nodes" in targets.problems_of("minority", HotStandbySettings(solution="hot-standby").topology())[0]
    )


def test_an_arbiter_counts_towards_the_majority() -> None:
    def count(word: str, size: int) -> int:
        return len(targets.resolve(word, _context(size, votes=size + 1)).hosts)

    assert [count("minority", 2), count("majority", 2)] == [1, 2]
    assert [count("minority", 4), count("majority", 4)] == [2, 3]
    pair = GaleraSettings(solution="galera", size=2, arbiter=True).topology()
    assert targets.problems_of("minority", pair) == targets.problems_of("arbiter", pair) == []
    assert "unknown target" in targets.problems_of("arbiter", GaleraSettings(solution="galera").topology())[0]


@pytest.mark.parametrize(
    ("words", "hosts"),
    [
        (["all"], ["node2", "node3", "proxy", "client", "manager"]),
        (["nodes"], ["node2", "node3", "manager"]),
        (["replicas"], ["node2", "node3"]),
        (["clients"], ["client", "proxy"]),
        (["manager", "node3", "manager"], ["manager", "node3"]),
        (["site east"], ["client"]),
    ],
)
def test_peers_exclude_the_target(words: list[str], hosts: list[str]) -> None:
    context = _context(3)
    target = targets.resolve("primary", context)
    assert peers.resolve_peers(words, target, context) == hosts


names = st.lists(st.sampled_from("abcdef"), unique=True)


@given(names, names)
def test_cuts_are_between_groups_and_never_inside_a_group(ours: list[str], theirs: list[str]) -> None:
    both = between(ours, theirs)
    assert set(both) == set(between(ours, theirs, "in")) | set(between(ours, theirs, "out"))
    assert all((source in ours) != (target in ours) for source, target in both)
    assert {(b, a) for a, b in both} == set(both)
    assert all(source in ours for source, _ in between(ours, theirs, "out"))


def test_a_killed_host_reaches_no_other_host() -> None:
    lab: Any = SimpleNamespace(hosts=dict.fromkeys("abc"))
    assert sorted(all_links(lab, ["a", "b"])) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "a"),
        ("b", "c"),
        ("c", "a"),
        ("c", "b"),
    ]


def _ndb(**settings: Any) -> NdbSettings:
    return NdbSettings(solution="ndb", **settings)


@pytest.mark.parametrize("word", ["data", "all-data", "group1", "data4", "management1", "arbitrator"])
def test_a_solution_can_define_target_words(word: str) -> None:
    topology = _ndb(data_nodes=4).topology()
    assert targets.problems_of(word, topology, "servers") == []
    assert targets.problems_of(word, topology) == []
    (problem,) = targets.problems_of(word, topology, "nodes")
    assert "not a database server that accepts SQL" in problem
    (problem,) = targets.problems_of(word, StandaloneSettings(solution="standalone").topology())
    assert problem.startswith(f"{word}: unknown target")


@pytest.mark.parametrize("word", ["group1", "data3", "management2", "down"])
def test_an_unknown_target_lists_the_words_of_the_solution(word: str) -> None:
    (problem,) = targets.problems_of(word, _ndb().topology(), "servers")
    assert problem.startswith(f"{word}: unknown server; write primary, ")
    assert "data, all-data, group0, management, " in problem


def test_target_words_of_a_solution_resolve_to_servers() -> None:
    context = _context(2)
    part: Any = SimpleNamespace(name="data2")
    called = {"data": [part], "arbitrator": []}
    solution: Any = context.solution
    solution.topology.words = called
    solution.members_called = called.__getitem__
    target = targets.resolve("data", context)
    assert (target.hosts, target.servers) == (("data2",), (part,))
    with pytest.raises(FiveninesError, match="the target arbitrator has no server now"):
        targets.resolve("arbitrator", context)


def test_target_words_of_a_solution_are_not_misspelled_roles() -> None:
    for word in _ndb(data_nodes=4, management_nodes=2).traits.target_words:
        assert KillSettings(fault="kill", target=word).target == word
