"""A running deployment from outside: drivers of this machine connect, and a load reports the cost of a
fault.
"""

import json
import os
import re
import socket
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
from lab_cache import with_our
from lab_leftovers import RunTraces
from lab_support import LIMIT, fivenines, program

# An outage that a busy processor does not explain.
CALM = ("--set", "manager.interval=500ms", "--set", "manager.misses=3", "--set", "manager.timeout=3s")

FAST = ("--set", "manager.interval=200ms", "--set", "manager.misses=2", "--set", "manager.timeout=3s")


@pytest.fixture(autouse=True)
def _separate_deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIVENINES_CACHE", str(with_our(tmp_path, "engines", "data")))


def status(cwd: Path) -> dict[str, Any]:
    """Return the status of the running deployment."""
    answer = fivenines("status", "--json", cwd=cwd)
    assert answer.returncode == 0, answer.stderr
    document: dict[str, Any] = json.loads(answer.stdout)
    return document


def port_of(status: dict[str, Any], name: str) -> int:
    """Return the port on this machine of a node or a part of the access layer."""
    (here,) = [way["here"] for way in status["ways"] if way["name"] == name]
    host, _, port = here.rpartition(":")
    assert host == "127.0.0.1"
    return int(port)


def until(what: str, attempt: Callable[[], bool], timeout: float = 60.0) -> None:
    """Poll until an attempt succeeds; exceptions count as failures."""
    deadline, last = time.monotonic() + timeout, ""
    while time.monotonic() < deadline:
        try:
            if attempt():
                return
        except (OSError, psycopg.Error, pymysql.Error) as error:
            last = str(error)
        time.sleep(0.1)
    raise AssertionError(f"{what}: {last}")


def refused(port: int) -> bool:
    """Return whether a connection is refused, as by a machine without a listener."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def lets_in(dsn: str) -> bool:
    """Return whether a server answers a client."""
    with psycopg.connect(dsn, connect_timeout=10) as client:
        return client.execute("SELECT 1").fetchone() == (1,)


def broken_off_in_a_transaction(dsn: str) -> None:
    """Lock a row by a client that then drops its connection, as a killed program does."""
    client = psycopg.connect(dsn, connect_timeout=10)
    client.execute("UPDATE mine SET pad = pad WHERE id = 1")
    with socket.socket(fileno=os.dup(client.fileno())) as same:
        same.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), client.fileno())


def outage(output: str) -> float:
    """Return the longest write gap that clients saw, in seconds; on a busy machine it may be ordinary."""
    (line,) = [line for line in output.splitlines() if line.startswith("clients: ")]
    match = re.search(r"(?:writes unavailable for|between two writes was) ([0-9.]+) s", line)
    assert match is not None, output
    return float(match[1])


def none_lost(output: str, node: str) -> bool:
    """Return whether all acknowledged rows were found on a node."""
    return re.search(rf"^rows: none of [0-9,]+ acknowledged rows is lost on {node}", output, re.M) is not None


@pytest.mark.long
def test_postgresql_from_outside_and_under_a_load(tmp_path: Path) -> None:
    made = RunTraces()
    nothing = fivenines("bench", "--duration", "1s", cwd=tmp_path)
    assert nothing.returncode == 2 and "`fivenines up SOLUTION`" in nothing.stderr
    up = fivenines(
        "up", "hot-standby", "--set", "synchronous_commit=remote_apply", *CALM, "--load", "20", cwd=tmp_path
    )
    try:
        assert up.returncode == 0, up.stderr
        state = status(tmp_path)
        dsn, first = state["login"]["dsn"], port_of(state, "node1")
        assert dsn in up.stdout and f'psql "{dsn}"' in up.stdout
        listening = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True, check=True)
        ours = [line.split()[3] for line in listening.stdout.splitlines() if f":{first} " in line]
        assert ours == [f"127.0.0.1:{first}"], "on no other address"
        with psycopg.connect(dsn, connect_timeout=10) as mine:
            mine.execute("CREATE TABLE mine (id int PRIMARY KEY, pad text)")
            mine.execute("INSERT INTO mine SELECT n, repeat('x', 1000) FROM generate_series(1, 3000) n")
        broken_off_in_a_transaction(dsn)
        with psycopg.connect(dsn, connect_timeout=10) as mine:
            # The row is unlocked as soon as the server knows that its client has disconnected.
            mine.execute("SET lock_timeout = '20s'; UPDATE mine SET pad = pad WHERE id = 1")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(dsn.replace(state["login"]["password"], "0" * 32), connect_timeout=10)
        until("the load runs", lambda: (status(tmp_path)["load"]["tps"] or 0) > 10)

        # The load must know ordinary gaps before the fault.
        time.sleep(2)
        broken = fivenines("inject", "kill", "--for", "3s", cwd=tmp_path, timeout=LIMIT)
        assert broken.returncode == 0, broken.stdout + broken.stderr
        assert outage(broken.stdout) > 1 and none_lost(broken.stdout, "node2"), broken.stdout

        second = port_of(state, "node2")
        killed = fivenines("kill", "node2", cwd=tmp_path, timeout=LIMIT)
        assert outage(killed.stdout) > 1 and none_lost(killed.stdout, "node1"), killed.stdout
        until("the port of a dead server refuses", lambda: refused(second))
        # libpq continues with the next host only if the connection is refused.
        with psycopg.connect(dsn, connect_timeout=10) as mine:
            assert mine.execute("SELECT count(*), sum(length(pad)) FROM mine").fetchone() == (3000, 3_000_000)
            mine.execute("INSERT INTO mine VALUES (0, '')")
        back = fivenines("restart", "node2", cwd=tmp_path, timeout=LIMIT)
        assert back.returncode == 0 and "clients: " in back.stdout, back.stdout + back.stderr
        until("the port of a server that is back is open", lambda: not refused(second))
        login = dsn.partition("@")[0] + f"@127.0.0.1:{second}/sbtest"
        until("the server that is back serves", lambda: lets_in(login))
        bench = fivenines("bench", "--connections", "2", "--duration", "1s", "--json", cwd=tmp_path)
        assert bench.returncode == 0, bench.stderr
        assert json.loads(bench.stdout)["load"]["transactions"]["ok"] > 0
    finally:
        down = fivenines("down", cwd=tmp_path)
    assert down.returncode == 0, down.stderr
    assert refused(first) and made.left() == []


def test_mariadb_behind_a_proxy_from_outside(tmp_path: Path) -> None:
    up = fivenines(
        "up",
        "replication",
        "--engine",
        "mariadb-10.11",
        "--set",
        "mode=after_sync",
        *FAST,
        "--set",
        "replicas=1",
        "--set",
        "access=haproxy",
        "--set",
        "access.interval=300ms",
        cwd=tmp_path,
    )
    try:
        assert up.returncode == 0, up.stderr
        state = status(tmp_path)
        login, port = state["login"], port_of(state, "writes")
        assert login["dsn"].endswith(f"@127.0.0.1:{port}/sbtest")
        assert login["command"].startswith(f"mariadb -h127.0.0.1 -P{port} ")

        def run(statement: str) -> Any:
            with (
                pymysql.connect(
                    host="127.0.0.1",
                    port=port,
                    user=login["user"],
                    password=login["password"],
                    database=login["database"],
                    autocommit=True,
                    connect_timeout=5,
                    read_timeout=5,
                    write_timeout=5,
                ) as connection,
                connection.cursor() as cursor,
            ):
                cursor.execute(statement)
                return cursor.fetchall()

        run("CREATE TABLE mine (id INT PRIMARY KEY)")
        run("INSERT INTO mine VALUES (1)")
        assert run("SELECT @@hostname") == (("node1",),)
        killed = fivenines("kill", "node1", cwd=tmp_path)
        assert killed.returncode == 0 and "clients" not in killed.stdout, "there is no load"
        until("the same port leads to the new primary", lambda: _written(run))
        assert run("SELECT @@hostname") == (("node2",),)
        assert run("SELECT id FROM mine") == ((1,), (2,))
        _watched(tmp_path)
    finally:
        down = fivenines("down", cwd=tmp_path)
    assert down.returncode == 0, down.stderr


def _written(run: Callable[[str], Any]) -> bool:
    run("INSERT IGNORE INTO mine VALUES (2)")
    return True


def _watched(cwd: Path) -> None:
    """Check that `status --watch` prints a line per second and ends cleanly on Ctrl-C."""
    with subprocess.Popen(
        program("status", "--watch"), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None and watching.stderr is not None
        assert "node2 primary" in watching.stdout.readline()
        watching.send_signal(2)
        assert (watching.wait(LIMIT), watching.stderr.read()) == (0, "")


def test_an_occupied_port_is_reported_and_nothing_is_left(tmp_path: Path) -> None:
    made = RunTraces()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        up = fivenines("up", "standalone", "--port", str(port), cwd=tmp_path)
    assert up.returncode == 2 and f"cannot listen at 127.0.0.1:{port}" in up.stderr, up.stderr
    assert fivenines("status", cwd=tmp_path).returncode == 2
    assert made.left() == []
