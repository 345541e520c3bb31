"""A server process of a cluster on a separate host, with its life cycle.

Database servers of clients are one kind (`Server`); processes that store data or manage membership for them
are another.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

from fivenines.lab.disks.disk import FaultyDisk
from fivenines.lab.host import Host
from fivenines.lab.processes.process import Process, tail
from fivenines.servers import secrets
from fivenines.servers.incidents import LogReader


class StateReporter(Protocol):
    """Polls the states of a cluster's members."""

    def program(self, period: float) -> list[str]:
        """Return a command that runs outside a host and prints states as JSON, one line for each change.

        It polls every `period` seconds, and ends with its standard input.
        """

    def states(self, report: Any) -> Mapping[str, str]:
        """Parse the states by member from one such line; empty without an answer."""


class Member(ABC):
    """One server process. Its files are in the host's own folder: data, conf, run, log."""

    # User id of the process in its host: database servers refuse to run as root.
    uid: ClassVar[int]

    def __init__(self, host: Host) -> None:
        self.host = host
        self.process: Process | None = None
        # The disk that it is started on if faults will intercept its calls.
        self.disk: FaultyDisk | None = None

    @property
    def name(self) -> str:
        """Return the name of its host."""
        return self.host.name

    @property
    def data(self) -> Path:
        """Return the data directory, as seen from outside the lab."""
        return self.host.node / "data"

    @property
    def alive(self) -> bool:
        """Return whether its process runs."""
        return self.process is not None and self.process.alive

    @property
    def frozen(self) -> bool:
        """Return whether all of its processes are stopped, so that it never answers."""
        return self.process is not None and self.process.frozen

    @property
    @abstractmethod
    def log(self) -> Path:
        """Return its log file."""

    @abstractmethod
    def command(self, *arguments: str) -> list[str]:
        """Return the command line of its process inside its host."""

    def start(self, *arguments: str) -> None:
        """Start the process without waiting for it."""
        command = self.command(*arguments)
        command = self.disk.wrap(command) if self.disk is not None else command
        self.host.own("data", "log", "run", "conf", secrets.FOLDER, uid=self.uid)
        self.process = self.host.spawn(command, uid=self.uid, log="server.out")

    def stop(self, timeout: float = 60.0) -> None:
        """Shut it down cleanly; kill what has not ended after `timeout` seconds."""
        if self.process is not None:
            self.process.terminate(timeout)

    def put_down(self) -> None:
        """End it, cleanly unless it is frozen."""
        if self.frozen and self.process is not None:
            self.process.gone(self.process.kill())
        else:
            self.stop()

    def log_reader(self) -> LogReader | None:
        """Return the reader of incidents in its log as configured now; None: its log is not supported."""
        return None

    def tells_states(self) -> StateReporter | None:
        """Return how it reports the states of the cluster's members; None: it does not."""
        return None

    def last_words(self, lines: int = 8) -> str:
        """Return the last lines of its log, for error messages."""
        shown = self.telling_words(lines) or tail(self.log, lines).splitlines()
        return "\n".join(f"  {line}" for line in shown) or "  (no log)"

    def telling_words(self, lines: int = 8) -> list[str]:
        """Return the last lines of its log that name a problem; none if there are none."""
        text = tail(self.log, 400)
        return [line for line in text.splitlines() if _TELLING.search(line)][-lines:]


# PostgreSQL logs errors of its configuration at the level LOG, before a FATAL without the reason.
_TELLING = re.compile(
    r"\[ERROR\]|FATAL|PANIC|LOG:  (?:invalid|unrecognized|syntax error|could not|parameter"
    r"|.* for parameter |.* must be |.*setting could not be applied)"
)
