"""Suggestions for misspelled words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.spelling import distance, nearest_word

MODES = ["async", "after_sync", "after_commit"]
words = st.text(alphabet="abc-_", max_size=8)


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("galara", ["standalone", "galera"], "galera"),
        ("galaxy", ["standalone", "galera"], "galera"),
        ("semisync", MODES, None),
        ("aftersync", MODES, "after_sync"),
        ("after-commit", MODES, "after_commit"),
        ("asnyc", MODES, "async"),
        ("postgres", ["mariadb-10.11", "postgres-18"], "postgres-18"),
        ("galera-cluster", ["standalone", "galera"], "galera"),
        ("kil", ["none", "kill"], "kill"),
        ("x", ["y"], None),
        ("", ["a"], None),
        ("KILL", ["none", "kill"], "kill"),
    ],
)
def test_only_a_near_word_is_meant(word: str, known: list[str], meant: str | None) -> None:
    assert nearest_word(word, known) == meant


@given(words, words, words)
def test_the_distance_is_one_of_edits(a: str, b: str, c: str) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= distance(a, b) <= max(len(a), len(b))
    assert distance(a + c, b + c) <= distance(a, b)


def test_neighbours_swapped_are_one_edit() -> None:
    assert distance("async", "asnyc") == 1
    assert distance("ab", "ba") == 1


@given(st.lists(words, max_size=5), words)
def test_a_known_word_is_its_own_nearest(known: list[str], word: str) -> None:
    found = nearest_word(word, known)
    assert found is None or found in known
    if len(word) > 1 and word in known:
        assert found is not None
        assert found.replace("_", "-") == word.replace("_", "-")
