"""Client stacks on a real server: checks of their programs, and what planted programs do wrong."""

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest
from lab_support import LIMIT, PATIENCE, program, running
from stack_place import GENTLY, PLANTED, Following, Place, stack_place

from fivenines.base.waiting import wait_until
from fivenines.load.stacks import rows
from fivenines.load.stacks.protocol import Task
from fivenines.load.stacks.stack import stacks


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server that keeps what it has acknowledged."""
    with stack_place(request.param, tmp_path_factory.mktemp("stacks")) as made:
        yield made


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


def test_an_idempotency_key_keeps_a_blind_retry_from_writing_twice(place: Place) -> None:
    blind = place.planted("doubt", options=["--repeat"])
    assert blind["in_doubt"] > 0 and blind["committed_twice"] > 0 == blind["committed_twice_by_driver"]
    keyed = place.planted("doubt", options=["--idempotent"])
    assert keyed["in_doubt"] > 0 and keyed["committed_twice"] == keyed["lost"] == keyed["failed"] == 0


def test_every_program_writes_with_an_idempotency_key(place: Place) -> None:
    seconds = f"{3 * PATIENCE:g}s"
    answer = place.run("run", *place.kinds, "--idempotent", *GENTLY, "--duration", seconds, "--json")
    for one in json.loads(answer.stdout):
        assert one["committed"] > 0 and one["failed"] == one["in_doubt"] == one["committed_twice"] == 0, one


def test_a_table_that_cannot_be_dropped_is_named(place: Place) -> None:
    kind = place.kinds[0]
    with place.start(
        "run", kind, "--duration", "1h", "--json", "--out", str(place.folder / "left")
    ) as process:
        following = Following(place.folder / "left", [kind])
        wait_until(lambda: following.missing(0.0), LIMIT, "the stack writes", 0.2)
        _read_only(place, True)
        try:
            codes = {"25006", "1290"}

            def refused() -> str:
                following.look()
                return "" if codes & following.codes else "none"

            wait_until(refused, LIMIT, "writes are refused", 0.2)
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


@pytest.mark.parametrize("place", ["postgres-18"], indirect=True)
def test_a_table_is_dropped_although_the_standby_is_gone(place: Place) -> None:
    sql = place.server.sql
    left = "fivenines_stack_left"
    rows.create(sql.open_data, Task("left", "postgres", (), "", "", "", left))
    sql.execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
    try:
        wanted = "SELECT count(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting <> ''"
        wait_until(lambda: "" if sql.query(wanted) == [(1,)] else "not yet", LIMIT, "it is in effect", 0.1)
        rows.drop(sql.open_data, "postgres", left)
    finally:
        sql.execute("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
    assert place.tables() == []


def _read_only(place: Place, on: bool) -> None:
    """Let the server refuse writes of the application's account, or not any more."""
    if place.server.driver == "mysql":
        place.server.sql.execute(f"SET GLOBAL read_only = {int(on)}")
        return
    place.server.sql.execute(f"ALTER SYSTEM SET default_transaction_read_only = {'on' if on else 'off'}")
    place.server.sql.execute("SELECT pg_reload_conf()")


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
