"""Run the same script by sysbench and by fivenines against a server, and compare their work."""

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

from lab_prepare import workload_flags
from lab_support import LIMIT, deployed_small

from fivenines.base.core import core_binary
from fivenines.experiment.source import solution_from
from fivenines.lab.host import Host
from fivenines.servers.base import Server
from fivenines.servers.postgres.server import Postgres

SCRIPTS = Path("/usr/share/sysbench")
EVENTS = 300
VERBS = ("select", "insert", "update", "delete", "begin", "commit", "rollback")


def options_of(own: Sequence[str]) -> dict[str, str]:
    """Translate a script's sysbench options to those of a workload."""
    pairs = [word.removeprefix("--").partition("=") for word in own]
    return {name: value if equals else "on" for name, equals, value in pairs}


@dataclass(frozen=True)
class Reported:
    """Record what a program reports about a script's events.

    Attributes:
        codes: errors of the server, by their numbers; sysbench names only that which ends it.
        errors: how many events failed; sysbench counts ignored ones.
        seconds: how long the events took together.
    """

    codes: frozenset[str]
    errors: int
    seconds: float


@dataclass(frozen=True)
class Compared:
    """Record the server's work for a script by sysbench and by fivenines."""

    prepared: tuple[Counter[str], Counter[str]]
    ran: tuple[Counter[str], Counter[str]]
    reported: tuple[Reported, Reported]

    @property
    def ended_by_error(self) -> bool:
        """Return whether an error ended sysbench, so that it ran fewer events than fivenines."""
        return bool(self.reported[0].codes)


def of_sysbench(output: str) -> Reported:
    """Parse errors and time from sysbench's output."""
    codes = frozenset(re.findall(r"errno = (\d+)|SQL state: (\w{5})", output))
    ignored = re.search(r"ignored errors:\s+(\d+)", output)
    total = re.search(r"total time:\s+([\d.]+)s", output)
    return Reported(
        frozenset(code or other for code, other in codes),
        int(ignored[1]) if ignored else 0,
        float(total[1]) if total else 0.0,
    )


def of_load(folder: Path) -> Reported:
    """Read errors and time from load.json."""
    load = json.loads((folder / "load.json").read_text())
    codes = frozenset(str(error["code"]) for error in load["errors"])
    return Reported(codes, int(load["transactions"]["failed"]), float(load["total_s"]))


@dataclass
class Place:
    """Provide a server, and the host from which both programs connect to it."""

    node: Server
    client: Host

    @property
    def engine(self) -> str:
        return "postgres" if isinstance(self.node, Postgres) else "mysql"

    def _run(self, command: list[str], folder: Path | None = None) -> str:
        _, password = self.node.application
        done = subprocess.run(
            self.client.commands.outside(command),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            env={**os.environ, "PASSWORD": password},
            cwd=folder,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout or done.stderr

    def sysbench(self, script: str, *arguments: str, folder: Path | None = None) -> str:
        """Run sysbench to completion in a folder."""
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

    def prepare(
        self,
        script: str | Path,
        threads: int,
        *own: str,
        folder: Path | None = None,
        command_of_script: str = "prepare",
    ) -> str:
        """Run a script's `prepare`, or another command, by fivenines and return its events."""
        command = [*self._core("prepare"), f"--host={self.node.host.address}"]
        command += [f"--port={self.node.port}"]
        command += [f"--threads={threads}", f"--command={command_of_script}"]
        file = script if isinstance(script, Path) else SCRIPTS / f"{script}.lua"
        described = workload_flags("script", files=[f"{file}"], options=options_of(own))
        return self._run([*command, *described], folder)

    def run(self, script: list[str], out: Path, *more: str, folder: Path | None = None) -> str:
        """Run scripts by fivenines and return what they printed to standard error."""
        command = [*self._core("load"), f"--write={self.node.endpoint}", "--duration=60s"]
        # sysbench does not query a server's role, so fivenines must not either.
        command += ["--find=any", f"--out={out}", *script]
        return self._run([*command, *more], folder)

    def load(self, script: list[str], out: Path, threads: int, *more: str) -> dict[str, int]:
        """Run scripts by fivenines and return the summary's counts of statements."""
        self.run(script, out, f"--connections={threads}", *more)
        summary = json.loads((out / "load.json").read_text())
        assert summary["errors"] == [] and summary["transactions"]["failed"] == 0
        return dict(summary["statements"])

    def wipe(self) -> None:
        """Drop all tables of the scripts' database."""
        database = self.node.database
        if isinstance(self.node, Postgres):
            with self.node.sql.connect(database=database) as connection:
                named = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
                for (name,) in connection.execute(named).fetchall():
                    connection.execute(f'DROP TABLE "{name}" CASCADE')
            return
        named = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{database}'"
        for (name,) in self.node.sql.query(named):
            self.node.sql.execute(f"USE {database}", "SET FOREIGN_KEY_CHECKS = 0", f"DROP TABLE `{name}`")

    def compare(self, script: Path, out: Path, *own: str, events: int, prepares: bool) -> Compared:
        """Run a script by both programs in its folder; each starts with fresh tables."""
        prepared, ran, reported = [], [], []
        for ours in (False, True):
            self.wipe()
            with self.counted() as making:
                if prepares and ours:
                    self.prepare(script, 1, *own, folder=script.parent)
                elif prepares:
                    self.sysbench(f"./{script.name}", *own, "prepare", folder=script.parent)
            with self.counted() as running:
                if ours:
                    mine = workload_flags("script", files=[f"{script}"], options=options_of(own))
                    counts = [f"--transactions={events}", "--connections=1"]
                    self.run(mine, out, *counts, folder=script.parent)
                    reported.append(of_load(out))
                else:
                    counts = [f"--events={events}", "--time=0", "--threads=1"]
                    reported.append(self._by_sysbench(script, *own, *counts))
            prepared.append(making)
            ran.append(running)
        self.wipe()
        return Compared((prepared[0], prepared[1]), (ran[0], ran[1]), (reported[0], reported[1]))

    def _by_sysbench(self, script: Path, *arguments: str) -> Reported:
        """Run a script by sysbench and return its report, even if a server error ended it."""
        try:
            output = self.sysbench(f"./{script.name}", *arguments, "run", folder=script.parent)
        except AssertionError as error:
            if (reported := of_sysbench(str(error))).codes:
                return reported
            raise
        return of_sysbench(output)

    @contextlib.contextmanager
    def counted(self) -> Iterator[Counter[str]]:
        """Return the server's counts of statements during the context, by kind."""
        counts: Counter[str] = Counter()
        before = self._counters()
        yield counts
        after = self._counters()
        after.subtract(before)
        counts.update({name: count for name, count in after.items() if count})

    def _counters(self) -> Counter[str]:
        if isinstance(self.node, Postgres):
            return self._logged()
        rows = self.node.sql.query("SHOW GLOBAL STATUS WHERE variable_name LIKE 'Com\\_%'")
        names = {f"Com_{name}" for name in (*VERBS, "stmt_execute")}
        return Counter({str(name): int(str(n)) for name, n in rows if str(name) in names})

    def _logged(self) -> Counter[str]:
        """Count statements in PostgreSQL's log, as PostgreSQL has no counters for them."""
        entries = re.findall(
            r"LOG:  (statement|execute)(?: \S+)?: *\s*(\w+)", self.node.log.read_text(errors="replace")
        )
        return Counter(f"{way} {verb.lower()}" for way, verb in entries if verb.lower() in VERBS)


@contextlib.contextmanager
def standalone(engine: str, folder: Path) -> Iterator[Place]:
    """Run a standalone server without tables of the scripts.

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
    """Run a standalone server with the small data set of the lab tests."""
    solution = {"solution": "standalone", "engine": engine, "durability": "relaxed"}
    with deployed_small(folder, solution_from(solution, "test")) as deployed:
        assert deployed.client is not None
        (node,) = deployed.solution.nodes
        yield Place(node, deployed.client)


def log_statements(place: Place) -> None:
    """Make PostgreSQL log the application's statements, which it does not count by kind."""
    if isinstance(place.node, Postgres):
        place.node.sql.execute("ALTER ROLE app SET log_statement = 'all'")
