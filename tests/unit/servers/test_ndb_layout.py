"""An NDB cluster's layout: node groups over sites, and config.ini."""

import configparser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.ndb.layout import Layout, Place, node_groups


@pytest.mark.parametrize(
    ("sites", "spread", "groups"),
    [
        (["a", "a"], True, [0, 0]),
        (["a", "b"], True, [0, 0]),
        (["a", "a", "b", "b"], True, [0, 1, 0, 1]),
        (["a", "a", "b", "b"], False, [0, 0, 1, 1]),
        (["a", "b", "a", "b"], True, [0, 0, 1, 1]),
        (["a", "b", "a", "b"], False, [0, 1, 0, 1]),
        (["a", "a", "a", "a"], True, [0, 0, 1, 1]),
    ],
)
def test_node_groups_span_sites_or_do_not(sites: list[str], spread: bool, groups: list[int]) -> None:
    assert node_groups(sites, 2, spread) == groups


@given(st.integers(1, 4), st.integers(1, 6), st.data())
def test_every_group_has_its_replicas(replicas: int, groups: int, data: st.DataObject) -> None:
    count = replicas * groups
    sites = data.draw(st.lists(st.sampled_from("abc"), min_size=count, max_size=count))
    for spread in (True, False):
        found = node_groups(sites, replicas, spread)
        assert sorted(found) == [group for group in range(groups) for _ in range(replicas)]


@given(st.integers(1, 6))
def test_halves_at_two_sites_each_have_all_rows_when_spread(groups: int) -> None:
    sites = ["a"] * groups + ["b"] * groups
    found = node_groups(sites, 2, spread=True)
    assert sorted(found[:groups]) == sorted(found[groups:]) == list(range(groups))


def test_the_file_names_every_process_by_its_address() -> None:
    layout = Layout(
        data=[Place(1, "10.0.0.2"), Place(2, "10.0.0.3", 1)],
        management=[Place(145, "10.0.0.1")],
        sql=[Place(151, "10.0.0.4")],
        settings={"NoOfReplicas": 1, "ODirect": True},
        ranks=(2, 0),
    )
    text = layout.text()
    assert layout.connection == "10.0.0.1"
    sections = [line for line in text.splitlines() if line.startswith("[")]
    assert sections == ["[ndbd default]", "[ndb_mgmd]", "[ndbd]", "[ndbd]", "[mysqld]", "[api]"]
    parser = configparser.ConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    assert dict(parser["ndbd default"]) == {"DataDir": "/run/node/data", "NoOfReplicas": "1", "ODirect": "1"}
    assert parser["ndb_mgmd"]["ArbitrationRank"] == "2"
    assert dict(parser["ndbd"]) == {"NodeId": "2", "HostName": "10.0.0.3", "NodeGroup": "1"}
    assert parser["mysqld"]["NodeId"] == "151"
