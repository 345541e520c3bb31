"""Which processes are below a process, by the kernel's own lists of children.

Where the kernel keeps none (/proc/PID/task/TID/children, proc(5): CONFIG_PROC_CHILDREN), the parents of all
processes of the machine are asked instead. Hundreds of files are then read for a few processes, and where
threads wait for each other after each of them, as Python's do, a busy machine needs seconds for it.
"""

import contextlib
from functools import cache
from pathlib import Path

import psutil


def below(pid: int) -> list[psutil.Process]:
    """All processes below this one, parents before children; nothing if it has ended."""
    if not _has_lists():
        return _asked(pid, recursive=True)
    found: dict[int, psutil.Process] = {}
    generation = [pid]
    while generation:
        seen = [child for parent in generation for child in _children(parent) if child not in found]
        there = {child: process for child in seen if (process := _process(child)) is not None}
        found |= there
        generation = list(there)
    return list(found.values())


def children(pid: int) -> list[psutil.Process]:
    """The children of this process; nothing if it has ended."""
    if not _has_lists():
        return _asked(pid, recursive=False)
    return [process for child in _children(pid) if (process := _process(child)) is not None]


@cache
def _has_lists() -> bool:
    return Path("/proc/thread-self/children").exists()


def _children(pid: int) -> list[int]:
    """Read twice: a list leaves one out when another child ends while it is read (proc(5))."""
    return list(dict.fromkeys([*_read(pid), *_read(pid)]))


def _read(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _asked(pid: int, recursive: bool) -> list[psutil.Process]:
    try:
        return list(psutil.Process(pid).children(recursive=recursive))
    except psutil.NoSuchProcess:
        return []
