"""Events in Patroni's log; the lines are real ones, of both versions."""

import time
from pathlib import Path

import pytest

from fivenines.failover.managers.patroni.log import Follower, Reader, last_promoted

_WINNER = """\
2026-11-22 08:00:45,782 INFO: no action. I am (node3), a secondary, and following a leader (node1)
2026-11-22 08:00:45,790 WARNING: Request failed to node1: GET http://10.99.0.11:8008/patroni (HTTPConnectionPool(host='10.99.0.11', port=8008): Max retries exceeded with url: /patroni (Caused by NewConnectionError('<urllib3.connection.HTTPConnection object at 0x7fcfa6dd80d0>: Failed to establish a new connection: [Errno 111] Connection refused')))
2026-11-22 08:00:45,802 INFO: Got response from node2 http://10.99.0.12:8008/patroni: {"state": "running"}
2026-11-22 08:00:45,848 WARNING: Watchdog not supported because leader TTL 5 is less than 2x loop_wait 1
2026-11-22 08:00:45,896 INFO: promoted self to leader by acquiring session lock
2026-11-22 08:00:45,902 INFO: cleared rewind state after becoming the leader
2026-11-22 08:00:46,783 INFO: Lock owner: node3; I am node3
2026-11-22 08:00:48,012 INFO: no action. I am (node3), the leader with the lock
"""  # noqa: E501

_REWOUND = """\
2026-11-22 08:04:16,142 INFO: primary: history=1\t0/1BE4B78\tno recovery target specified
2\t0/1C94178\tno recovery target specified
2026-11-22 08:04:16,235 INFO: running pg_rewind from node2
2026-11-22 08:04:16,355 INFO: running pg_rewind from node2 in progress
2026-11-22 08:04:17,425 INFO: running pg_rewind from dbname=postgres user=repl host=10.99.0.12 port=5432 target_session_attrs=read-write
2026-11-22 08:04:18,117 INFO: pg_rewind exit code=0
"""  # noqa: E501


def _kinds(node: str, text: str) -> list[tuple[str, str]]:
    reader = Reader(node)
    return [(one.kind, one.node) for line in text.splitlines() for one in reader.read(line, 0)]


def test_the_winner_queries_the_others_and_promotes_itself() -> None:
    assert _kinds("node3", _WINNER) == [("decided", "node3"), ("missed", "node1"), ("promoted", "node3")]
    assert _kinds("node3", _WINNER + _WINNER)[3:] == _kinds("node3", _WINNER), "each race is reported"


def test_times_are_those_of_the_log() -> None:
    (event,) = Reader("node3").read(_WINNER.splitlines()[4], 10**9)
    # 2026-11-22 08:00:45.896 UTC is 1795334445.896 s since 1970
    assert event.monotonic_ns == 1795334444_896_000_000


def test_an_old_primary_is_demoted_and_rewound() -> None:
    crashed = """\
2026-11-22 08:04:11,365 INFO: Got response from node2 http://10.99.0.12:8008/patroni: {"state": "running"}
2026-11-22 08:04:11,366 INFO: Primary crashed. Failing over.
2026-11-22 08:04:11,366 INFO: Demoting self (immediate)
2026-11-22 08:04:11,477 INFO: Leader key released
2026-11-22 08:04:13,526 INFO: stopped PostgreSQL to fail over after a crash
"""
    assert _kinds("node1", crashed + _REWOUND) == [
        ("decided", "node1"),
        ("demoted", "node1"),
        ("repointed", "node1"),
    ]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("INFO: following new leader after trying and failing to obtain lock", "repointed"),
        ("INFO: demoting self because DCS is not accessible and I was a leader", "failed"),
        ("INFO: promoted self to leader because I had the session lock", "promoted"),
        ("CRITICAL: system ID mismatch, node node2 belongs to a different cluster: 1 != 2", "failed"),
    ],
)
def test_single_lines_yield_their_events(message: str, kind: str) -> None:
    line = f"2026-11-22 08:04:11,366 {message}\n"
    assert _kinds("node2", line) == [(kind, "node2")]
    if kind != "promoted":
        assert _kinds("node2", line + line) == [(kind, "node2")], "a repeated line is reported once"


def test_a_standby_that_may_not_race_sees_first_that_the_lock_is_free() -> None:
    line = "2026-11-22 08:04:11,547 INFO: following a different leader because i am not the healthiest node\n"
    assert _kinds("node3", line + line) == [("decided", "node3"), ("repointed", "node3")]


def test_a_leader_in_failsafe_mode_yields_one_event() -> None:
    text = """\
2026-11-22 08:38:22,292 INFO: Got response from node3 http://10.99.0.13:8008/failsafe: Accepted
2026-11-22 08:38:22,293 INFO: continue to run as a leader because failsafe mode is enabled and all members are accessible
2026-11-22 08:38:23,410 ERROR: Error communicating with DCS
"""  # noqa: E501
    calm = "2026-11-22 08:38:36,000 INFO: no action. I am (node1), the leader with the lock\n"
    assert _kinds("node1", text + text) == [("failsafe", "node1")]
    assert _kinds("node1", text + calm + text) == [("failsafe", "node1")] * 2


def test_the_reason_of_patroni_s_own_is_kept_when_it_cannot_use_etcd() -> None:
    demoted = "2026-11-22 08:04:11,366 INFO: demoting self because DCS is not accessible and I was a leader"
    reader = Reader("node1")
    (event,) = reader.read(demoted, 0)
    assert event.detail.endswith("(Patroni's log does not say why)")
    # A healthy etcd that was restored from a snapshot is refused: it is not "unreachable".
    term = "Connected to Etcd node with term 2. Old known term 5. Switching to another node."
    for line, why in (
        (f"2026-11-22 08:05:00,000 WARNING: {term}", f"({term})"),
        (
            "2026-11-22 08:06:00,000 ERROR: Request to server http://10.99.0.11:2379 failed: "
            f"MaxRetryError({'x' * 300})",
            "(Request to server http://10.99.0.11:2379 failed: MaxRetryError(" + "x" * 97 + ")",
        ),
    ):
        assert reader.read(line, 0) == []
        if "term" in line:
            # Patroni 4.1.5 logs the refusal right behind its reason, and then tries another member.
            stale = "ERROR: Request to server http://10.99.0.11:2379 failed: StaleEtcdNode()"
            reader.read(f"2026-11-22 08:05:00,002 {stale}", 0)
            reader.read("2026-11-22 08:05:00,003 INFO: Retrying on http://10.99.0.12:2379", 0)
        (event,) = reader.read(demoted, 0)
        assert event.detail.endswith(why), event.detail
        reader.read("2026-11-22 08:07:00,000 INFO: no action. I am (node1), the leader with the lock", 0)
        (event,) = reader.read(demoted, 0)
        assert event.detail.endswith("(Patroni's log does not say why)"), "an old reason is none"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  Database system identifier: 7710852186155094026",
        "Traceback (most recent call last):",
        "2026-11-22 07:58:25,911 INFO: Lock owner: None; I am node1",
        "2026-11-22 08:04:11,437 WARNING: Loop time exceeded, rescheduling immediately.",
    ],
)
def test_other_lines_are_no_events(line: str) -> None:
    assert Reader("node1").read(line, 0) == []


def day_ahead() -> int:
    """Return the offset of this machine."""
    return time.time_ns() - time.monotonic_ns()


def test_a_log_is_followed_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "patroni.log"
    follower = Follower(file, "node3", day_ahead)
    assert (follower.events(), follower.last_line()) == ([], "")
    lines = _WINNER.splitlines(keepends=True)
    file.write_text("".join(lines[:2]) + lines[4][:40])
    assert [event.kind for event in follower.events()] == ["decided", "missed"]
    file.write_text("".join(lines[:2]) + lines[4])
    assert [event.kind for event in follower.events()] == ["decided", "missed", "promoted"]
    assert last_promoted(follower.events()) == "node3"
    assert follower.last_line() == "promoted self to leader by acquiring session lock"
    follower.forget()
    assert (follower.events(), last_promoted(follower.events())) == ([], "")


def test_times_are_on_the_clock_of_all_records(tmp_path: Path) -> None:
    file = tmp_path / "patroni.log"
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now))
    file.write_text(f"{stamp},{int(now * 1000) % 1000:03} INFO: Demoting self (graceful)\n")
    (event,) = Follower(file, "node1", day_ahead).events()
    assert abs(time.monotonic_ns() - event.monotonic_ns) < 5e9
