"""Events in the log of MHA 0.58, and its errors in refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivenines.failover.managers.mha.log import Reader

NAMES = {"10.99.0.11": "node1", "10.99.0.12": "node2", "10.99.0.13": "node3"}
WHEN = "Sun Nov 22 08:00:17 2026 - "

FAILOVER = """\
[info] Starting ping health check on 10.99.0.11(10.99.0.11:3306)..
[info] Ping(SELECT) succeeded, waiting until MySQL doesn't respond..
[warning] Got error on MySQL select ping: 2013 (Lost connection to server during query)
[info] Executing SSH check script: save_binary_logs --command=test --start_pos=4
[info] HealthCheck: SSH to 10.99.0.11 is reachable.
[warning] Got error on MySQL connect: 2002 (Can't connect to server on '10.99.0.11' (115))
[warning] Connection failed 2 time(s)..
[warning] Got error on MySQL connect: 2002 (Can't connect to server on '10.99.0.11' (115))
[warning] Connection failed 3 time(s)..
[warning] Got error on MySQL connect: 2002 (Can't connect to server on '10.99.0.11' (115))
[warning] Connection failed 4 time(s)..
[warning] Master is not reachable from health checker!
[warning] Master 10.99.0.11(10.99.0.11:3306) is not reachable!
[warning] SSH is reachable.
[info] Master is down!
[info] Terminating monitoring script.
[info] Got exit code 20 (Master dead).
[info] Starting master failover.
[info] Executing SHUTDOWN script:
[info]  SSH reachable. Shutting down mysqld done.
[info] * Phase 3.3: Determining New Master Phase..
[info] New master is 10.99.0.12(10.99.0.12:3306)
[info] Starting master failover..
[info] Setting read_only=0 on 10.99.0.12(10.99.0.12:3306)..
[info]  ok.
[info] ** Finished master recovery successfully.
[info] -- Slave recovery on host 10.99.0.13(10.99.0.13:3306) started, pid: 96.
[info] -- Slave recovery on host 10.99.0.13(10.99.0.13:3306) succeeded.
[info] Master failover to 10.99.0.12(10.99.0.12:3306) completed successfully.
"""

SWITCH = """\
[info] Starting online master switch..
[info] Executing FLUSH NO_WRITE_TO_BINLOG TABLES. This may take long time..
[info]  ok.
[info] Checking whether 10.99.0.12(10.99.0.12:3306) is ok for the new master..
[info]  ok.
[info] Executing FLUSH TABLES WITH READ LOCK..
[info]  ok.
[info] Setting read_only=0 on 10.99.0.12(10.99.0.12:3306)..
[info]  ok.
[info] -- Slave switch on host 10.99.0.13(10.99.0.13:3306) succeeded.
[info] Switching master to 10.99.0.12(10.99.0.12:3306) completed successfully.
"""


def events_of(text: str, reader: Reader | None = None) -> list[tuple[str, str, str]]:
    """Return the events of these lines; their time is the number of the line."""
    reader = reader or Reader(NAMES, "node1")
    events = []
    for number, line in enumerate(text.splitlines()):
        for event in reader.read(f"{WHEN}{line}\n", number):
            assert event.monotonic_ns == number
            events.append((event.kind, event.node, event.detail))
    return events


def test_a_failover_yields_its_events() -> None:
    reader = Reader(NAMES, "node1")
    refused = "2002 (Can't connect to server on '10.99.0.11' (115))"
    lost = "Got error on MySQL select ping: 2013 (Lost connection to server during query)"
    assert events_of(FAILOVER, reader) == [
        ("watching", "node1", ""),
        ("missed", "node1", f"1 of 4: {lost}"),
        ("missed", "node1", f"2 of 4: {refused}"),
        ("missed", "node1", f"3 of 4: {refused}"),
        ("missed", "node1", f"4 of 4: {refused}"),
        ("decided", "node1", "Master is down!"),
        ("fenced", "node1", "SSH reachable. Shutting down mysqld done"),
        ("promoted", "node2", "read_only=0 set"),
        ("repointed", "node3", "follows node2"),
    ]
    assert (reader.watching, reader.acting, reader.promoted) == (True, True, "node2")
    assert reader.refusal() == ""


def test_a_switchover_yields_its_events() -> None:
    assert events_of(SWITCH) == [
        ("decided", "node1", "Starting online master switch.."),
        ("promoted", "node2", "read_only=0 set"),
        ("repointed", "node3", "follows node2"),
    ]


def test_a_successful_ping_is_no_event() -> None:
    text = "[info] Ping(SELECT) succeeded, waiting until MySQL doesn't respond.."
    assert [kind for kind, _, _ in events_of(f"{text}\n{text}")] == ["watching"]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (
            "[warning] Got timeout on MySQL Ping(SELECT) child process and killed it! at "
            "/usr/share/perl5/MHA/HealthCheck.pm line 432.",
            ("missed", "node1", "1 of 4: Got timeout on MySQL Ping(SELECT) child process and killed it!"),
        ),
        (
            "[warning] Master is reachable from at least one of other monitoring servers. "
            "Failover should not happen.",
            (
                "missed",
                "node1",
                "no failover: Master is reachable from at least one of other monitoring "
                "servers. Failover should not happen.",
            ),
        ),
        ("[info]  Power off done.", ("fenced", "node1", "Power off done")),
    ],
)
def test_other_lines_yield_their_events(line: str, event: tuple[str, str, str]) -> None:
    assert events_of(line) == [event]


def test_a_refusal_contains_only_relevant_errors() -> None:
    reader = Reader(NAMES, "node1")
    refusal = (
        "Last failover was done at 2026/11/22 08:07:20. Current time is too early to do failover again. If "
        "you want to do failover, manually remove /run/node/run/mha/mha.failover.complete and run this "
        "script again."
    )
    place = "[error][/usr/share/perl5/MHA/MasterFailover.pm, ln310]"
    events = events_of(
        f"{place} {refusal}\n{place} {refusal}\n"
        f"{place} Got ERROR:  at /usr/bin/masterha_manager line 65.\n"
        f"{place} Use of uninitialized value $low in concatenation (.) or string\n",
        reader,
    )
    assert events == []
    assert reader.refusal() == refusal


def test_a_refusal_contains_only_the_last_errors() -> None:
    reader = Reader(NAMES, "node1")
    events_of("\n".join(f"[error][x.pm, ln1] reason {number}" for number in range(9)), reader)
    assert reader.refusal() == "reason 5; reason 6; reason 7; reason 8"


def test_an_unrelated_ok_is_no_promotion() -> None:
    assert events_of("[info]  ok.\n[info] New master is 10.99.0.12(10.99.0.12:3306)\n[info]  ok.") == []


@given(st.text())
def test_no_line_breaks_the_reader(line: str) -> None:
    assert Reader(NAMES, "node1").read(line, 1) == []
    Reader(NAMES, "node1").read(f"{WHEN}[error] {line}", 1)
