"""Failover events of a group, read from its members' error logs."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plain_host import PlainHost

from fivenines.solutions.group_replication.events import PHASES, GroupLog, events_in, merged

NAMES = {"10.99.0.11": "node1", "10.99.0.12": "node2"}
AT = "2026-11-22T08:03:0"
LINES = [
    f"{AT}1.250000Z 0 [Warning] [MY-011493] [Repl] Plugin group_replication reported: 'Member with "
    "address 10.99.0.11:3306 has become unreachable.'",
    f"{AT}2.000000Z 0 [Warning] [MY-011499] [Repl] Plugin group_replication reported: 'Members removed "
    "from the group: 10.99.0.11:3306'",
    f"{AT}2.000010Z 0 [System] [MY-011500] [Repl] Plugin group_replication reported: 'Primary server "
    "with address 10.99.0.11:3306 left the group. Electing new Primary.'",
    f"{AT}2.500000Z 45 [System] [MY-011510] [Repl] Plugin group_replication reported: 'This server is "
    "working as primary member.'",
    f"{AT}3.000000Z 45 [System] [MY-010116] [Server] mysqld starting",
    "no log line at all",
]
ZERO = int(datetime(2026, 11, 22, 8, 3, tzinfo=UTC).timestamp()) * 10**9


def test_lines_of_a_member_yield_events() -> None:
    found = events_in("node2", LINES, NAMES, ZERO)
    assert [(event.monotonic_ns, event.kind, event.node) for event in found] == [
        (1_250_000_000, "missed", "node1"),
        (2_000_000_000, "expelled", "node1"),
        (2_000_010_000, "decided", "node1"),
        (2_500_000_000, "promoted", "node2"),
    ]
    assert found[0].detail == "node2: Member with address 10.99.0.11:3306 has become unreachable."


def test_repeated_events_of_several_members_count_once() -> None:
    other = events_in("node3", LINES[:3], NAMES, ZERO - 40_000_000)
    found = merged([*other, *events_in("node2", LINES, NAMES, ZERO)])
    assert [event.kind for event in found] == ["missed", "expelled", "decided", "promoted"]
    # The first member that logged it.
    assert found[0].detail.startswith("node2: ")
    again = events_in("node2", LINES, NAMES, ZERO - 60_000_000_000)
    assert len(merged([*found, *again])) == 8


def _node(folder: Path, of_log: tuple[str, str, str]) -> Any:
    """Return a member that logs into a folder, with its verbosity, services and suppressed messages."""
    return SimpleNamespace(
        name="node2",
        host=PlainHost(address="10.99.0.12"),
        log=folder / "error.log",
        sql=SimpleNamespace(query=lambda _statement: [of_log]),
        monitoring=SimpleNamespace(omitted={}),
    )


def test_times_of_the_system_zone_are_read() -> None:
    line = LINES[0].replace("08:03:01.250000Z", "09:03:01.250000+01:00")
    assert [event.monotonic_ns for event in events_in("node2", [line], NAMES, ZERO)] == [1_250_000_000]


@pytest.mark.parametrize(
    ("of_log", "why"),
    [
        (("2", "log_filter_internal; log_sink_internal", ""), None),
        (("1", "log_filter_internal; log_sink_internal", ""), "log_error_verbosity = 1"),
        (("2", "log_sink_json", ""), "log_error_services = log_sink_json"),
        (("2", "log_sink_internal", "MY-011493"), "log_error_suppression_list = MY-011493"),
    ],
)
def test_what_a_log_omits_is_reported(of_log: tuple[str, str, str], why: str | None, tmp_path: Path) -> None:
    node = _node(tmp_path, of_log)
    GroupLog().begin([node])
    if why is None:
        assert node.monitoring.omitted == {}
    else:
        assert node.monitoring.omitted[PHASES].startswith(why)


def test_reading_continues_where_it_ended(tmp_path: Path) -> None:
    node = _node(tmp_path, ("2", "log_filter_internal; log_sink_internal", ""))
    node.log.write_text(f"{LINES[3]}\n")
    log = GroupLog()
    assert log.events([node]) == []
    log.begin([node])
    with node.log.open("a") as stream:
        stream.write(f"{LINES[0]}\n{LINES[1][:40]}")
    assert [event.kind for event in log.events([node])] == ["missed"]
    with node.log.open("a") as stream:
        stream.write(f"{LINES[1][40:]}\n")
    assert [event.kind for event in log.events([node])] == ["missed", "expelled"]
    assert [event.kind for event in log.events([node])] == ["missed", "expelled"]
