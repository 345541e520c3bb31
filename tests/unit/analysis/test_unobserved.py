"""Reasons of figures that are missing, in words."""

from fivenines.analysis.unobserved import unobserved_in_words
from fivenines.results.records import Unobserved


def test_nodes_with_the_same_reason_share_a_text() -> None:
    items = [
        Unobserved(node="db1", what="its lag", why="denied"),
        Unobserved(node="db2", what="its lag", why="denied"),
        Unobserved(node="db2", what="its counters", why="refused"),
    ]
    assert unobserved_in_words(items) == ["db1 and db2: its lag: denied", "db2: its counters: refused"]
    assert unobserved_in_words([]) == []
