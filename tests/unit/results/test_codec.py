"""Values as bytes and back: equal to what was written, whatever stands in them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.results.codec import codec_of, dumps, loads
from fivenines.results.records import NodeCheck


@dataclass(frozen=True)
class Leaf:
    """The smallest part."""

    name: str
    number: int | None = None
    share: float = 0.0


@dataclass(frozen=True)
class Tree(Leaf):
    """One of each kind of field."""

    leaves: list[Leaf] = field(default_factory=list)
    pairs: tuple[tuple[str, float], ...] = ()
    ends: tuple[float | None, bool] = (None, False)
    by_key: Mapping[tuple[str, str], float] = field(default_factory=dict)
    kind: Literal["a", "b"] = "a"
    best: Leaf | None = None
    more: Sequence[Leaf] = ()


LEAVES = st.builds(
    Leaf, st.text(), st.none() | st.integers(), st.floats(allow_nan=False) | st.integers(-9, 9)
)
TREES = st.builds(
    Tree,
    st.text(),
    leaves=st.lists(LEAVES, max_size=4),
    pairs=st.lists(st.tuples(st.text(), st.floats(allow_nan=False)), max_size=3).map(tuple),
    ends=st.tuples(st.none() | st.floats(allow_nan=False), st.booleans()),
    by_key=st.dictionaries(st.tuples(st.text(), st.text()), st.floats(allow_nan=False), max_size=3),
    kind=st.sampled_from(["a", "b"]),
    best=st.none() | LEAVES,
    more=st.lists(LEAVES, max_size=2),
)


@given(TREES)
def test_what_comes_back_is_what_was_written(tree: Tree) -> None:
    back = loads(Tree, dumps(Tree, tree))
    assert back == tree
    # 5 and 5.0 are equal, but print differently
    assert repr(back) == repr(tree)


@given(TREES, st.data())
def test_bytes_that_are_cut_short_are_no_value(tree: Tree, data: st.DataObject) -> None:
    whole = dumps(Tree, tree)
    with pytest.raises(ValueError):
        loads(Tree, whole[: data.draw(st.integers(0, len(whole) - 1))])


def test_what_is_not_known_or_has_no_end_stays_so() -> None:
    result = loads(list[float], dumps(list[float], [math.nan, math.inf, -math.inf, 0.1 + 0.2]))
    assert math.isnan(result[0])
    assert result[1:] == [math.inf, -math.inf, 0.1 + 0.2]


def test_arrays_keep_their_type_and_shape_and_numbers_of_numpy_become_plain() -> None:
    shape = list[npt.NDArray[np.int64]]
    whole = [np.arange(6).reshape(2, 3), np.zeros(0), np.array([np.nan, 1.5]), np.arange(9)[::2]]
    result = loads(shape, dumps(shape, whole))
    for item, other in zip(whole, result, strict=True):
        np.testing.assert_array_equal(item, other)
        assert (item.dtype, item.shape) == (other.dtype, other.shape)
    (plain,) = loads(list[float], dumps(list[float], [np.float64(0.1)]))
    assert type(plain) is float


def test_a_type_with_more_is_written_as_the_type_that_was_asked_for() -> None:
    tree = Tree("t", 1, leaves=[Leaf("x")])
    assert loads(Leaf, dumps(Leaf, tree)) == Leaf("t", 1)


def test_records_are_read_as_records() -> None:
    check = NodeCheck(node="a", role="primary", reachable=True, lost_ids=[1, 2])
    assert loads(NodeCheck, dumps(NodeCheck, check)) == check


def test_what_cannot_be_told_apart_is_refused_before_anything_is_written() -> None:
    with pytest.raises(TypeError, match="which of them"):
        codec_of(Leaf | Tree)
    with pytest.raises(TypeError, match="cannot be written"):
        codec_of(set[int])


def test_a_class_that_is_more_than_its_fields_is_refused() -> None:
    @dataclass(frozen=True)
    class Checked:
        value: int

        def __post_init__(self) -> None:
            """Check the value, which reading does not."""

    with pytest.raises(TypeError, match="more than its fields"):
        codec_of(Checked)
