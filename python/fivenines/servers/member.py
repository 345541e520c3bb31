"""A server process of a cluster on a separate host.

Database servers of clients are one kind (`Server`); processes that store data or manage membership for them
are another. Those that fivenines starts and stops are daemons (`Daemon`).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, Protocol

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.disk import FaultyDisk
from fivenines.lab.host import Host
from fivenines.lab.processes.process import Process, tail
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


def unsupported(member: Member) -> NoReturn:
    """Raise the error for operations that external servers do not support.

    Raises:
        FiveninesError: always; with the server's name.
    """
    raise FiveninesError(f"{member.name} is an external server: fivenines neither starts nor stops it")


# PostgreSQL logs errors of its configuration at the level LOG, before a FATAL without the reason.
_TELLING = re.compile(
    r"\[ERROR\]|FATAL|PANIC|LOG:  (?:invalid|unrecognized|syntax error|could not|parameter"
    r"|.* for parameter |.* must be |.*setting could not be applied)"
)
