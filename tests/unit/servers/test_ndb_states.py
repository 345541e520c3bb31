"""What a management node says of the cluster's processes."""

from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.ndb.states import State, states


def test_states_are_read_by_node() -> None:
    lines = [
        "node status", "nodes: 2", "node.1.type: NDB", "node.1.status: STARTING", "node.1.startphase: 4",
        "node.145.type: MGM", "node.145.status: CONNECTED", "",
    ]  # fmt: skip
    assert states(lines) == {1: State("NDB", "STARTING", 4), 145: State("MGM", "CONNECTED")}


@given(st.lists(st.text(alphabet="node.123:typeSTARD ", max_size=30)))
def test_any_lines_are_read(lines: list[str]) -> None:
    assert all(isinstance(one, State) for one in states(lines).values())
