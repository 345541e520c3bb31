"""A process in the lab: started through `enter`, its output in a log file, ended as a whole tree."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from fivenines.lab import look
from fivenines.lab.descent import below, children


def start_logged(
    command: Sequence[str],
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    umask: int = -1,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, without input; all that it says is added to a log file."""
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
    """Wait for the end of a command that was told to end; it is killed when its time is up."""
    try:
        popen.wait(seconds)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()


@dataclass
class Process:
    """A running command. Its PID lives in another PID namespace; here the tree below its starter counts."""

    popen: subprocess.Popen[bytes]
    log: Path | None
    frozen: bool = False
    """Whether it was stopped by `freeze`: it runs, and does nothing."""

    @property
    def alive(self) -> bool:
        """Whether the command still runs."""
        return self.popen.poll() is None

    def send(self, process: psutil.Process, number: signal.Signals) -> None:
        """A signal to one of its processes, which may have ended."""
        look.send(process, number)

    def members(self) -> list[psutil.Process]:
        """The processes of the command as seen from here, parents before children, without the starter."""
        return below(self.popen.pid)

    def kill(self) -> list[psutil.Process]:
        """SIGKILL to every process of the command; returns those that were hit."""
        return look.kill(look.look_at(self))

    def freeze(self) -> list[psutil.Process]:
        """SIGSTOP to every process of the command; returns those that were hit."""
        return look.freeze(look.look_at(self))

    def thaw(self) -> list[psutil.Process]:
        """SIGCONT to every process of the command; returns those that were hit."""
        hit = self.members()
        for process in hit:
            self.send(process, signal.SIGCONT)
        self.frozen = False
        return hit

    def terminate(self, timeout: float = 10.0, number: signal.Signals = signal.SIGTERM) -> None:
        """A signal to the command itself, SIGKILL to what is left after `timeout` seconds."""
        self.interrupt(number)
        if not self.wait(timeout):
            self.kill()
            self.wait(timeout)

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the command itself (not to its children)."""
        for process in self._roots():
            self.send(process, number)

    def wait(self, timeout: float) -> bool:
        """Whether the command ended within `timeout` seconds."""
        try:
            self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def gone(self, members: list[psutil.Process], timeout: float = 5.0) -> bool:
        """Whether all of `members` have ended within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while any(_exists(process) for process in members):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    def log_tail(self, lines: int = 8) -> str:
        """The last lines that the command wrote."""
        return tail(self.log, lines) if self.log else ""

    def _roots(self) -> list[psutil.Process]:
        return children(self.popen.pid)


class OwnProcess(Process):
    """A command of this machine that was started without one: the process is the command itself."""

    def members(self) -> list[psutil.Process]:
        try:
            own = psutil.Process(self.popen.pid)
            return [own, *below(own.pid)] if _exists(own) else []
        except psutil.NoSuchProcess:
            return []

    def _roots(self) -> list[psutil.Process]:
        return self.members()[:1]


class Adopted(Process):
    """Processes that a supervisor on the host (Pacemaker, Patroni) started, and may start again.

    Args:
        find: the processes of the server as they are now, as seen from here; empty: it does not run.
        log: where it writes.
    """

    def __init__(self, find: Callable[[], list[psutil.Process]], log: Path | None) -> None:
        self._find = find
        self._known: list[psutil.Process] = []
        self._looked = 0.0
        self.log = log
        self.frozen = False

    @property
    def alive(self) -> bool:
        # those that were known first: to look for their children costs more
        return any(map(_exists, self._known)) or any(map(_exists, self.members()))

    def members(self) -> list[psutil.Process]:
        known = [process for process in self._known if _exists(process)]
        # a look through all processes costs milliseconds: only when those that were known are gone
        if not known and time.monotonic() - self._looked > _LOOK_AGAIN:
            known = self._find()
            self._looked = time.monotonic()
            # whoever was stopped is gone: these are others
            self.frozen = False
        self._known = [*known, *_children(known)]
        return self._known

    def wait(self, timeout: float) -> bool:
        return self.gone(self.members(), timeout)

    def _roots(self) -> list[psutil.Process]:
        return _topmost(self.members())


_LOOK_AGAIN = 0.1
"""Seconds between two looks for a server that somebody else starts."""


def all_in_state(members: list[psutil.Process], stopped: bool, timeout: float = 2.0) -> bool:
    """Whether all of these that still exist are stopped (or not) within `timeout` seconds."""
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
    """The last lines of a text file; empty when there is none."""
    if not file.exists():
        return ""
    with file.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        stream.seek(max(0, stream.tell() - 400 * lines))
        return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])


def whole_lines(file: Path, position: int) -> tuple[list[str], int]:
    """The lines of a growing text file behind a position in bytes, and the position behind them.

    A line that is being written is left for the next time; there are none where there is no file.
    """
    try:
        with file.open("rb") as stream:
            stream.seek(position)
            text = stream.read()
    except FileNotFoundError:
        return [], position
    whole = text[: text.rfind(b"\n") + 1]
    # not at other characters that end lines for some, which a log may have in its text
    return whole.decode(errors="replace").split("\n")[:-1], position + len(whole)


def _children(members: list[psutil.Process]) -> list[psutil.Process]:
    found = dict.fromkeys(one for top in _topmost(members) for one in below(top.pid))
    return [process for process in found if process not in members]


def _topmost(members: list[psutil.Process]) -> list[psutil.Process]:
    """Those whose parent is none of them."""
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
