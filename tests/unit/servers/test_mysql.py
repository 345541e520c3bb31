"""Reported lag and counters of MySQL."""

from typing import Any

from fivenines.servers.mysql import counters
from fivenines.servers.mysql.lag import NOT_APPLIED, NOT_EXECUTED, MysqlLag
from fivenines.servers.positions import Sample
from fivenines.servers.session import Answer


class FakeSession:
    """Answers by a word in the statement."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers

    def ask(self, statement: str) -> Answer:
        return next(answer for word, answer in self.answers.items() if word in statement)


def _asked(replica: Answer, member: Answer) -> Any:
    return FakeSession(
        RECEIVED=Answer(["waiting"], [("u:11-12",)]),
        gtid_executed=Answer(["executed", "mode"], [("u:1-10", "ON")]),
        REPLICA=replica,
        member_stats=member,
    )


def test_a_replica_and_a_member_report_their_lag() -> None:
    replica = Answer(["Source_Host", "Seconds_Behind_Source"], [("10.99.0.11", 3)])
    node = MysqlLag("node2")
    rows = list(node.read(_asked(replica, Answer([], [])), lambda: 5.0))
    assert rows == [("node2", NOT_APPLIED, 2.0, "transactions"), ("node2", "Seconds_Behind_Source", 3.0, "s")]
    assert node.executed == [Sample(5.0, {0: 10.0})]
    stopped = Answer(["Source_Host", "Seconds_Behind_Source"], [("10.99.0.11", None)])
    assert ("node2", "Seconds_Behind_Source", None, "s") in list(
        node.read(_asked(stopped, Answer([], [])), lambda: 6.0)
    )
    member = list(node.read(_asked(Answer([], []), Answer([], [(1, 7)])), lambda: 7.0))
    assert member[-1] == ("node2", "COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE", 7.0, "transactions")


def test_nodes_are_compared_with_the_most_advanced_node() -> None:
    first, second = MysqlLag("node1"), MysqlLag("node2")
    first.executed = [Sample(0.0, {0: 10.0}), Sample(100.0, {0: 20.0})]
    second.executed = [Sample(50.0, {0: 11.0})]
    nodes = {"node1": first, "node2": second}
    assert list(MysqlLag.apart(nodes, {}, 1000.0)) == [(50.0, ("node2", NOT_EXECUTED, 4.0, "transactions"))]
    assert list(MysqlLag.apart(nodes, {}, 50.0)) == []


def test_counters_of_a_member_have_the_names_of_their_table() -> None:
    session: Any = FakeSession(
        # First, because its statement also contains the word STATUS.
        INNODB_METRICS=Answer([], [("lock_deadlocks", 4)]),
        STATUS=Answer([], [("Threads_running", "3"), ("Gr_flow_control_throttle_count", "0")]),
        member_stats=Answer([], [tuple(range(len(counters.COLUMNS)))]),
        setup_consumers=Answer([], [(1, 0, 0)]),
        file_summary=Answer([], [(8192,)]),
    )
    omitted: dict[str, str] = {}
    found = dict(counters.MysqlCounters(omitted).read(session))
    assert (found["Threads_running"], found["Gr_flow_control_throttle_count"]) == (3.0, 0.0)
    assert found["replication_group_member_stats.COUNT_CONFLICTS_DETECTED"] == 2.0
    assert found["INNODB_METRICS.lock_deadlocks"] == 4.0
    assert found["file_summary_by_event_name.write_bytes"] == 8192.0
    assert omitted == {}
