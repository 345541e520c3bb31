"""A server, and `fivenines stacks` on its host, for the tests of client stacks."""

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab_support import ended, start_on

from fivenines.lab.namespaces.lab import NamespaceLab
from fivenines.load.stacks.stack import Stack, stacks
from fivenines.servers.base import DATABASE
from fivenines.servers.families import server
from fivenines.servers.local import LocalServer
from fivenines.software.store import engine

# At full speed the first of many programs leave the last ones no CPU time to start.
GENTLY = ("--think", "50ms")

PLANTED = f"planted={sys.executable} {Path(__file__).parent / 'planted_stack.py'}"


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

    def planted(self, *defects: str, options: Iterable[str] = (), seconds: int = 6) -> dict[str, Any]:
        """Run the planted program with further options; return its result."""
        plants = [word for defect in defects for word in ("--set", f"planted.plant.{defect}=true")]
        answer = self.run(
            "run",
            "--program",
            PLANTED,
            *plants,
            "--duration",
            f"{seconds}s",
            "--think",
            "20ms",
            "--json",
            *options,
        )
        (found,) = json.loads(answer.stdout)
        assert found["committed"] > 20 and not found["table_left"], found
        return dict(found)

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

    def tables(self) -> list[tuple[Any, ...]]:
        """Return the tables of stacks that are left."""
        with self.server.sql.open_data() as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'fivenines_stack%'"
            )
            return list(cursor.fetchall())


@contextmanager
def stack_place(name: str, folder: Path, kinds: Iterable[Stack] = ()) -> Iterator[Place]:
    """Provide a server of this engine, which keeps what it has acknowledged.

    Args:
        kinds: the stacks that will run; empty: all.
    """
    software = engine(name)
    software.require(lambda message, fraction: None)
    # Programs on the host have no way to the registries.
    for kind in kinds or stacks().values():
        kind.runtime.require(lambda message, fraction: None)
    with NamespaceLab(folder / "lab") as lab:
        own = server(lab.add_host("node1", software.root()), software)
        own.setup.initialise()
        own.setup.configure({})
        own.start()
        own.wait_ready()
        yield Place(own, folder)
        own.stop()


@dataclass
class Following:
    """Follows the files of running stacks: each look reads only what is new.

    Attributes:
        folder: the folder of `--out`.
        names: the stacks.
    """

    folder: Path
    names: Iterable[str]
    _read: dict[str, int] = field(default_factory=dict)
    _last: dict[tuple[str, int], int] = field(default_factory=dict)
    # The moments of the last two samples, the later one first, in us.
    _sampled: dict[str, tuple[int, int]] = field(default_factory=dict)
    codes: set[str] = field(default_factory=set)

    def file(self, name: str) -> Path:
        """Return the file of a stack."""
        return self.folder / f"{name.replace(':', '-')}.jsonl"

    def missing(self, since: float, workers: int = 4) -> str:
        """Return the stacks of which a worker has not begun and committed since a moment of the monotonic
        clock, in seconds.
        """
        self.look()
        return ", ".join(
            name
            for name in self.names
            if any(self._last.get((name, worker), -1) < since * 1e6 for worker in range(workers))
        )

    def unsampled(self, since: float) -> str:
        """Return the stacks whose pool was sampled less than twice since a moment of the monotonic clock, in
        seconds: the first sample may be of a moment before.
        """
        self.look()
        return ", ".join(name for name in self.names if self._sampled.get(name, (0, 0))[1] < since * 1e6)

    def look(self) -> None:
        """Read the new lines."""
        for name in self.names:
            file = self.file(name)
            if not file.exists():
                continue
            with file.open("rb") as lines:
                lines.seek(self._read.get(name, 0))
                new = lines.read()
            whole = new.rfind(b"\n") + 1
            self._read[name] = self._read.get(name, 0) + whole
            for line in map(json.loads, new[:whole].splitlines()):
                if line["event"] == "alive":
                    last, _ = self._sampled.get(name, (0, 0))
                    self._sampled[name] = line["at_us"], last
                if line["event"] != "transaction":
                    continue
                if line["outcome"] == "committed":
                    self._last[name, line["worker"]] = line["start_us"]
                else:
                    self.codes.add(line["code"])
