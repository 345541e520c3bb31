"""Roles of nodes: queries are repeated before a role counts as vacant."""

from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.servers.cluster import roles
from fivenines.servers.cluster.roles import Roles

NODES = [SimpleNamespace(name="node1"), SimpleNamespace(name="node2")]


def asked(*answers: dict[str, str]) -> Any:
    """Return the roles of a cluster whose nodes give these answers in turn, and then repeat the last one."""
    left = list(answers)
    cluster: Any = SimpleNamespace(name="pair", nodes=NODES)
    made: Any = Roles(cluster)
    made.by_name = lambda: left.pop(0) if len(left) > 1 else left[0]
    return made


def test_a_node_that_answers_late_once_is_still_the_primary() -> None:
    late = {"node1": "down", "node2": "replica"}
    made = asked(late, {"node1": "primary", "node2": "replica"})
    assert made.target("primary") is NODES[0]
    assert asked(late).target("replica") is NODES[1]


def test_a_role_is_vacant_once_all_nodes_were_queried_for_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles, "_PATIENCE", 0.15)
    with pytest.raises(FiveninesError, match="pair: no node has the role primary now"):
        asked({"node1": "down", "node2": "replica"}).target("primary")
