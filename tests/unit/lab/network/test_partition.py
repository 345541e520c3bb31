"""Test the commands for `nft` to cut and heal, and that there are no more than needed."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.lab.network.partition import Cuts, Pair


class RecordedCuts(Cuts):
    """Cuts that record commands; `cut` is the set that the kernel would have."""

    def __init__(self) -> None:
        super().__init__(7)
        self.cut: set[str] = set()
        self.texts: list[str] = []
        self.fails = False

    def _nft(self, text: str, *arguments: str) -> str:
        if self.fails:
            raise FiveninesError("no")
        self.texts.append(text)
        verb = "delete" if text.startswith("delete") else "add"
        elements = set(text.rpartition(" { ")[2].removesuffix(" }\n").split(", "))
        if verb == "add":
            assert not elements & self.cut
            self.cut |= elements
        else:
            assert elements <= self.cut, "nft refuses to delete what is not there"
            self.cut -= elements
        return ""


def test_the_table_is_made_with_the_first_cut_only() -> None:
    cuts = RecordedCuts()
    assert cuts.dropped() == 0
    cuts.add([("a", "b"), ("b", "a")])
    cuts.add([("a", "c")])
    assert "hook forward" in cuts.texts[0] and "counter name dropped drop" in cuts.texts[0]
    assert cuts.texts[0].endswith("add element bridge fivenines cut { a . b, b . a }\n")
    assert cuts.texts[1] == "add element bridge fivenines cut { a . c }\n"


def test_cuts_and_heals_a_port_in_addition_to_all_frames() -> None:
    cuts = RecordedCuts()
    cuts.add([("a", "b")], 7788)
    assert cuts.texts[0].endswith("add element bridge fivenines cut_ports { a . b . 7788 }\n")
    cuts.add([("a", "b")])
    assert cuts.texts[1] == "add element bridge fivenines cut { a . b }\n"
    cuts.remove([("a", "b")], 7788)
    assert cuts.texts[2] == "delete element bridge fivenines cut_ports { a . b . 7788 }\n"
    cuts.remove([("a", "b")], 7788)
    assert len(cuts.texts) == 3 and cuts.cut == {"a . b"}


def test_nothing_new_and_nothing_cut_need_no_command() -> None:
    cuts = RecordedCuts()
    cuts.remove([("a", "b")])
    cuts.add([])
    cuts.add([("a", "b"), ("a", "b")])
    cuts.add([("a", "b")])
    cuts.remove([("a", "b")])
    assert len(cuts.texts) == 1 and cuts.cut == {"a . b"}
    cuts.remove([("a", "b")])
    assert cuts.cut == set()


def test_a_cut_that_failed_is_not_remembered() -> None:
    cuts = RecordedCuts()
    cuts.fails = True
    with pytest.raises(FiveninesError):
        cuts.add([("a", "b")])
    cuts.fails = False
    cuts.add([("a", "b")])
    assert cuts.cut == {"a . b"}


_pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=4)


@given(st.lists(st.tuples(st.booleans(), _pairs), max_size=20))
def test_a_pair_stays_cut_until_all_cuts_are_healed(steps: list[tuple[bool, list[Pair]]]) -> None:
    cuts = RecordedCuts()
    times: Counter[Any] = Counter()
    for add, pairs in steps:
        if add:
            cuts.add(pairs)
            times.update(set(pairs))
        else:
            cuts.remove(pairs)
            times.subtract({pair for pair in pairs if times[pair]})
        assert cuts.cut == {f"{a} . {b}" for (a, b), n in times.items() if n}
