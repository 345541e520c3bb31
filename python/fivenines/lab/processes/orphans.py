"""Find orphans: processes that belong to a command but are no longer below it.

A server that is killed during a fork leaves a child that was not listed before. The host's first process
adopts the child, which still shares the server's memory. An orphan runs a program of the command, has the
first process of the command's PID namespace as its parent, and is younger than all listed processes.
In the machine's own namespace no process counts as an orphan.
"""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from fivenines.lab.processes.tree import children

# Resolution of a process's start time in the kernel, in seconds.
_TICK = 0.01


@dataclass(frozen=True)
class Orphans:
    """The properties of a command's processes before they are signalled."""

    # PID namespace and executable of each process.
    programs: frozenset[tuple[str, str]]
    # Start time of the youngest process, in seconds since the epoch.
    since: float
    # The first processes of their PID namespaces, as seen from here.
    firsts: frozenset[int] = frozenset()

    @classmethod
    def of(cls, members: Sequence[psutil.Process]) -> "Orphans":
        """Read the properties of these running processes."""
        programs = frozenset(_program(process.pid) for process in members)
        here = pid_namespace(os.getpid())
        born = [_born(process) for process in members]
        theirs = frozenset(program for program in programs if all(program) and program[0] != here)
        firsts = {_first(namespace) for namespace, _ in theirs}
        return cls(theirs, max(born, default=0.0), frozenset(firsts - {0}))

    def unseen(self, seen: Collection[psutil.Process]) -> list[psutil.Process]:
        """Return orphans that started after the listing and are not in `seen`."""
        return [
            process
            for first in self.firsts
            for process in children(first)
            if process not in seen
            and _born(process) >= self.since - _TICK
            and _program(process.pid) in self.programs
        ]


def pid_namespace(pid: int) -> str:
    """Return the PID namespace of a process; empty if it has ended."""
    return _link(pid, "ns/pid")


def _program(pid: int) -> tuple[str, str]:
    return pid_namespace(pid), _link(pid, "exe")


# Cache of the first process of each PID namespace.
_FIRSTS: dict[str, int] = {}


def _first(namespace: str) -> int:
    """Return the PID of a PID namespace's first process, as seen from here; 0 if it is not visible."""
    first = _FIRSTS.get(namespace, 0)
    if not (first and pid_namespace(first) == namespace):
        members = (pid for pid in psutil.pids() if pid_namespace(pid) == namespace)
        first = _FIRSTS[namespace] = next(filter(_is_first, members), 0)
    return first


def _is_first(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    numbers = next((line for line in status.splitlines() if line.startswith("NSpid:")), "")
    return numbers.split()[-1:] == ["1"]


def _link(pid: int, name: str) -> str:
    try:
        return str(Path(f"/proc/{pid}/{name}").readlink())
    except OSError:
        return ""


def _born(process: psutil.Process) -> float:
    try:
        return float(process.create_time())
    except psutil.Error:
        return 0.0
