"""Events in lines of a log, by the user's patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fivenines.failover.programs.marks import MarkSettings, Reader, names_of, problems

_MARKS = [
    MarkSettings(says=r"cannot reach", means="missed"),
    MarkSettings(says=r"leader is down", means="decided"),
    MarkSettings(says=r"new leader: (?P<node>\S+)?", means="promoted"),
]
_NAMES = names_of({"node1": ("10.99.0.11", 3306), "node2": ("10.99.0.12", 3306)})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("12:00 cannot reach it", ("missed", "node1")),
        ("12:00 leader is down, cannot reach", ("missed", "node1")),
        ("new leader: 10.99.0.12:3306", ("promoted", "node2")),
        ("new leader: 10.99.0.12", ("promoted", "node2")),
        ("new leader: node2", ("promoted", "node2")),
        # A server that is not a node was not promoted here.
        ("new leader: 10.99.0.99", ("failed", "10.99.0.99")),
        # The line names no node, so none was promoted.
        ("new leader: ", ("failed", "")),
        ("new leader: node2:3306", ("promoted", "node2")),
        ("all is well", None),
    ],
)
def test_a_line_yields_an_event_of_a_node(line: str, expected: tuple[str, str] | None) -> None:
    event = Reader(_MARKS, _NAMES).read(line, 7, "node1")
    assert (event and (event.kind, event.node)) == expected
    if event is not None:
        assert event.monotonic_ns == 7 and line.strip() in event.detail


def test_the_line_must_name_the_promoted_node() -> None:
    assert problems(_MARKS) == []
    (problem,) = problems([*_MARKS, MarkSettings(says="promoted it", means="promoted")])
    assert problem.startswith("marks[3].says: the line must name the promoted node")


def test_a_pattern_is_a_regular_expression() -> None:
    with pytest.raises(ValidationError, match="is not a regular expression"):
        MarkSettings(says="new (leader", means="promoted")


@given(st.text(max_size=400))
def test_any_line_can_be_read(line: str) -> None:
    Reader(_MARKS, _NAMES).read(line, 0, "node1")
