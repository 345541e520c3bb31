"""PostgreSQL's log with different settings; lines as PostgreSQL 18.6 wrote them with each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.servers.postgres.incidents import log_reader

MOMENT = 1795369062000.0  # 2026-11-22 17:37:42 UTC

LINES = [
    ("%m [%p] ", "GMT", "2026-11-22 17:37:42.501 GMT [70] ", 501.0),
    ("%m [%p] ", "Europe/Berlin", "2026-11-22 18:37:42.501 CET [70] ", 501.0),
    ("%m [%p] ", "America/New_York", "2026-11-22 12:37:42.501 EST [70] ", 501.0),
    ("%m [%p] ", "Asia/Kolkata", "2026-11-22 23:07:42.501 IST [70] ", 501.0),
    (
        "%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
        "UTC",
        "2026-11-22 17:37:42 UTC [70]: [3-1] user=app,db=sbtest,app=[unknown],client=10.99.0.2 ",
        0.0,
    ),
    ("%n %p %e %q%u@%d ", "UTC", "1795369062.501 70 40P01 app@sbtest ", 501.0),
    ("%m [%p] %q%u@%d ", "UTC", "2026-11-22 17:37:42.501 UTC [70] ", 501.0),
    ("<%m>|%-8u|%%|%c:", "UTC", "<2026-11-22 17:37:42.501 UTC>|app     |%|69231.46:", 501.0),
    ("%s %m ", "UTC", "2026-11-22 17:30:00 UTC 2026-11-22 17:37:42.501 UTC ", 501.0),
]


@pytest.mark.parametrize(("prefix", "zone", "head", "ms"), LINES)
@pytest.mark.parametrize("state", ["", "40P01: "])
def test_the_time_is_parsed_anywhere_in_the_prefix(
    prefix: str, zone: str, head: str, ms: float, state: str
) -> None:
    reader = log_reader({"log_line_prefix": prefix, "log_timezone": zone})
    assert reader.unseen == ""
    found = list(reader.read([f"{head}ERROR:  {state}deadlock detected", f"{head}DETAIL:  x"]))
    assert [(one.kind, one.unix_ms) for one in found] == [("deadlock", MOMENT + ms)]


UNSEEN = [
    ({"logging_collector": "on"}, "logging_collector = on"),
    ({"log_destination": "jsonlog"}, "log_destination = jsonlog is not read"),
    ({"log_destination": "csvlog"}, "log_destination = csvlog is not read"),
    ({"log_destination": "syslog"}, "log_destination = syslog is not read"),
    ({"log_line_prefix": ""}, "log_line_prefix has no time"),
    ({"log_line_prefix": "%p %s %u"}, "log_line_prefix has no time"),
    ({"log_timezone": "Middle/Earth"}, "log_timezone = Middle/Earth"),
    ({"lc_messages": "de_DE.UTF-8"}, "lc_messages = de_DE.UTF-8 translates"),
]


@pytest.mark.parametrize(("settings", "why"), UNSEEN)
def test_an_unreadable_log_is_reported(settings: dict[str, str], why: str) -> None:
    reader = log_reader(settings)
    assert reader.unseen.startswith("deadlocks, lock waits and checkpoints: ") and why in reader.unseen
    line = "2026-11-22 17:37:42.501 GMT [70] ERROR:  deadlock detected"
    assert list(reader.read([line])) == []


@pytest.mark.parametrize(
    ("settings", "unseen"),
    [
        ({"log_lock_waits": "off"}, "lock waits: log_lock_waits = off"),
        ({"log_checkpoints": "off"}, "checkpoints: log_checkpoints = off"),
        ({"log_min_messages": "log"}, "deadlocks: log_min_messages = log"),
        # LOG is not written either
        ({"log_min_messages": "panic"}, "deadlocks, lock waits and checkpoints: log_min_messages = panic"),
        ({"deadlock_timeout": "30000"}, "lock waits of less than deadlock_timeout = 30000 ms"),
        ({"deadlock_timeout": "500"}, ""),
        ({"log_min_messages": "error"}, ""),
        ({"log_destination": "stderr,csvlog", "lc_messages": "en_US.UTF-8"}, ""),
    ],
)
def test_omissions_of_a_log_are_reported(settings: dict[str, str], unseen: str) -> None:
    assert log_reader(settings).unseen == unseen


@given(st.text(st.sampled_from("%mtnqpulsxcae -1[]()*+\\|{}. "), max_size=20), st.text(max_size=80))
def test_any_prefix_and_any_line_are_read_or_skipped(prefix: str, line: str) -> None:
    list(log_reader({"log_line_prefix": prefix}).read([line, f"{line}ERROR:  deadlock detected"]))
