"""Distances between servers' positions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.mariadb.lag import MariadbLag
from fivenines.servers.positions import Sample, distance, parse_gtids, position_at
from fivenines.servers.session import Answer


def test_gtids_are_read_by_domain() -> None:
    assert parse_gtids("0-1-270,0-2-265,7-3-15") == {0: 270.0, 7: 15.0}
    assert parse_gtids("") == {}
    assert parse_gtids("nonsense,1-2,a-b-c") == {}


def test_distances_count_over_all_domains() -> None:
    assert distance({0: 10, 1: 5}, {0: 7}) == 8
    assert distance({0: 10}, {0: 12, 9: 1}) == 0


@given(
    st.dictionaries(st.integers(0, 3), st.floats(0, 1e9)),
    st.dictionaries(st.integers(0, 3), st.floats(0, 1e9)),
)
def test_distances_are_never_negative(a: dict[int, float], b: dict[int, float]) -> None:
    assert distance(a, b) >= 0
    assert distance(a, a) == 0


def test_positions_are_interpolated_but_not_guessed() -> None:
    samples = [Sample(0, {0: 100}), Sample(1000, {0: 200}), Sample(9000, {0: 900, 1: 5})]
    assert position_at(samples, 1000, 2500) == {0: 200}
    assert position_at(samples, 250, 2500) == pytest.approx({0: 125})
    assert position_at(samples, 5000, 2500) is None
    assert position_at(samples, 9001, 2500) is None
    assert position_at(samples, -1, 2500) is None
    assert position_at([], 5, 2500) is None
    # A new domain has no rate to interpolate.
    assert position_at(samples, 5000, 9000) == {0: pytest.approx(550), 1: 5}


@given(st.lists(st.integers(0, 100), min_size=2, max_size=10), st.floats(0, 9))
def test_an_interpolated_position_lies_between_its_neighbours(steps: list[int], t: float) -> None:
    values = [sum(steps[: index + 1]) for index in range(len(steps))]
    samples = [Sample(float(index), {0: float(value)}) for index, value in enumerate(values)]
    found = position_at(samples, t, 1.0)
    if t <= len(steps) - 1:
        assert found is not None
        assert values[int(t)] - 1e-6 <= found[0] <= values[min(int(t) + 1, len(values) - 1)] + 1e-6


class FakeSession:
    """A server that answers from a list."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def ask(self, _statement: str) -> Answer:
        return self.answers.pop(0)


NOTHING = Answer([], [])
_COLUMNS = [
    "Master_Host",
    "Seconds_Behind_Master",
    "Gtid_IO_Pos",
    "Master_Log_File",
    "Relay_Master_Log_File",
    "Read_Master_Log_Pos",
    "Exec_Master_Log_Pos",
]


def _replica(behind: int | None, received: str) -> Answer:
    return Answer(_COLUMNS, [("10.99.0.11", behind, received, "b.1", "b.1", 500, 400)])


def test_a_replica_is_compared_with_its_primary() -> None:
    primary, replica = MariadbLag("node1"), MariadbLag("node2")
    for t, position in ((0.0, "0-1-100"), (1000.0, "0-1-200")):
        session = FakeSession(NOTHING, Answer([], [(position, "")]), NOTHING)
        assert list(primary.read(session, lambda t=t: t)) == []  # type: ignore[arg-type,misc]
    session = FakeSession(_replica(None, "0-1-140"), Answer([], [("", "0-1-110")]), NOTHING)
    assert list(replica.read(session, lambda: 500.0)) == [  # type: ignore[arg-type]
        ("node2", "Seconds_Behind_Master", None, "s"),
        ("node2", "Gtid_IO_Pos - gtid_slave_pos", 30.0, "transactions"),
        ("node2", "Read_Master_Log_Pos - Exec_Master_Log_Pos", 100.0, "B"),
    ]
    nodes = {"node1": primary, "node2": replica}
    assert list(MariadbLag.apart(nodes, {"10.99.0.11": "node1"}, 2500)) == [
        (500.0, ("node2", "gtid_binlog_pos - gtid_slave_pos", 40.0, "transactions")),
        (500.0, ("node2", "gtid_binlog_pos - Gtid_IO_Pos", 10.0, "transactions")),
    ]
    assert list(MariadbLag.apart(nodes, {}, 2500)) == []


def test_members_of_a_cluster_are_compared_with_the_most_advanced() -> None:
    nodes = {name: MariadbLag(name) for name in ("node1", "node2", "node3")}
    for name, committed in (("node1", "90"), ("node2", "100"), ("node3", "95")):
        status = Answer([], [("wsrep_last_committed", committed), ("wsrep_local_recv_queue", "3")])
        session = FakeSession(NOTHING, Answer([], [("", "")]), status)
        rows = list(nodes[name].read(session, lambda: 0.0))  # type: ignore[arg-type]
        assert rows == [(name, "wsrep_local_recv_queue", 3.0, "write sets")]
    behind = {row[0]: row[2] for _, row in MariadbLag.apart(nodes, {}, 2500)}
    assert behind == {"node1": 10.0, "node2": 0.0, "node3": 5.0}
