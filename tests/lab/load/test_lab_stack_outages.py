"""Outages of a real server as each client stack has them, in every language."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lab_support import LIMIT, running
from stack_place import GENTLY, Following, Place, stack_place

from fivenines.base.waiting import wait_until
from fivenines.load.stacks.protocol import read

# Without a listener for errors its program ends with the first connection that breaks.
DIES = "node-postgres"


def _gently(kinds: list[str], out: Path) -> tuple[str, ...]:
    """Return the arguments of a run of many stacks that a test ends."""
    return ("run", *kinds, *GENTLY, "--duration", "1h", "--json", "--out", str(out))


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server that keeps what it has acknowledged."""
    with stack_place(request.param, tmp_path_factory.mktemp("stacks")) as made:
        yield made


def covers(item: dict[str, Any], file: Path, begin: int, end: int) -> None:
    """Check that the longest gap of a stack covers an outage, in us of CLOCK_MONOTONIC."""
    with file.open() as lines:
        attempts, _ = read(lines)
    committed = [line for line in attempts if line.outcome == "committed"]
    early = [line for line in committed if begin < line.started_us and line.completed_us < end]
    assert not early, (item["stack"], begin, end, early)
    # An answer that had arrived before may be noted only during the outage.
    noted = [line.completed_us for line in committed if line.completed_us < end]
    assert 1000 * item["longest_gap_ms"] >= end - max(begin, *noted) - 1000, item


# In two halves: so many programs that start at once exceed each other's time-outs for connecting.
@pytest.mark.lasts(30)
@pytest.mark.parametrize("settings", ["", ":recommended"], ids=["defaults", "recommended"])
def test_an_outage_as_each_stack_has_it(place: Place, tmp_path: Path, settings: str) -> None:
    kinds = [f"{name}{settings}" for name in place.kinds if f"{name}{settings}" != DIES]
    following = Following(tmp_path, kinds)
    with place.start(*_gently(kinds, tmp_path)) as process:

        def missing(since: float) -> str:
            assert process.poll() is None, process.communicate()
            return following.missing(since)

        wait_until(lambda: missing(0.0), LIMIT, "stacks write before the outage", 0.2)
        dead, begun = place.restart_after_kill()
        wait_until(lambda: missing(begun), LIMIT, "stacks write again", 0.2)
        back = time.monotonic()
        wait_until(lambda: following.unsampled(back), LIMIT, "samples of the pools", 0.2)
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    found = {item["stack"]: item for item in json.loads(out)}
    assert found.keys() == set(kinds)
    for name, item in found.items():
        assert item["longest_gap_ended"], item
        covers(item, following.file(name), round(dead * 1e6), round(begun * 1e6))
        assert item["lost"] == 0 and not item["problems"] and not item["table_left"], item
        assert item["committed_twice"] == 0, "nothing was repeated"
        assert item["versions"] and item["failed"] + item["in_doubt"] >= 0
        assert item["pool"]["most_waiting"] is not None, item
        # every pool had to connect again
        assert (item["pool"]["connections_opened"] or 0) > 0 or name.startswith(("psql", "pdo-")), item
    assert place.tables() == []


@pytest.mark.parametrize("place", ["postgres-18"], indirect=True)
def test_a_program_that_an_error_event_ends_is_reported(place: Place, tmp_path: Path) -> None:
    following = Following(tmp_path, [DIES])
    with place.start("run", DIES, "--duration", "1h", "--json", "--out", str(tmp_path)) as process:
        wait_until(lambda: following.missing(0.0), LIMIT, "the stack writes", 0.2)
        _, begun = place.restart_after_kill()
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 1, err
    (found,) = json.loads(out)
    assert any("exit code 1: uncaught, as of an event 'error'" in problem for problem in found["problems"])
    assert following.missing(begun) == DIES and found["lost"] == 0 and not found["table_left"]


@pytest.mark.parametrize("place", ["postgres-18"], indirect=True)
def test_a_commit_in_which_the_session_ends_is_in_doubt(place: Place, tmp_path: Path) -> None:
    kinds = [f"{name}:recommended" if name == DIES else name for name in place.kinds]
    following = Following(tmp_path, kinds)
    sql = place.server.sql
    waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    with place.start(*_gently(kinds, tmp_path)) as process:

        def missing(since: float) -> str:
            assert process.poll() is None, process.communicate()
            return following.missing(since)

        wait_until(lambda: missing(0.0), LIMIT, "stacks write", 0.2)
        # The standby that every COMMIT waits for does not exist.
        sql.execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
        try:
            wanted = f"SELECT count(*) >= {4 * (len(kinds) - 1)} {waiting}"
            wait_until(lambda: "" if sql.query(wanted) == [(True,)] else "some", LIMIT, "all wait", 0.1)
            sql.execute(f"SELECT pg_terminate_backend(pid) {waiting}")
        finally:
            sql.execute("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
        begun = time.monotonic()
        wait_until(lambda: missing(begun), LIMIT, "stacks write again", 0.2)
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    for item in json.loads(out):
        assert item["in_doubt"] > 0 and item["lost"] == 0 and not item["problems"], item


# The port of the relay.
RELAY = 15432

# Planted outages: what becomes of connections, and the length in ms.
OUTAGES = [("silent", 50), ("reset", 50), ("refused", 50), ("reset", 500), ("refused", 500), ("silent", 5000)]


def test_no_outage_is_measured_shorter_than_it_was(place: Place, tmp_path: Path) -> None:
    # With bounded waits each stack gives up a silent connection, or waits for its answer.
    kinds = [f"{name}:recommended" for name in place.kinds]
    following = Following(tmp_path, kinds)
    at = f"127.0.0.1:{RELAY}"
    with _relay(place) as relay, place.start(*_gently(kinds, tmp_path), at=at) as process:
        planted: list[tuple[int, int]] = []
        for outage in [*OUTAGES, None]:
            begun = time.monotonic()

            def late(since: float = begun) -> str:
                assert process.poll() is None, process.communicate()
                return following.missing(since)

            wait_until(late, LIMIT, "all workers write", 0.2)
            if outage is not None:
                planted.append(relay(*outage))
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    for item in json.loads(out):
        assert item["lost"] == 0 and not item["problems"], item
        for begin, end in planted:
            covers(item, following.file(item["stack"]), begin, end)


@contextmanager
def _relay(place: Place) -> Iterator[Callable[[str, int], tuple[int, int]]]:
    """Run a relay to the server on its host; yield a function that plants an outage and returns its ends."""
    relay_program = Path(__file__).parents[1] / "support" / "planted_relay.py"
    server = place.server
    command = [sys.executable, str(relay_program), str(RELAY), server.host.address, str(server.port)]
    with subprocess.Popen(
        server.host.commands.outside(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as relay:
        assert relay.stdin is not None and relay.stdout is not None
        orders, answers = relay.stdin, relay.stdout
        assert answers.readline() == "ready\n"

        def plant(kind: str, ms: int) -> tuple[int, int]:
            orders.write(f"{kind} {ms}\n")
            orders.flush()
            answer = json.loads(answers.readline())
            return answer["from_us"], answer["to_us"]

        yield plant
        orders.close()
