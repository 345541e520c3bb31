"""Two clusters in one solution: valid combinations, and the names of their hosts."""

from typing import Any

import pytest
from pydantic import ValidationError

from fivenines.faults.nodes.kill import KillSettings
from fivenines.faults.targets import problems_of
from fivenines.solutions.cluster_pair.settings import ClusterPairSettings


def _pair(**settings: Any) -> ClusterPairSettings:
    return ClusterPairSettings.model_validate({"solution": "cluster-pair", "a": "ndb", **settings})


def _problems(**settings: Any) -> list[str]:
    made = _pair(**settings)
    return [*made.problems(), *made.checks.problems_with_parts()]


def test_the_second_cluster_defaults_to_the_first() -> None:
    pair = _pair(a={"solution": "ndb", "sql_nodes": 3})
    assert pair.b == pair.a and pair.traits.nodes == 6
    assert (pair.engine, str(pair.durability)) == ("mysql-ndb-9.7", "relaxed")
    assert _problems() == [] and _problems(a="galera", writes="a", direction="one-way") == []
    assert pair.facts().replication.startswith("in each cluster: ")


def test_hosts_of_the_second_are_numbered_after_those_of_the_first() -> None:
    pair = _pair(a={"solution": "ndb", "sql_nodes": 2, "data_nodes": 4})
    assert pair.traits.hosts == (
        "data1",
        "data2",
        "data3",
        "data4",
        "management1",
        "data5",
        "data6",
        "data7",
        "data8",
        "management2",
    )
    assert pair.hosts_before == {"node": 2, "data": 4, "management": 1}


@pytest.mark.parametrize("cluster", ["ndb", "galera"])
def test_faults_name_clusters_and_the_ends_of_a_channel(cluster: str) -> None:
    pair = _pair(a=cluster)
    for word in pair.traits.target_words:
        assert KillSettings(fault="kill", target=word).target == word
        assert problems_of(word, pair.topology(), "servers") == []
    assert {"a", "b", "source", "applier"} <= set(pair.traits.target_words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"b": "galera"}, "b: its engine is mariadb-10.11, but that of a is mysql-ndb-9.7"),
        ({"b": {"solution": "ndb", "data_nodes": 4}}, "b.data_nodes: 4, but 2 in a"),
        ({"a": {"solution": "ndb", "server": {"x": 1}}}, "a.server: it applies to both clusters"),
        ({"access": "haproxy"}, "haproxy does not support pairs"),
        ({"direction": "one-way"}, "write `writes: a`"),
        ({"a": "galera", "conflicts": "epoch"}, "galera does not detect conflicts"),
        ({"conflicts": "max"}, "set conflict_column"),
        ({"conflict_column": "k"}, "it applies only to `conflicts: max`"),
        ({"conflicts": "epoch", "direction": "one-way", "writes": "a"}, "`direction: one-way` has none"),
        ({"a": {"solution": "galera", "size": 2, "arbiter": True}}, "pairs do not support garbd"),
        ({"a": {"solution": "galera", "size": 4}}, "a: a Galera cluster of 4 votes"),
    ],
)
def test_settings_that_do_not_fit_are_reported(settings: dict[str, Any], words: str) -> None:
    assert any(words in text for text in _problems(**settings))


def test_other_kinds_are_refused() -> None:
    with pytest.raises(ValidationError, match="'ndb', 'galera'"):
        _pair(a="group-replication")
