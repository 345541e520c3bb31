"""A server process of a cluster, on a host of its own: its life, whatever it serves.

A database server that clients speak to is one (`Server`), a process that keeps the data or the membership
for those is another.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

from fivenines.lab.disk import FaultyDisk
from fivenines.lab.host import Host
from fivenines.lab.process import Process, tail
from fivenines.servers import secrets
from fivenines.servers.incidents import LogReader


class StateReporter(Protocol):
    """How the states of a cluster's members are asked for, again and again."""

    def program(self, period: float) -> list[str]:
        """A command that, beside a host, writes what it is told as JSON, a line each time it has changed.

        It asks once in `period` seconds, and ends with its standard input.
        """

    def states(self, told: Any) -> Mapping[str, str]:
        """The states by member, of one such line; none where nobody answered."""


class Member(ABC):
    """One server process. Its files live in the host's own folder: data, conf, run, log."""

    uid: ClassVar[int]
    """The user id that it runs under in its host: database servers refuse to be root."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.process: Process | None = None
        self.disk: FaultyDisk | None = None
        """The disk that it is started on where faults will interfere with it."""

    @property
    def name(self) -> str:
        """The name of its host."""
        return self.host.name

    @property
    def data(self) -> Path:
        """The data directory, as seen from outside the lab."""
        return self.host.node / "data"

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and self.process.alive

    @property
    def frozen(self) -> bool:
        """Whether all of its processes are stopped: it would never answer."""
        return self.process is not None and self.process.frozen

    @property
    @abstractmethod
    def log(self) -> Path:
        """Its own log file."""

    @abstractmethod
    def command(self, *arguments: str) -> list[str]:
        """The command line of its process inside its host."""

    def start(self, *arguments: str) -> None:
        """Start the process; it is not waited for."""
        command = self.command(*arguments)
        command = self.disk.wrap(command) if self.disk is not None else command
        self.host.own("data", "log", "run", "conf", secrets.FOLDER, uid=self.uid)
        self.process = self.host.spawn(command, uid=self.uid, log="server.out")

    def stop(self, timeout: float = 60.0) -> None:
        """A clean shutdown; what has not ended after `timeout` seconds is killed."""
        if self.process is not None:
            self.process.terminate(timeout)

    def put_down(self) -> None:
        """End it, cleanly if it still can: a frozen one cannot."""
        if self.frozen and self.process is not None:
            self.process.gone(self.process.kill())
        else:
            self.stop()

    def log_reader(self) -> LogReader | None:
        """How to read incidents in its log, as it is configured now; None: it writes none that we know."""
        return None

    def tells_states(self) -> StateReporter | None:
        """How it tells the states of the cluster's members; None: it does not."""
        return None

    def last_words(self, lines: int = 8) -> str:
        """The last lines of its log, for messages; what a failing server said matters most."""
        said = self.telling_words(lines) or tail(self.log, lines).splitlines()
        return "\n".join(f"  {line}" for line in said) or "  (it wrote no log)"

    def telling_words(self, lines: int = 8) -> list[str]:
        """The last lines of its log that tell what is wrong; none where it says nothing of the kind."""
        text = tail(self.log, 400)
        return [line for line in text.splitlines() if _TELLING.search(line)][-lines:]


# PostgreSQL tells what is wrong with its configuration at the level LOG, before a FATAL without the reason
_TELLING = re.compile(
    r"\[ERROR\]|FATAL|PANIC|LOG:  (?:invalid|unrecognized|syntax error|could not|parameter"
    r"|.* for parameter |.* must be |.*setting could not be applied)"
)
