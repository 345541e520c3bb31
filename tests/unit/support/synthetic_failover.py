"""TEST ONLY: the course of an invented failover, as the nodes, the ledger and the views show it.

node1 dies, node2 takes over, node3 follows. In a group all are writable, and the survivors get a
new epoch when they have decided.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

# ms of the planted phases before the return of writes (decided to writable to back), and after.
PROMOTE, ROUTE, RECONNECT = 120.0, 40.0, 60.0

CLIENTS = 2


@dataclass(frozen=True)
class Course:
    """When things happen, in ms; `back` is when the ledger's writes are acknowledged again.

    `back` after `end`: never.
    """

    end: float
    fault_at: float | None
    back: float
    back_reads: float
    catch_up: float = 0.0
    decides: bool = True
    group: bool = False
    # Milliseconds for which node1 continues to accept writes in addition to node2.
    split: float = 0.0

    @property
    def outage(self) -> float:
        return self.back - (self.fault_at or 0.0)

    @property
    def writable(self) -> float | None:
        return self.back - ROUTE if self.back < self.end else None

    @property
    def decided(self) -> float | None:
        return self.back - ROUTE - PROMOTE if self.decides and self.back < self.end else None

    @property
    def reconnected(self) -> float:
        return self.back + RECONNECT

    @property
    def caught_up(self) -> float:
        return self.reconnected + self.catch_up


def node_changes(course: Course) -> list[dict[str, Any]]:
    """Return the table `nodes`."""
    follower = "writable" if course.group else "read_only"
    rows = [
        _state(0.0, "node1", "writable", "1"),
        _state(0.0, "node2", follower, "1"),
        _state(0.0, "node3", follower, "1"),
    ]
    if course.fault_at is None:
        return rows
    if course.split and course.writable:
        rows.append(_state(course.writable + course.split, "node1", "read_only", "2"))
    else:
        rows.append(_state(course.fault_at + 4, "node1", "away", ""))
    if course.group and course.decided:
        rows += [_state(course.decided, node, "refusing", "2") for node in ("node2", "node3")]
    if course.writable:
        rows.append(_state(course.writable, "node2", "writable", "2"))
    return sorted(rows, key=lambda row: row["t_us"])


def acknowledged(course: Course, every: int = 20) -> list[dict[str, Any]]:
    """Return the table `ledger`: writes by clients in turns, every so many ms while they can."""
    rows = []
    for number, t in enumerate(range(0, int(course.end), every)):
        up = course.fault_at is None or t < course.fault_at - 10 or t >= course.back
        rows.append(
            {
                "id": number + 1,
                "client": number % CLIENTS,
                "kind": "write",
                "endpoint": "node1",
                "started_us": t * 1000,
                "completed_us": t * 1000 + 900,
                "outcome": "ok" if up else "failed",
                "error_class": "" if up else "refused",
                "seen": "",
            }
        )
    return rows


def views(course: Course, lag: float = 30.0, every: int = 100) -> list[dict[str, Any]]:
    """Return the table `views`: node2 has all, node3 is `lag` ms late, and late by the catch up after."""
    acks = [row for row in acknowledged(course) if row["outcome"] == "ok"]
    by_client = [[row for row in acks if row["client"] == client] for client in range(CLIENTS)]
    times = [[row["completed_us"] for row in rows] for rows in by_client]

    def seen(until_us: float) -> list[int]:
        counts = [bisect_right(moments, until_us) for moments in times]
        return [rows[n - 1]["id"] if n else 0 for rows, n in zip(by_client, counts, strict=True)]

    rows = []
    for t in range(every, int(course.end), every):
        late = 0.0
        if course.fault_at is not None and course.back <= t < course.caught_up:
            late = t - course.back
        for node, behind in (("node2", 0.0), ("node3", lag + late)):
            listed = ", ".join(str(value) for value in seen((t - behind) * 1000))
            rows.append({"t_us": t * 1000, "node": node, "seen": f"[{listed}]"})
    return rows


def _state(t: float, node: str, state: str, epoch: str) -> dict[str, Any]:
    return {"t_us": round(t * 1000), "node": node, "state": state, "epoch": epoch}
