"""A server, and sysbench and ourselves at work on it with the same script."""

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab_prepare import asked
from lab_support import brought_up

from fivenines.core import core_binary
from fivenines.experiment.source import solution_from
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.postgres.server import Postgres

SCRIPTS = Path("/usr/share/sysbench")
EVENTS = 300
VERBS = ("select", "insert", "update", "delete", "begin", "commit", "rollback")


def options_of(own: Sequence[str]) -> dict[str, str]:
    """A script's options as sysbench takes them, as those of a workload."""
    pairs = [word.removeprefix("--").partition("=") for word in own]
    return {name: value if equals else "on" for name, equals, value in pairs}


@dataclass(frozen=True)
class Compared:
    """What the server did for a script's `prepare` and for its events: sysbench's, then ours."""

    prepared: tuple[Counter[str], Counter[str]]
    ran: tuple[Counter[str], Counter[str]]


@dataclass
class Place:
    """A server, and the host from which both programs talk to it."""

    node: Server
    client: Host

    @property
    def engine(self) -> str:
        return "postgres" if isinstance(self.node, Postgres) else "mysql"

    def _run(self, command: list[str], folder: Path | None = None) -> str:
        _, password = self.node.application
        done = subprocess.run(
            self.client.outside(command),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            env={**os.environ, "PASSWORD": password},
            cwd=folder,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout or done.stderr

    def sysbench(self, script: str, *arguments: str, folder: Path | None = None) -> str:
        """Run sysbench to its end, in a folder."""
        driver = {"postgres": "pgsql", "mysql": "mysql"}[self.engine]
        user, password = self.node.application
        account = {
            "host": self.node.host.address,
            "port": self.node.port,
            "user": user,
            "password": password,
            "db": self.node.database,
        }
        flags = [f"--{driver}-{name}={value}" for name, value in account.items()]
        command = ["sysbench", script, f"--db-driver={driver}", *flags, *arguments]
        return self._run(command, folder)

    def _core(self, command: str) -> list[str]:
        user, _ = self.node.application
        return [
            str(core_binary()),
            command,
            f"--driver={self.engine}",
            f"--user={user}",
            "--password-env=PASSWORD",
            f"--database={self.node.database}",
        ]

    def prepare(self, script: str | Path, threads: int, *own: str, folder: Path | None = None) -> str:
        """Run a script's `prepare` by ourselves; what it told."""
        command = [*self._core("prepare"), f"--host={self.node.host.address}"]
        command += [f"--port={self.node.port}"]
        command += [f"--threads={threads}"]
        file = script if isinstance(script, Path) else SCRIPTS / f"{script}.lua"
        described = asked("script", files=[f"{file}"], options=options_of(own))
        return self._run([*command, *described], folder)

    def run(self, script: list[str], out: Path, *more: str, folder: Path | None = None) -> str:
        """Run scripts by ourselves; what they printed, to standard error."""
        command = [*self._core("load"), f"--write={self.node.endpoint}", "--duration=60s"]
        # sysbench does not ask a server for its role, so we do not here
        command += ["--find=any", f"--out={out}", *script]
        return self._run([*command, *more], folder)

    def load(self, script: list[str], out: Path, threads: int, *more: str) -> dict[str, int]:
        """Run scripts by ourselves; the summary's counts of statements."""
        self.run(script, out, f"--connections={threads}", *more)
        summary = json.loads((out / "load.json").read_text())
        assert summary["errors"] == [] and summary["transactions"]["failed"] == 0
        return dict(summary["statements"])

    def wipe(self) -> None:
        """Drop all tables of the scripts' database."""
        database = self.node.database
        if isinstance(self.node, Postgres):
            with self.node.connect(database=database) as connection:
                named = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
                for (name,) in connection.execute(named).fetchall():
                    connection.execute(f'DROP TABLE "{name}" CASCADE')
            return
        named = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{database}'"
        for (name,) in self.node.query(named):
            self.node.execute(f"USE {database}", "SET FOREIGN_KEY_CHECKS = 0", f"DROP TABLE `{name}`")

    def compare(self, script: Path, out: Path, *own: str, events: int, prepares: bool) -> Compared:
        """Let both programs run a script in its folder; each begins with tables of its own."""
        prepared, ran = [], []
        for ours in (False, True):
            self.wipe()
            with self.counted() as making:
                if prepares and ours:
                    self.prepare(script, 1, *own, folder=script.parent)
                elif prepares:
                    self.sysbench(f"./{script.name}", *own, "prepare", folder=script.parent)
            with self.counted() as running:
                if ours:
                    mine = asked("script", files=[f"{script}"], options=options_of(own))
                    counts = [f"--transactions={events}", "--connections=1"]
                    self.run(mine, out, *counts, folder=script.parent)
                else:
                    counts = [f"--events={events}", "--time=0", "--threads=1"]
                    self.sysbench(f"./{script.name}", *own, *counts, "run", folder=script.parent)
            prepared.append(making)
            ran.append(running)
        self.wipe()
        return Compared((prepared[0], prepared[1]), (ran[0], ran[1]))

    @contextlib.contextmanager
    def counted(self) -> Iterator[Counter[str]]:
        """What the server says it did inside, by kind of statement."""
        found: Counter[str] = Counter()
        before = self._counters()
        yield found
        after = self._counters()
        after.subtract(before)
        found.update({name: count for name, count in after.items() if count})

    def _counters(self) -> Counter[str]:
        if isinstance(self.node, Postgres):
            return self._logged()
        rows = self.node.query("SHOW GLOBAL STATUS WHERE variable_name LIKE 'Com\\_%'")
        wanted = {f"Com_{name}" for name in (*VERBS, "stmt_execute")}
        return Counter({str(name): int(str(n)) for name, n in rows if str(name) in wanted})

    def _logged(self) -> Counter[str]:
        """PostgreSQL has no such counters, but it logs statements with their way of execution."""
        entries = re.findall(
            r"LOG:  (statement|execute)(?: \S+)?: *\s*(\w+)", self.node.log.read_text(errors="replace")
        )
        return Counter(f"{way} {verb.lower()}" for way, verb in entries if verb.lower() in VERBS)


@contextlib.contextmanager
def standalone(engine: str, folder: Path) -> Iterator[Place]:
    """A server alone, with nothing of the scripts' tables in it.

    Raises:
        AssertionError: sysbench is not installed.
    """
    assert shutil.which("sysbench"), "sysbench is not installed: `make tools` installs it"
    with alone(engine, folder) as place:
        log_statements(place)
        place.sysbench("oltp_read_only", "--tables=2", "cleanup")
        yield place


@contextlib.contextmanager
def alone(engine: str, folder: Path) -> Iterator[Place]:
    """A server alone, with the small data set of the lab tests."""
    solution = {"solution": "standalone", "engine": engine, "durability": "relaxed"}
    with brought_up(folder, solution_from(solution, "test")) as deployed:
        assert deployed.client is not None
        (node,) = deployed.solution.nodes
        yield Place(node, deployed.client)


def log_statements(place: Place) -> None:
    """Have PostgreSQL log the statements of the application, which it does not count by kind."""
    if isinstance(place.node, Postgres):
        place.node.execute("ALTER ROLE app SET log_statement = 'all'")
