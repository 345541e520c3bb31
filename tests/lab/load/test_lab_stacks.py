"""Client stacks on real servers: what an outage is to them, and what planted programs do wrong."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lab_support import LIMIT, ended, program, running, start_on

from fivenines.base.waiting import wait_until
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.load.stacks.protocol import attempts
from fivenines.load.stacks.stack import stacks
from fivenines.servers.base import DATABASE
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine

PLANTED = f"planted={sys.executable} {Path(__file__).parents[1] / 'support' / 'planted_stack.py'}"


@dataclass
class Place:
    """Provide a running server, and programs on its host."""

    server: LocalServer
    folder: Path

    def dsn(self, at: str = "") -> str:
        """Return the DSN of the server; `at`: of another address that leads to it."""
        scheme = "mysql" if self.server.driver == "mysql" else "postgresql"
        return f"{scheme}://app:{self.server.passwords.application}@{at or self.server.endpoint}/{DATABASE}"

    @property
    def kinds(self) -> list[str]:
        """Return the stacks that speak to this server."""
        return [name for name, kind in stacks().items() if kind.driver == self.server.driver]

    def start(self, *arguments: str, at: str = "") -> subprocess.Popen[str]:
        """Start `fivenines stacks`."""
        return start_on(self.server, self.folder, "stacks", *arguments, "--dsn", self.dsn(at))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `fivenines stacks` to completion."""
        return ended(self.start(*arguments))

    def planted(self, *defects: str, seconds: int = 6) -> dict[str, Any]:
        """Run the planted program; return its result."""
        plants = [word for defect in defects for word in ("--set", f"planted.plant.{defect}=true")]
        answer = self.run(
            "run", "--program", PLANTED, *plants, "--duration", f"{seconds}s", "--think", "20ms", "--json"
        )
        (found,) = json.loads(answer.stdout)
        assert found["committed"] > 20 and not found["table_left"], found
        return dict(found)

    def tables(self) -> list[tuple[Any, ...]]:
        """Return the tables of stacks that are left."""
        with self.server.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'fivenines_stack%'"
            )
            return list(cursor.fetchall())


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server that keeps what it has acknowledged."""
    software = engine(request.param)
    software.require(lambda message, fraction: None)
    # Programs on the host have no way to the registries.
    for kind in stacks().values():
        kind.runtime.require(lambda message, fraction: None)
    folder = tmp_path_factory.mktemp("stacks")
    with NamespaceLab(folder / "lab") as lab:
        own = server(lab.add_host("node1", software.root()), software)
        own.setup.initialise()
        own.setup.configure({})
        own.start()
        own.wait_ready()
        yield Place(own, folder)
        own.stop()


def test_an_outage_as_each_stack_has_it(place: Place, tmp_path: Path) -> None:
    kinds = [word for name in place.kinds for word in (name, f"{name}:recommended")]
    with place.start("run", *kinds, "--duration", "1h", "--json", "--out", str(tmp_path)) as process:
        files = {name: tmp_path / f"{name.replace(':', '-')}.jsonl" for name in kinds}

        def away(since: float) -> str:
            """Return the stacks of which a worker has not committed since a moment."""
            assert process.poll() is None, process.communicate()
            return ", ".join(name for name, file in files.items() if len(_workers(file, since)) < 4)

        wait_until(lambda: away(0.0), LIMIT, "stacks write before the outage", 0.2)
        victim = place.server.process
        assert victim is not None and victim.gone(victim.kill())
        dead = time.monotonic()
        time.sleep(1.0)
        begun = time.monotonic()
        place.server.start()
        place.server.wait_ready()
        wait_until(lambda: away(begun), LIMIT, "stacks write again", 0.2)
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    found = {item["stack"]: item for item in json.loads(out)}
    assert found.keys() == set(kinds)
    for name, item in found.items():
        assert item["longest_gap_ended"] and item["longest_gap_ms"] >= 1000 * (begun - dead), name
        assert item["lost"] == 0 and not item["problems"] and not item["table_left"], item
        assert item["committed_twice"] == 0, "nothing was repeated"
        assert item["versions"] and item["failed"] + item["in_doubt"] >= 0
    assert place.tables() == []


# The port of the relay.
RELAY = 15432

# Planted outages: what becomes of connections, and the length in ms.
OUTAGES = [("silent", 50), ("reset", 50), ("refused", 50), ("reset", 500), ("refused", 500), ("silent", 5000)]


def test_no_outage_is_measured_shorter_than_it_was(place: Place, tmp_path: Path) -> None:
    # With bounded waits each stack gives up a silent connection, or waits for its answer.
    kinds = [f"{name}:recommended" for name in place.kinds]
    files = {name: tmp_path / f"{name.replace(':', '-')}.jsonl" for name in kinds}
    with _relay(place) as relay:
        arguments = ("run", *kinds, "--think", "10ms", "--duration", "1h", "--json", "--out", str(tmp_path))
        with place.start(*arguments, at=f"127.0.0.1:{RELAY}") as process:
            planted: list[tuple[int, int]] = []
            for outage in [*OUTAGES, None]:
                begun = time.monotonic()

                def late(since: float = begun) -> str:
                    assert process.poll() is None, process.communicate()
                    return ", ".join(name for name, file in files.items() if len(_workers(file, since)) < 4)

                wait_until(late, LIMIT, "all workers write", 0.2)
                if outage is not None:
                    planted.append(relay(*outage))
            running(process, "stacks").send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    for item in json.loads(out):
        assert item["lost"] == 0 and not item["problems"], item
        with files[item["stack"]].open() as lines:
            committed = [line for line in attempts(lines) if line.outcome == "committed"]
        for begin, end in planted:
            early = [line for line in committed if begin < line.started_us and line.completed_us < end]
            assert not early, (item["stack"], begin, end, early)
            # An answer that had arrived before may be noted only during the outage.
            noted = [line.completed_us for line in committed if line.completed_us < end]
            assert 1000 * item["longest_gap_ms"] >= end - max(begin, *noted) - 1, item


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


def _workers(file: Path, since: float) -> set[int]:
    """Return the workers that began and committed a transaction after a moment."""
    if not file.exists():
        return set()
    with file.open() as lines:
        found = [line for line in attempts(lines) if line.outcome == "committed"]
    return {line.worker for line in found if line.started_us >= since * 1e6}


def test_a_program_of_ones_own_is_checked(place: Place) -> None:
    answer = place.run("check", PLANTED.partition("=")[2])
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "the program writes the line protocol" in answer.stdout and "planted" in answer.stdout


def test_a_worker_that_hangs_is_named(place: Place) -> None:
    found = place.planted("hang")
    assert found["workers"] == 4 and found["workers_back"] < 4 and not found["problems"]
    assert max(found["worker_gaps_ms"]) == found["worker_gaps_ms"][1] > found["longest_gap_ms"]


def test_a_program_without_signs_of_life_fails(place: Place) -> None:
    found = place.planted("silent", seconds=7)
    assert any("no sign of life" in problem for problem in found["problems"])


def test_operations_committed_twice_and_lost_are_counted(place: Place) -> None:
    twice = place.planted("twice")
    assert twice["committed_twice"] == twice["committed_twice_by_driver"] > 0 and twice["lost"] == 0
    lost = place.planted("lost")
    assert lost["lost"] > 0 and lost["committed_twice"] == 0
    sound = place.planted()
    assert sound["lost"] == sound["committed_twice"] == 0


def test_a_table_that_cannot_be_dropped_is_named(place: Place) -> None:
    kind = place.kinds[0]
    with place.start(
        "run", kind, "--duration", "1h", "--json", "--out", str(place.folder / "left")
    ) as process:
        file = place.folder / "left" / f"{kind}.jsonl"
        wait_until(lambda: "" if _workers(file, 0.0) else "nothing yet", LIMIT, "the stack writes", 0.2)
        _read_only(place, True)
        try:
            codes = {"25006", "1290"}
            wait_until(lambda: "" if codes & _codes(file) else "none", LIMIT, "writes are refused", 0.2)
            running(process, "stacks").send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=LIMIT)
        finally:
            _read_only(place, False)
    (found,) = json.loads(out)
    ((table,),) = place.tables()
    assert f"its table {table} could not be dropped" in found["table_left"]
    assert found["lost"] == found["committed_twice"] == 0, "its rows were read"
    assert not found["longest_gap_ended"] or found["failed"] > 0
    with place.server.sql.open_data() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {table}")
        connection.commit()


def _read_only(place: Place, on: bool) -> None:
    """Let the server refuse writes of the application's account, or not any more."""
    if place.server.driver == "mysql":
        place.server.sql.execute(f"SET GLOBAL read_only = {int(on)}")
        return
    place.server.sql.execute(f"ALTER SYSTEM SET default_transaction_read_only = {'on' if on else 'off'}")
    place.server.sql.execute("SELECT pg_reload_conf()")


def _codes(file: Path) -> set[str]:
    with file.open() as lines:
        return {line.code for line in attempts(lines)}


def test_every_program_starts() -> None:
    answer = subprocess.run(
        program("stacks", "doctor", "--json"), capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    found = {item["name"]: item for item in json.loads(answer.stdout)}
    assert found.keys() == stacks().keys()
    assert all(item["built"] and item["ms"] > 0 and not item["problem"] for item in found.values()), found


def test_a_program_that_breaks_the_protocol_fails(place: Place) -> None:
    ended = place.run("run", "--program", "mine=true", "--duration", "2s")
    assert ended.returncode == 1 and "error: stack mine ended with exit code 0" in ended.stderr
    wrong = place.run("check", "sh -c 'echo hello; cat > /dev/null'")
    assert wrong.returncode == 1 and "stack program: line 1: not JSON" in wrong.stderr
    assert place.tables() == []


def test_bad_input_is_refused_before_anything_runs(place: Place) -> None:
    other = next(kind for kind in stacks().values() if kind.driver != place.server.driver)
    for arguments, message in (
        (["psycopg-pol"], "stack psycopg-pol: unknown; did you mean"),
        ([f"{place.kinds[0]}:best"], "settings 'best' must be one of defaults, recommended"),
        ([other.name], f"stack {other.name} speaks to"),
        ([], "name a stack"),
        ([place.kinds[0], place.kinds[0]], "is named twice"),
        ([place.kinds[0], "--set", "nobody.pool.x=1"], "no such stack is run"),
        (["--program", "a b=true"], "write NAME=COMMAND"),
    ):
        answer = place.run("run", *arguments)
        assert answer.returncode == 2 and message in answer.stderr, answer.stderr
    assert place.tables() == []
