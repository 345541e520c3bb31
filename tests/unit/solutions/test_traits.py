"""Facts that follow from settings."""

from fivenines.solutions.ndb.settings import NdbSettings
from fivenines.solutions.traits import Traits


def test_each_node_has_a_vote_unless_others_decide() -> None:
    assert Traits(nodes=3).votes == 3
    assert Traits(nodes=2, votes=3).votes == 3
    assert NdbSettings(solution="ndb", sql_nodes=4).traits.votes == 1
