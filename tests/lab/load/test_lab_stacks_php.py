"""Client stacks in PHP: their processes, persistent connections, and a request that takes too long."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from lab_support import LIMIT, running
from stack_place import Following, Place, stack_place

from fivenines.base.waiting import wait_until
from fivenines.lab.processes.tree import below
from fivenines.load.stacks.protocol import Task
from fivenines.load.stacks.stack import PhpStack, Stack, stacks
from fivenines.servers.base import DATABASE

KINDS = [kind for kind in stacks().values() if isinstance(kind, PhpStack)]


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11", "mysql-9.7"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server that keeps what it has acknowledged."""
    with stack_place(request.param, tmp_path_factory.mktemp("stacks"), KINDS) as made:
        yield made


def kind_of(place: Place) -> Stack:
    return next(kind for kind in KINDS if kind.driver == place.server.driver)


@contextmanager
def program_of(place: Place, table: str) -> Iterator["subprocess.Popen[str]"]:
    """Run the program itself on the host of the server, without fivenines."""
    kind = kind_of(place)
    password = place.server.passwords.application
    task = Task(
        kind.name, kind.driver, (place.server.endpoint,), "app", password, DATABASE, table, think_ms=10
    )
    with subprocess.Popen(
        place.server.host.commands.outside(kind.command()),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(f"{task.line()}\n")
        process.stdin.flush()
        yield process


def processes_of(program: "subprocess.Popen[str]") -> tuple[psutil.Process, list[psutil.Process]]:
    """Return the main process and the workers, once all of these run."""
    output = program.stdout
    assert output is not None
    wait_until(lambda: "" if '"transaction"' in output.readline() else "none", LIMIT, "it writes", 0)

    def found() -> list[psutil.Process]:
        return [one for one in below(program.pid) if any("main.php" in word for word in one.cmdline())]

    wait_until(lambda: "" if len(found()) == 5 else "some", LIMIT, "all workers run", 0.1)
    main, *workers = found()
    return main, workers


@pytest.fixture
def table(place: Place) -> Iterator[str]:
    """Provide the table of a program that runs by itself."""
    name = "fivenines_stack_php"
    with place.server.sql.open_data() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} (n bigint, attempt integer)")
        connection.commit()
    yield name
    with place.server.sql.open_data() as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {name}")
        connection.commit()


def test_workers_end_with_a_main_process_that_is_killed(place: Place, table: str) -> None:
    with program_of(place, table) as process:
        main, workers = processes_of(process)
        main.kill()
        _, alive = psutil.wait_procs(workers, timeout=LIMIT)
        assert not alive
        process.kill()


def test_a_worker_that_is_killed_ends_the_program(place: Place, table: str) -> None:
    with program_of(place, table) as process:
        _, workers = processes_of(process)
        workers[1].kill()
        assert process.wait(LIMIT) == 1 and process.stderr is not None
        assert process.stderr.read() == "a process was ended by signal 9\n"
        _, alive = psutil.wait_procs(workers, timeout=LIMIT)
        assert not alive


def sessions(place: Place) -> set[Any]:
    """Return the numbers of the application's sessions."""
    queries = {
        "postgres": "SELECT pid FROM pg_stat_activity WHERE usename = 'app'",
        "mysql": "SELECT id FROM information_schema.processlist WHERE user = 'app'",
    }
    return {number for (number,) in place.server.sql.query(queries[place.server.driver])}


@pytest.mark.parametrize("persistent", [True, False])
def test_a_persistent_connection_serves_one_request_after_the_other(
    place: Place, persistent: bool, tmp_path: Path
) -> None:
    kind = kind_of(place).name
    setting = f"{kind}.pool.persistent={str(persistent).lower()}"
    following = Following(tmp_path, [kind])
    with place.start(
        "run", kind, "--set", setting, "--duration", "1h", "--json", "--out", str(tmp_path)
    ) as process:

        def write() -> None:
            since = time.monotonic()
            wait_until(lambda: following.missing(since), LIMIT, "all workers write", 0.1)

        write()
        before = sessions(place)
        write()
        assert len(before & sessions(place)) == (4 if persistent else 0)
        place.restart_after_kill()
        write()
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    (found,) = json.loads(out)
    assert found["lost"] == found["committed_twice"] == 0 and not found["problems"], found


def test_a_request_that_takes_too_long_is_ended_with_its_process(place: Place, tmp_path: Path) -> None:
    kind = kind_of(place).name
    setting = f"{kind}.pool.request_terminate_timeout=4s"
    following = Following(tmp_path, [kind])
    with place.start(
        "run", kind, "--set", setting, "--repeat", "--duration", "1h", "--json", "--out", str(tmp_path)
    ) as process:
        wait_until(lambda: following.missing(0.0), LIMIT, "all workers write", 0.1)
        ((name,),) = place.tables()
        with place.server.sql.open_data() as connection, connection.cursor() as cursor:
            # The lock lasts as long as the session.
            if place.server.driver == "postgres":
                cursor.execute("BEGIN")
                cursor.execute(f"LOCK TABLE {name} IN EXCLUSIVE MODE")
            else:
                cursor.execute(f"LOCK TABLES {name} WRITE")

            def ended() -> str:
                following.look()
                return "" if "request_terminate_timeout" in following.codes else "none"

            wait_until(ended, LIMIT, "a request is ended", 0.1)
        since = time.monotonic()
        wait_until(lambda: following.missing(since), LIMIT, "all workers write again", 0.1)
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    (found,) = json.loads(out)
    assert found["failed"] >= 1 and found["in_doubt"] == found["lost"] == 0 and not found["problems"], found
