"""Processes that belong to a command, although they are not below it any more.

A server that is killed while it forks leaves a child that nobody has seen: the child is handed to the
host's first process, holds the server's memory, and no walk down from the starter finds it. It is told by
what it is: a program of the command, handed to the first process of the command's PID namespace, younger
than all that were seen. In the machine's own namespace nobody is taken for one.
"""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from fivenines.lab.descent import children

_TICK = 0.01
"""Seconds: the kernel tells when a process began in hundredths."""


@dataclass(frozen=True)
class Orphans:
    """What is known of a command's processes before they are hit."""

    programs: frozenset[tuple[str, str]]
    """PID namespace and executable of each."""
    since: float
    """When the youngest of them began, in seconds since the epoch."""
    firsts: frozenset[int] = frozenset()
    """The first processes of their PID namespaces, as seen from here."""

    @classmethod
    def of(cls, members: Sequence[psutil.Process]) -> "Orphans":
        """Of these processes, which still run."""
        programs = frozenset(_program(process.pid) for process in members)
        here = pid_namespace(os.getpid())
        born = [_born(process) for process in members]
        theirs = frozenset(one for one in programs if all(one) and one[0] != here)
        firsts = {_first(namespace) for namespace, _ in theirs}
        return cls(theirs, max(born, default=0.0), frozenset(firsts - {0}))

    def unseen(self, seen: Collection[psutil.Process]) -> list[psutil.Process]:
        """Those that began since the look and are none of these."""
        return [
            process
            for first in self.firsts
            for process in children(first)
            if process not in seen
            and _born(process) >= self.since - _TICK
            and _program(process.pid) in self.programs
        ]


def pid_namespace(pid: int) -> str:
    """The PID namespace of a process; empty if it has ended."""
    return _link(pid, "ns/pid")


def _program(pid: int) -> tuple[str, str]:
    return pid_namespace(pid), _link(pid, "exe")


_FIRSTS: dict[str, int] = {}
"""The first process of each PID namespace that was asked for."""


def _first(namespace: str) -> int:
    """The first process of a PID namespace, as seen from here; 0 if it is not seen."""
    found = _FIRSTS.get(namespace, 0)
    if not (found and pid_namespace(found) == namespace):
        there = (pid for pid in psutil.pids() if pid_namespace(pid) == namespace)
        found = _FIRSTS[namespace] = next(filter(_is_first, there), 0)
    return found


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
