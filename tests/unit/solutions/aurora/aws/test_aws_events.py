"""Events of RDS as those of a failover manager; messages are those of its guide and of published logs."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.base.errors import FiveninesError
from fivenines.solutions.aurora.aws import events
from fivenines.solutions.aurora.aws.api import RdsEvent
from fivenines.solutions.aurora.aws.events import EventReader, managers, nanoseconds

BEGIN = datetime(2026, 9, 12, 0, 14, 55, 811000, UTC)


def rds_event(after_ms: int, source: str, message: str) -> RdsEvent:
    return RdsEvent(BEGIN + timedelta(milliseconds=after_ms), source, message)


def from_begin(moment: datetime) -> int:
    return nanoseconds(moment) - nanoseconds(BEGIN)


FAILOVER = [
    rds_event(0, "shop", "Started cross AZ failover to DB instance: shop-2"),
    rds_event(1970, "shop-2", "Parameter max_wal_senders was set to a value incompatible with replication."),
    rds_event(10872, "shop-2", "DB instance restarted"),
    rds_event(14388, "shop-0", "A new writer was promoted. Restarting database as a reader."),
    rds_event(20200, "shop", "Completed RDS initiated failover to DB instance: shop-2"),
    rds_event(23155, "shop-0", "DB instance restarted"),
]


def test_a_failover_yields_its_events() -> None:
    found = managers(reversed(FAILOVER), from_begin)
    assert [(one.monotonic_ns // 1_000_000, one.kind, one.node) for one in found] == [
        (0, "decided", "shop-2"),
        (10872, "restarted", "shop-2"),
        (14388, "demoted", "shop-0"),
        (20200, "promoted", "shop-2"),
        (23155, "restarted", "shop-0"),
    ]
    assert found[0].detail == f"RDS at 00:14:55.811 UTC: {FAILOVER[0].message}"


@pytest.mark.parametrize(
    ("message", "kind", "node"),
    [
        ("Started same AZ failover to DB instance: a-1.", "decided", "a-1"),
        ("Started failover to DB instance: a-1", "decided", "a-1"),
        ("Started cross AZ failover to DB instance", "decided", "who"),
        ("Completed failover to DB instance: a-1.", "promoted", "a-1"),
        ("Completed failover to instance.", "promoted", "who"),
        ("Promoting previous primary again: a-1.", "promoted", "a-1"),
        ("Cluster failover failed, check the health of your cluster instances.", "failed", "who"),
        ("DB instance shutdown", "stopped", "who"),
    ],
)
def test_old_and_new_messages_are_parsed(message: str, kind: str, node: str) -> None:
    (found,) = managers([rds_event(0, "who", message)], from_begin)
    assert (found.kind, found.node) == (kind, node)


def test_equal_messages_of_two_sources_are_one_event() -> None:
    assert len(managers([FAILOVER[0], FAILOVER[0]], from_begin)) == 1


@given(st.lists(st.tuples(st.integers(0, 10**7), st.text(), st.text())))
def test_no_message_breaks_the_reading(these: list[tuple[int, str, str]]) -> None:
    found = managers([rds_event(*one) for one in these], from_begin)
    assert [one.monotonic_ns for one in found] == sorted(one.monotonic_ns for one in found)
    assert len(found) <= len(these)


class Answers:
    """An API that counts the queries."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), 0

    def events(self, _since: datetime) -> list[RdsEvent]:
        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return list(answer)


def test_the_api_is_queried_rarely_and_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = rds_event(0, "other", "DB instance restarted")
    api = Answers([foreign, *FAILOVER[:1]], FiveninesError("throttled"), FAILOVER)
    now = [1000.0]
    monkeypatch.setattr(events.time, "monotonic", lambda: now[0])
    reader = EventReader(api, "shop", ["shop-0", "shop-2"], BEGIN.timestamp())  # type: ignore[arg-type]
    counts = []
    for seconds in (0, 1, 1, 2, 2, 2):
        now[0] += seconds
        counts.append(len(reader.events()))
    # Known events are kept when an answer is missing, and each missing answer is reported.
    assert counts == [1, 1, 1, 2, 2, 5] and api.asked == 3


def test_events_before_the_trial_are_left_out() -> None:
    api: Any = Answers(FAILOVER)
    since = (BEGIN + timedelta(seconds=16)).timestamp()
    reader = EventReader(api, "shop", ["shop-0", "shop-2"], since)
    assert [one.kind for one in reader.events()] == ["demoted", "promoted", "restarted"]
