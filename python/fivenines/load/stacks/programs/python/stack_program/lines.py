"""The task that the program reads, and the lines that it writes: see fivenines.load.stacks.protocol."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_lock = threading.Lock()

# Attempts that are running, by their worker.
_running: dict[int, "Attempt"] = {}

# Return what the pool counts, once it is open: open, idle and created connections.
_counters: list[Callable[[], dict[str, int]]] = []


def now() -> int:
    """Return microseconds of CLOCK_MONOTONIC."""
    return time.monotonic_ns() // 1000


def write(event: str, **values: Any) -> None:
    """Write a line at once."""
    text = json.dumps({"event": event, **values}) + "\n"
    with _lock:
        sys.stdout.write(text)
        sys.stdout.flush()


@dataclass
class Task:
    """The task; a prefix distinguishes settings of the driver and of the pool."""

    name: str
    driver: str
    servers: list[str]
    user: str
    password: str
    database: str
    table: str
    workers: int
    think_ms: int
    pause_ms: int
    repeat: bool
    suffix: str
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls) -> "Task":
        """Read it from standard input."""
        document = json.loads(sys.stdin.readline())
        return cls(**{name: document[name] for name in cls.__dataclass_fields__})

    def settings(self, prefix: str) -> dict[str, Any]:
        """Return the settings `PREFIX.NAME` by name."""
        return {
            name.removeprefix(f"{prefix}."): value
            for name, value in self.options.items()
            if name.startswith(f"{prefix}.")
        }

    @property
    def hosts(self) -> list[tuple[str, str]]:
        """Return host and port of each server."""
        pairs = [server.rpartition(":") for server in self.servers]
        return [(host.strip("[]"), port) for host, _, port in pairs]

    def require(self, known: tuple[str, ...]) -> None:
        """End the program if a setting has another prefix: it would be ignored."""
        for name in self.options:
            if name.partition(".")[0] not in known:
                sys.exit(f"setting {name}: write {' or '.join(f'{prefix}.NAME' for prefix in known)}")


@dataclass
class Attempt:
    """One attempt of an operation; `stage` is how far it got."""

    n: int
    worker: int
    number: int
    stage: str = "acquire"
    start: int = field(default_factory=now)

    def __post_init__(self) -> None:
        _running[self.worker] = self

    def write(self, error: BaseException | None, code: str, answered: bool) -> bool:
        """Write what came of it; return whether it was committed.

        `answered`: the error is the server's answer, so that nothing was committed.
        """
        del _running[self.worker]
        outcome = "failed"
        if error is None or self.stage == "release":
            outcome, self.stage = "committed", "release"
        elif self.stage == "commit" and not answered:
            outcome = "in_doubt"
        values: dict[str, Any] = {} if error is None else {"code": code, "message": str(error)[:200]}
        write(
            "transaction",
            n=self.n,
            worker=self.worker,
            attempt=self.number,
            start_us=self.start,
            end_us=now(),
            outcome=outcome,
            stage=self.stage,
            **values,
        )
        return outcome == "committed"


# Beginnings of codes with which a server ends a session: what became of its COMMIT is not said. PostgreSQL's
# 57P01 may even follow a commit whose standby has not answered yet. 40003: completion unknown; MySQL's 1053:
# shutdown, 1317: interrupted.
_SESSION_ENDED = ("08", "57P", "40003", "1053", "1317")


def answers(code: str) -> bool:
    """Return whether an error of the server is its answer to the statement, and not the session's end."""
    return not code.startswith(_SESSION_ENDED)


def ready(versions: str, counted: Callable[[], dict[str, int]] = dict) -> None:
    """Write that the pool is open; signs of life have what it counts from now on."""
    _counters.append(counted)
    write("ready", at_us=now(), driver=versions)


def _pool() -> dict[str, int]:
    """Return the counters of the pool, and the number of workers without a connection."""
    waiting = sum(attempt.stage == "acquire" for attempt in list(_running.values()))
    return {"waiting": waiting, **{name: count for counted in _counters for name, count in counted().items()}}


def fail() -> None:
    """End the process as failed; its last error output says why."""
    with _lock:
        os._exit(1)


def live_until_the_end() -> None:
    """Write signs of life until standard input ends, then the last line, and end the process at once.

    Pools are not closed: that may wait for a dead server.
    """

    def alive() -> None:
        while True:
            time.sleep(1.0)
            write("alive", at_us=now(), pool=_pool())

    threading.Thread(target=alive, daemon=True).start()
    sys.stdin.read()
    with _lock:
        sys.stdout.write(json.dumps({"event": "end", "at_us": now()}) + "\n")
        sys.stdout.flush()
        os._exit(0)
