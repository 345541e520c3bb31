"""Events in the logs of Pacemaker's daemons. The lines are those of Pacemaker 2.1.5."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fivenines.failover.managers.pacemaker.log import LOG, Follower, Story, moment_of

NOW = datetime(2026, 11, 22, 8, 4, 0, tzinfo=UTC)
CONTROLD = "pacemaker-controld  [57] (log_executor_event) \tnotice: "
SCHEDULERD = "pacemaker-schedulerd[55] (log_list_item) \tnotice: "


def line(message: str, at: str = "08:03:29.926", node: str = "node2", day: str = "Nov 22") -> str:
    return f"{day} {at} {node} {message}"


@pytest.mark.parametrize(
    ("message", "kind", "node", "detail"),
    [
        (
            f"{CONTROLD}Result of monitor operation for p_mariadb on node1: not running | CIB update 24",
            "missed",
            "node1",
            "monitor: not running",
        ),
        (
            "pacemaker-controld  [56] (update_peer_state_iter) \tnotice: Node node3 state is now lost | x",
            "missed",
            "node3",
            "Corosync has lost it",
        ),
        (
            f"{SCHEDULERD}Actions: Recover    p_mariadb:2     (            Promoted node1 )",
            "decided",
            "node1",
            "recover the primary",
        ),
        (
            f"{SCHEDULERD}Actions: Stop       p_mariadb:2     (  Promoted node1 )  due to node availability",
            "decided",
            "node1",
            "stop the primary",
        ),
        (
            f"{SCHEDULERD}Actions: Promote    p_mariadb:1     ( Unpromoted -> Promoted node2 )",
            "decided",
            "node2",
            "to be promoted",
        ),
        (
            f"{CONTROLD}Result of promote operation for p_mariadb on node2: ok | CIB update 57",
            "promoted",
            "node2",
            "",
        ),
        (
            f"{CONTROLD}Result of demote operation for p_mariadb on node1: ok | CIB update 49",
            "demoted",
            "node1",
            "",
        ),
        (
            f"{CONTROLD}Result of start operation for p_mariadb on node1: error (MariaDB slave io has "
            "failed (1236): gone) | rc=1",
            "failed",
            "node1",
            "start: error (MariaDB slave io has failed (1236): gone)",
        ),
        (
            "pacemaker-controld  [56] (te_fence) \tnotice: Peer node1 was terminated (off) by node2 on "
            "behalf of pacemaker-controld.56@node2: OK | initiator=node2",
            "fenced",
            "node1",
            "fencing: off",
        ),
        (
            "pacemaker-controld  [56] (x) \tnotice: Peer node1 was not terminated (off) by <anyone> on "
            "behalf of pacemaker-controld.56@node2: No such device | initiator=node2",
            "failed",
            "node1",
            "Peer node1 was not terminated (off) by <anyone> on behalf of "
            "pacemaker-controld.56@node2: No such device",
        ),
        (
            "pacemaker-controld  [57] (crm_update_quorum) \twarning: Quorum lost | membership=12 members=1",
            "failed",
            "",
            "no quorum: this partition has no majority",
        ),
    ],
)
def test_lines_yield_their_events(message: str, kind: str, node: str, detail: str) -> None:
    event = Story("p_mariadb").add(line(message), NOW, ahead_ns=0)
    assert event is not None
    assert (event.kind, event.node, event.detail) == (kind, node, detail)
    assert event.monotonic_ns == round(datetime(2026, 11, 22, 8, 3, 29, 926000, tzinfo=UTC).timestamp() * 1e9)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "nonsense",
        f"{CONTROLD}Result of monitor operation for p_mariadb on node1: ok | x",
        f"{CONTROLD}Result of monitor operation for p_mariadb on node1: promoted | x",
        f"{CONTROLD}Result of monitor operation for p_mariadb on node1: Cancelled | x",
        f"{CONTROLD}Result of probe operation for p_mariadb on node1: not running | x",
        f"{CONTROLD}Result of demote operation for p_mariadb on node1: not running | x",
        f"{CONTROLD}Result of start operation for p_address on node2: ok | x",
        f"{SCHEDULERD}Actions: Stop       p_address       (  node1 )  due to node availability",
        f"{SCHEDULERD}Actions: Stop       p_mariadb:2     (  Unpromoted node1 )  due to x",
        f"{SCHEDULERD}Actions: Start      p_mariadb:2     (                        node1 )",
        "pacemaker-attrd     [54] (x) \tnotice: Node node3 state is now lost | all daemons say so",
    ],
)
def test_other_lines_are_no_events(message: str) -> None:
    story = Story("p_mariadb")
    assert story.add(line(message), NOW, 0) is None
    assert story.events == []


def test_a_repeated_line_is_one_event() -> None:
    story = Story("p_mariadb")
    message = f"{SCHEDULERD}Actions: Promote    p_mariadb:1     ( Unpromoted -> Promoted node2 )"
    assert [story.add(line(message), NOW, 0) is None for _ in range(2)] == [False, True]


def test_a_notified_node_follows_the_new_primary_once() -> None:
    story = Story("p_mariadb")
    notified = f"{CONTROLD}Result of notify operation for p_mariadb on %s: ok | x"
    story.add(line(notified % "node3", at="08:03:30.000"), NOW, 0)
    promoted = f"{CONTROLD}Result of promote operation for p_mariadb on node2: ok | x"
    story.add(line(promoted, at="08:03:31.000"), NOW, 0)
    for second, node in enumerate(("node2", "node3", "node3"), start=32):
        story.add(line(notified % node, at=f"08:03:{second}.000"), NOW, 0)
    assert [(one.kind, one.node, one.detail) for one in story.events] == [
        ("promoted", "node2", ""),
        ("repointed", "node3", "to node2"),
    ]


def too_few(reported: int, at: str, needed: int = 2, resource: str = "p_mariadb") -> str:
    """Return a line of the agent as resource-agents 4.12 writes it: whole seconds, no host."""
    return (
        f"Nov 22 {at}  mariadb({resource})[1042]:    INFO: Not enough nodes ({reported}) contributed to "
        f"select a master, need {needed} nodes."
    )


def test_a_node_that_waits_for_others_that_never_report_is_an_event() -> None:
    story = Story("p_mariadb")
    for second in (31, 35, 39):
        story.add(too_few(1, f"08:03:{second}"), NOW, 0)
    (event,) = story.events
    detail = "no promotion: 1 of the 2 nodes that the agent needs have reported a GTID"
    assert (event.kind, event.node, event.detail) == ("failed", "", detail)
    assert event.monotonic_ns == round(datetime(2026, 11, 22, 8, 3, 35, tzinfo=UTC).timestamp() * 1e9)


def test_nodes_that_report_one_after_the_other_are_no_event() -> None:
    story = Story("p_mariadb")
    promoted = f"{CONTROLD}Result of promote operation for p_mariadb on node2: ok | x"
    for failover in range(2):
        for second, reported in enumerate((1, 2, 3)):
            story.add(too_few(reported, f"08:03:{10 * failover + second:02}", needed=4), NOW, 0)
        story.add(line(promoted, at=f"08:03:{10 * failover + 5:02}.000"), NOW, 0)
    story.add(too_few(1, "08:03:30", resource="p_other"), NOW, 0)
    story.add(too_few(1, "08:03:34", resource="p_other"), NOW, 0)
    assert [event.kind for event in story.events] == ["promoted", "promoted"]


def test_a_log_of_the_old_year_read_in_the_new_one() -> None:
    new_year = datetime(2027, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert moment_of("Dec 31 23:59:59.500", new_year).year == 2026
    assert moment_of("Jan 01 00:00:00.500", new_year).year == 2027
    assert moment_of("Feb 29 12:00:00.000", datetime(2028, 3, 1, tzinfo=UTC)).year == 2028


class PlainLogHost:
    """A host with a log folder, whose clocks may differ from ours."""

    def __init__(self, folder: Path, ahead: float = 0.0) -> None:
        self.node = folder
        self._ahead_ns = round(ahead * 1e9)
        (folder / "log").mkdir(parents=True)

    @property
    def clock(self) -> "PlainLogHost":
        return self

    def day_ahead_ns(self) -> int:
        return time.time_ns() - time.monotonic_ns() + self._ahead_ns


@pytest.mark.parametrize("ahead", [-5000.0, 5000.0, 40_000_000.0])
def test_the_wall_clock_of_a_host_may_differ_from_ours(tmp_path: Path, ahead: float) -> None:
    host: Any = PlainLogHost(tmp_path / "node1", ahead)
    follower = Follower([host], "p_mariadb", lambda node: None)
    follower.begin()
    there = datetime.fromtimestamp(time.time() + ahead, UTC)
    promoted = f"{CONTROLD}Result of promote operation for p_mariadb on node1: ok | x\n"
    (host.node / "log" / LOG).write_text(
        line(promoted, there.strftime("%H:%M:%S.%f")[:-3], day=there.strftime("%b %d"))
    )
    (event,) = follower.events()
    follower.stop()
    assert abs(event.monotonic_ns - time.monotonic_ns()) < 5e9


def test_a_log_is_followed_from_the_beginning_of_the_watch(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    day, at = now.strftime("%b %d"), now.strftime("%H:%M:%S.000")
    promoted = f"{CONTROLD}Result of promote operation for p_mariadb on %s: ok | x\n"
    nodes: Any = [PlainLogHost(tmp_path / name) for name in ("node1", "node2")]
    log, later = (host.node / "log" / LOG for host in nodes)
    log.write_text(line(promoted % "node1", at, day=day))
    primaries: list[str] = []
    follower = Follower(nodes, "p_mariadb", primaries.append)
    assert follower.events() == []
    follower.begin()
    begun = line(promoted % "node3", at, day=day)
    later.write_text(line(promoted % "node2", at, day=day) + begun[:40])
    assert [event.node for event in follower.events()] == ["node2"], "half a line waits"
    with later.open("a") as stream:
        stream.write(begun[40:])
    events = follower.events()
    follower.stop()
    assert [event.node for event in events] == primaries == ["node2", "node3"]
    assert abs(events[0].monotonic_ns - time.monotonic_ns()) < 5e9


def test_named_resources_after_a_promotion_yield_events() -> None:
    story = Story("p_drbd", {"p_files": "mounted", "p_server": "started"})
    lines = [
        line(f"{CONTROLD}Result of promote operation for p_drbd on node2: ok | x", "08:03:01.000"),
        # The agent of a disk is notified, too, but follows no primary.
        line(f"{CONTROLD}Result of notify operation for p_drbd on node2: ok | x", "08:03:01.500"),
        line(f"{CONTROLD}Result of start operation for p_files on node2: ok | x", "08:03:02.000"),
        line(f"{CONTROLD}Result of start operation for p_server on node2: error (no) | x", "08:03:03.000"),
        line(f"{CONTROLD}Result of start operation for p_other on node2: ok | x", "08:03:04.000"),
    ]
    for one in lines:
        story.add(one, NOW, 0)
    assert [(event.kind, event.node, event.detail) for event in story.events] == [
        ("promoted", "node2", ""),
        ("mounted", "node2", ""),
        ("failed", "node2", "start of p_server: error (no)"),
    ]
