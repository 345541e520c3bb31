"""Processes in the lab: started through `enter`, logged to a file, and ended as a whole tree."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from fivenines.lab.processes import look
from fivenines.lab.processes.tree import below, children


def start_logged(
    command: Sequence[str],
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    umask: int = -1,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a new session, without input, and append its output to a log file."""
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=env,
            umask=umask,
            pass_fds=pass_fds,
            start_new_session=True,
        )


def end_within(popen: "subprocess.Popen[Any]", seconds: float) -> None:
    """Wait until a command ends; kill it after `seconds`."""
    try:
        popen.wait(seconds)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()


@dataclass
class Process:
    """A running command: the process tree below its starter, as its PID is in another PID namespace."""

    popen: subprocess.Popen[bytes]
    log: Path | None
    # Whether `freeze` has stopped it.
    frozen: bool = False

    @property
    def alive(self) -> bool:
        """Whether the command runs."""
        return self.popen.poll() is None

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        """Send a signal to one of its processes, which may have ended."""
        look.send(process, number)

    def members(self) -> list[psutil.Process]:
        """Return the command's processes as seen from here, parents before children, without the starter."""
        return below(self.popen.pid)

    def kill(self) -> list[psutil.Process]:
        """Send SIGKILL to every process of the command; return the signalled processes."""
        return look.kill(look.look_at(self))

    def freeze(self) -> list[psutil.Process]:
        """Send SIGSTOP to every process of the command; return the signalled processes."""
        return look.freeze(look.look_at(self))

    def thaw(self) -> list[psutil.Process]:
        """Send SIGCONT to every process of the command; return the signalled processes."""
        members = self.members()
        for process in members:
            self.send(process, signal.SIGCONT)
        self.frozen = False
        return members

    def terminate(self, timeout: float = 10.0, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the command itself, and SIGKILL to remaining processes after `timeout` seconds."""
        self.interrupt(number)
        if not self.wait(timeout):
            self.kill()
            self.wait(timeout)

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the command itself (not to its children)."""
        for process in self._roots():
            self.send(process, number)

    def wait(self, timeout: float) -> bool:
        """Return whether the command ended within `timeout` seconds."""
        try:
            self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def gone(self, members: list[psutil.Process], timeout: float = 5.0) -> bool:
        """Return whether all of `members` ended within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while any(_exists(process) for process in members):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    def log_tail(self, lines: int = 8) -> str:
        """Return the last lines of the command's output."""
        return tail(self.log, lines) if self.log else ""

    def _roots(self) -> list[psutil.Process]:
        return children(self.popen.pid)


class OwnProcess(Process):
    """A command of this machine that was started directly: the process is the command itself."""

    def members(self) -> list[psutil.Process]:
        try:
            own = psutil.Process(self.popen.pid)
            return [own, *below(own.pid)] if _exists(own) else []
        except psutil.NoSuchProcess:
            return []

    def _roots(self) -> list[psutil.Process]:
        return self.members()[:1]


class Adopted(Process):
    """Processes that a supervisor on the host (Pacemaker, Patroni) starts and can restart.

    Args:
        find: lists the server's current processes, as seen from here; empty: it does not run.
        log: log file of the server.
    """

    def __init__(self, find: Callable[[], list[psutil.Process]], log: Path | None) -> None:
        self._find = find
        self._known: list[psutil.Process] = []
        self._searched = 0.0
        self.log = log
        self.frozen = False

    @property
    def alive(self) -> bool:
        # Known processes are checked first: searching for their children costs more.
        return any(map(_exists, self._known)) or any(map(_exists, self.members()))

    def members(self) -> list[psutil.Process]:
        known = [process for process in self._known if _exists(process)]
        # A search through all processes takes milliseconds, so it runs only when all known ones have ended.
        if not known and time.monotonic() - self._searched > _SEARCH_INTERVAL:
            known = self._find()
            self._searched = time.monotonic()
            # The stopped processes have ended; these are new ones.
            self.frozen = False
        self._known = [*known, *_children(known)]
        return self._known

    def wait(self, timeout: float) -> bool:
        return self.gone(self.members(), timeout)

    def _roots(self) -> list[psutil.Process]:
        return _topmost(self.members())


# Seconds between two searches for a server that a supervisor starts.
_SEARCH_INTERVAL = 0.1


def all_in_state(members: list[psutil.Process], stopped: bool, timeout: float = 2.0) -> bool:
    """Return whether all existing members are stopped (or not stopped) within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while any(_is_stopped(process) != stopped for process in members if _exists(process)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def _is_stopped(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def tail(file: Path, lines: int = 8) -> str:
    """Return the last lines of a text file; empty if it does not exist."""
    if not file.exists():
        return ""
    with file.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        stream.seek(max(0, stream.tell() - 400 * lines))
        return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])


def whole_lines(file: Path, position: int) -> tuple[list[str], int]:
    """Return the complete lines of a growing text file after a byte position, and the position after them.

    An incomplete last line is left for the next call. A missing file has no lines.
    """
    try:
        with file.open("rb") as stream:
            stream.seek(position)
            text = stream.read()
    except FileNotFoundError:
        return [], position
    whole = text[: text.rfind(b"\n") + 1]
    # Only at newlines: splitlines() also splits at other characters, which a log can contain.
    return whole.decode(errors="replace").split("\n")[:-1], position + len(whole)


def _children(members: list[psutil.Process]) -> list[psutil.Process]:
    descendants = dict.fromkeys(process for top in _topmost(members) for process in below(top.pid))
    return [process for process in descendants if process not in members]


def _topmost(members: list[psutil.Process]) -> list[psutil.Process]:
    """Return the processes whose parent is not a member."""
    pids = {process.pid for process in members}
    return [process for process in members if _parent(process) not in pids]


def _parent(process: psutil.Process) -> int:
    try:
        return int(process.ppid())
    except psutil.NoSuchProcess:
        return 0


def _exists(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
