"""Figures that a server does not show are left out with a reason, and never 0."""

from typing import Any

import pytest

from fivenines.servers.counters import rows_unless_refused
from fivenines.servers.mysql.counters import BYTES_WRITTEN, DEADLOCKS, MEMBER, MysqlCounters, blindness
from fivenines.servers.mysql.lag import EXECUTED, MysqlLag
from fivenines.servers.mysql_family.replica_status import LAG, replica_status
from fivenines.servers.postgres.counters import LACKS_ROLE, OTHERS, ROWS, SESSIONS, PostgresCounters
from fivenines.servers.postgres.lag import STANDBYS, PostgresLag
from fivenines.servers.session import Answer, RefusedError


class Account:
    """A session that may not see some tables: answers by a word in the statement, the first that matches."""

    def __init__(self, **answers: Answer | str) -> None:
        self.answers, self.asked = answers, list[str]()

    def ask(self, statement: str) -> Answer:
        self.asked.append(statement)
        answer = next(answer for word, answer in self.answers.items() if word in statement)
        if isinstance(answer, str):
            raise RefusedError(answer)
        return answer


def test_a_refusal_is_asked_for_once() -> None:
    session: Any = Account(secret="denied")
    omitted: dict[str, str] = {}
    for _ in range(3):
        assert rows_unless_refused(session, "SELECT secret", "the secret", omitted) == []
    assert omitted == {"the secret": "denied"} and len(session.asked) == 1


def test_an_account_without_privileges_still_sees_the_status_of_mysql() -> None:
    session: Any = Account(
        member_stats="SELECT command denied",
        INNODB_METRICS="you need the PROCESS privilege",
        STATUS=Answer([], [("Threads_running", "3")]),
        performance_schema="SELECT command denied",
    )
    omitted: dict[str, str] = {}
    assert dict(MysqlCounters(omitted).read(session)) == {"Threads_running": 3.0}
    assert set(omitted) == {BYTES_WRITTEN, DEADLOCKS, MEMBER}


def test_bytes_are_unknown_where_instruments_are_off() -> None:
    session: Any = Account(
        member_stats=Answer([], []),
        INNODB_METRICS=Answer([], [("lock_deadlocks", 4)]),
        STATUS=Answer([], []),
        setup_consumers=Answer([], [(1, 0, 21)]),
        file_summary=Answer([], [(0,)]),
    )
    omitted: dict[str, str] = {}
    assert dict(MysqlCounters(omitted).read(session)) == {"INNODB_METRICS.lock_deadlocks": 4.0}
    assert omitted == {BYTES_WRITTEN: "21 instruments of wait/io/file are off"}


@pytest.mark.parametrize(
    ("on", "silent", "instruments", "why"),
    [
        (False, False, 0, "performance_schema is off"),
        (True, True, 0, "the consumer global_instrumentation is off"),
        (True, False, 2, "2 instruments"),
        (True, False, 0, ""),
    ],
)
def test_each_blindness_has_a_reason(on: bool, silent: bool, instruments: int, why: str) -> None:
    found = blindness(on, silent, instruments)
    assert found.startswith(why) and bool(found) is bool(why)


def _postgres(*switches: str) -> Any:
    return Account(
        relnamespace=Answer([], [("pg_stat_database", name) for name in ("xact_commit", "tup_inserted")]),
        track_counts=Answer([], [switches]),
        xact_commit=Answer([], [("pg_stat_database.xact_commit", "7"), (None, "1")]),
    )


def test_postgresql_counts_what_its_switches_allow() -> None:
    session, omitted = _postgres("on", "on", "off", "t"), dict[str, str]()
    assert dict(PostgresCounters("sbtest", omitted).read(session)) == {"pg_stat_database.xact_commit": 7.0}
    assert "tup_inserted" in session.asked[-1] and "pg_stat_replication" in session.asked[-1]
    assert omitted == {}
    session = _postgres("off", "off", "off", "f")
    assert dict(PostgresCounters("sbtest", omitted).read(session)) == {"pg_stat_database.xact_commit": 7.0}
    assert not any(word in session.asked[-1] for word in ("tup_inserted", "pg_stat_activity", "pg_stat_repl"))
    assert omitted == {ROWS: "track_counts is off", SESSIONS: "track_activities is off", OTHERS: LACKS_ROLE}


def test_a_hidden_standby_is_not_the_primary_itself() -> None:
    session: Any = Account(SELECT=Answer([], [(None, "pg_stat_replication.replay_lag", None, "ms")]))
    reader = PostgresLag("db1")
    assert list(reader.read(session, lambda: 5.0)) == []
    assert reader.omitted == {STANDBYS: LACKS_ROLE}


def test_without_gtids_no_node_is_level_with_another() -> None:
    session: Any = Account(
        RECEIVED=Answer([], [(None,)]),
        gtid_executed=Answer([], [("", "OFF")]),
        REPLICA="syntax",
        SLAVE=Answer(["Master_Host", "Seconds_Behind_Master"], [("db1", 4)]),
        member_stats=Answer([], []),
    )
    reader = MysqlLag("db2")
    assert list(reader.read(session, lambda: 5.0)) == [("db2", "Seconds_Behind_Master", 4.0, "s")]
    assert reader.executed == [] and reader.omitted == {EXECUTED: "gtid_mode is OFF"}


def test_a_state_that_is_not_shown_is_not_asked_for_again() -> None:
    session: Any = Account(REPLICA="you need REPLICATION CLIENT", SLAVE="you need REPLICATION CLIENT")
    omitted: dict[str, str] = {}
    assert replica_status(session, omitted) == {} and replica_status(session, omitted) == {}
    assert omitted == {LAG: "you need REPLICATION CLIENT"} and len(session.asked) == 2
