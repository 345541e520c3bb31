"""Client stacks in Go, Java and Node.js on real servers; their programs built with a Debian root's tools."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_support import LIMIT, ended, running, start_on

from fivenines.base.waiting import wait_until
from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.load.stacks.protocol import Task, transactions
from fivenines.load.stacks.runtimes import go, java, node
from fivenines.load.stacks.runtimes.base import Runtime
from fivenines.load.stacks.stack import PythonStack, stacks
from fivenines.servers.base import DATABASE
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine

# Without a listener for errors its program ends with the first connection that breaks.
DIES = "node-postgres"


@dataclass
class Place:
    """Provide a running server, and `fivenines stacks` on its host."""

    server: LocalServer
    folder: Path

    @property
    def kinds(self) -> list[str]:
        """Return the stacks of the other languages that speak to this server."""
        return [
            name
            for name, kind in stacks().items()
            if kind.driver == self.server.driver and not isinstance(kind, PythonStack)
        ]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `fivenines stacks run`."""
        scheme = "mysql" if self.server.driver == "mysql" else "postgresql"
        at = f"{self.server.host.address}:{self.server.port}"
        dsn = f"{scheme}://app:{self.server.passwords.application}@{at}/{DATABASE}"
        return start_on(self.server, self.folder, "stacks", "run", *arguments, "--dsn", dsn)

    def restart_after_kill(self) -> tuple[float, float]:
        """Kill the server and start it again; return the moments of both."""
        victim = self.server.process
        assert victim is not None and victim.gone(victim.kill())
        dead = time.monotonic()
        time.sleep(1.0)
        begun = time.monotonic()
        self.server.start()
        self.server.wait_ready()
        return dead, begun

    def tables(self) -> int:
        """Return the number of tables of stacks that are left."""
        with self.server.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'fivenines_stack%'"
            )
            return int(cursor.fetchall()[0][0])


@pytest.fixture(scope="module", params=["postgres-18", "mariadb-10.11"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Provide a server that keeps what it has acknowledged."""
    software = engine(request.param)
    software.require(lambda message, fraction: None)
    folder = tmp_path_factory.mktemp("languages")
    with NamespaceLab(folder / "lab") as lab:
        own = server(lab.add_host("node1", software.root()), software)
        own.setup.initialise()
        own.setup.configure({})
        own.start()
        own.wait_ready()
        yield Place(own, folder)
        own.stop()


def workers(file: Path, since: float) -> set[int]:
    """Return the workers that began and committed a transaction after a moment."""
    if not file.exists():
        return set()
    with file.open() as lines:
        found = [line for line in transactions(lines) if line.outcome == "committed"]
    return {line.worker for line in found if line.start_us >= since * 1e6}


@pytest.mark.lasts(60)
def test_all_workers_come_back_after_an_outage(place: Place, tmp_path: Path) -> None:
    names = [word for name in place.kinds for word in (name, f"{name}:recommended") if word != DIES]
    with place.start(*names, "--duration", "1h", "--json", "--out", str(tmp_path)) as process:
        files = {name: tmp_path / f"{name.replace(':', '-')}.jsonl" for name in names}

        def away(since: float) -> str:
            assert process.poll() is None, process.communicate()
            return ", ".join(name for name, file in files.items() if len(workers(file, since)) < 4)

        wait_until(lambda: away(0.0), LIMIT, "stacks write before the outage", 0.2)
        dead, begun = place.restart_after_kill()
        wait_until(lambda: away(begun), LIMIT, "stacks write again", 0.2)
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    found = {item["stack"]: item for item in json.loads(out)}
    assert found.keys() == set(names)
    for name, item in found.items():
        assert not item["problems"] and not item["table_left"], item
        assert item["longest_gap_ended"] and item["longest_gap_ms"] >= 1000 * (begun - dead), name
        assert item["lost"] == 0 and item["committed_twice"] == 0, item
        assert any(word in item["versions"] for word in ("go1.", "Java ", "Node.js ")), name
    assert place.tables() == 0


def test_a_program_that_an_error_event_ends_is_reported(place: Place, tmp_path: Path) -> None:
    if DIES not in place.kinds:
        pytest.skip("the driver of this server has its own listeners")
    with place.start(DIES, "--duration", "1h", "--json", "--out", str(tmp_path)) as process:
        file = tmp_path / f"{DIES}.jsonl"
        wait_until(lambda: "" if len(workers(file, 0.0)) == 4 else "not all", LIMIT, "the stack writes", 0.2)
        _, begun = place.restart_after_kill()
        running(process, "stacks").send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 1, err
    (found,) = json.loads(out)
    assert any("exit code 1: uncaught, as of an event 'error'" in problem for problem in found["problems"])
    assert workers(file, begun) == set() and found["lost"] == 0 and not found["table_left"]


def test_a_setting_that_would_be_ignored_ends_the_program(place: Place) -> None:
    for kind in place.kinds:
        for setting in ("connect.nonsense", "pool.nonsense", "nonsense"):
            answer = ended(place.start(kind, "--set", f"{kind}.{setting}=1", "--duration", "1s"))
            assert answer.returncode == 1 and f"stack {kind} ended with exit code 1: " in answer.stderr
            assert "nonsense" in answer.stderr and place.server.passwords.application not in answer.stderr
    assert place.tables() == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "machines", "runtime", "kind"),
    [
        (go, "machines_go", go.GoRuntime, "pgx-pool"),
        (java, "machines_java", java.JavaRuntime, "hikari-pgjdbc"),
        (node, "machines_npm", node.NodeRuntime, "node-postgres"),
    ],
    ids=["go", "java", "node"],
)
def test_a_machine_without_tools_builds_with_those_of_a_debian_root(
    module: object,
    machines: str,
    runtime: type[Runtime],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, machines, lambda: "")
    monkeypatch.setenv("FIVENINES_CACHE", str(tmp_path / "cache"))
    built = runtime()
    built.pull(lambda message, fraction: None)
    assert built.status().installed
    assert [path.name for path in built.folder.iterdir() if path.name.startswith("build-")] == []
    # No network, no environment, and another account where that can be had.
    prefix = ["unshare", "--user", "--net", "--", "env", "--ignore-environment"]
    if os.geteuid() == 0:
        for folder in (tmp_path, *tmp_path.parents):
            if folder.owner() == "root" and folder != Path("/"):
                folder.chmod(folder.stat().st_mode | 0o011)
        (tmp_path / "cache").chmod(0o755)
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", *prefix]
    task = Task(kind, "postgres", ("127.0.0.1:1",), "app", "secret", "shop", "t")
    with subprocess.Popen(
        [*prefix, *built.command(kind)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/"
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(f"{task.line()}\n")
        process.stdin.flush()
        assert process.wait(LIMIT) == 1
        last = process.stderr.read().strip().splitlines()[-1]
    assert any(word in last for word in ("unreachable", "ENETUNREACH", "connection attempt failed")), last
