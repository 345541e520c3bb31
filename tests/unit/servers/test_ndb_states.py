"""States of the cluster's processes from a management node."""

from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.ndb.states import Reporter, State, states


def test_states_are_read_by_node() -> None:
    lines = [
        "node status",
        "nodes: 2",
        "node.1.type: NDB",
        "node.1.status: STARTING",
        "node.1.startphase: 4",
        "node.145.type: MGM",
        "node.145.status: CONNECTED",
        "",
    ]
    assert states(lines) == {1: State("NDB", "STARTING", 4), 145: State("MGM", "CONNECTED")}


@given(st.lists(st.text(alphabet="node.123:typeSTARD ", max_size=30)))
def test_any_lines_are_read(lines: list[str]) -> None:
    assert all(isinstance(one, State) for one in states(lines).values())


def test_a_management_node_reports_states_in_words() -> None:
    reporter = Reporter("10.0.0.1", 1186, {1: "data1", 2: "data2", 3: "data3", 145: "management1"}, own=145)
    lines = [
        "node.1.type: NDB",
        "node.1.status: STARTING",
        "node.1.startphase: 4",
        "node.2.status: NO_CONTACT",
        "node.2.type: NDB",
        "node.3.type: NDB",
        "node.3.status: SHUTTING_DOWN",
        "node.145.type: MGM",
        "node.145.status: NO_CONTACT",
        "node.151.type: API",
        "node.151.status: CONNECTED",
    ]
    # It answers, whatever it reports about itself.
    assert reporter.states(lines) == {
        "data1": "starting 4",
        "data2": "not connected",
        "data3": "shutting down",
        "management1": "started",
    }
    assert reporter.states([]) == {}
