"""Which host belongs to which site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.lab.network.sites import Sites
from fivenines.lab.settings import ONE_SITE, NetworkSettings


def test_a_plain_network_has_one_site() -> None:
    sites = Sites(NetworkSettings())
    assert {sites.place(name) for name in ("node1", "node2", "client")} == {ONE_SITE}
    assert sites.members() == {ONE_SITE: ["node1", "node2", "client"]}


def test_nodes_are_dealt_in_turn_and_other_hosts_are_in_the_first_site() -> None:
    sites = Sites(NetworkSettings(sites=["east", "west"]))
    for name in ("node1", "node2", "node3", "haproxy", "client", "manager"):
        sites.place(name)
    assert sites.members() == {"east": ["node1", "node3", "haproxy", "client", "manager"], "west": ["node2"]}


def test_named_hosts_are_where_they_are_named() -> None:
    sites = Sites(NetworkSettings(sites={"east": ["node2"], "west": ["client"], "north": []}))
    placed = {name: sites.place(name) for name in ("node1", "node2", "node3", "client", "proxy")}
    assert placed == {"node1": "east", "node2": "east", "node3": "west", "client": "west", "proxy": "east"}


def test_places_hosts_by_their_turn_unless_they_are_named() -> None:
    sites = Sites(NetworkSettings(sites={"east": [], "west": ["data1"]}))
    turns = {"data1": 0, "data2": 1, "data3": 2, "node1": None, "node2": None}
    placed = {name: sites.place(name, turn) for name, turn in turns.items()}
    assert placed == {"data1": "west", "data2": "west", "data3": "east", "node1": "east", "node2": "west"}


@given(st.lists(st.from_regex(r"node[1-9]", fullmatch=True), max_size=20), st.integers(1, 5))
def test_a_host_keeps_its_site_and_nodes_are_spread_evenly(hosts: list[str], count: int) -> None:
    sites = Sites(NetworkSettings(sites=[f"s{index}" for index in range(count)]))
    first = {name: sites.place(name) for name in hosts}
    assert {name: sites.place(name) for name in hosts} == first
    sizes = [len(members) for members in sites.members().values()]
    assert sum(sizes) == len(set(hosts)) and max(sizes) - min(sizes) <= 1


def test_a_host_that_was_not_placed_is_unknown() -> None:
    sites = Sites(NetworkSettings())
    sites.place("node1")
    assert sites.of("node1") == ONE_SITE
    with pytest.raises(FiveninesError, match=r"^unknown host 'node9'; the hosts are: node1$"):
        sites.of("node9")
