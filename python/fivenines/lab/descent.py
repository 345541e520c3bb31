"""Which processes are below a process, by the kernel's own lists of children.

Where the kernel keeps none (/proc/PID/task/TID/children, proc(5): CONFIG_PROC_CHILDREN), the parents of all
processes of the machine are asked instead. Hundreds of files are then read for a few processes, and where
threads wait for each other after each of them, as Python's do, a busy machine needs seconds for it.
"""

import contextlib
import os
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
    """Read again where there are any: one may be left out when another ends at that moment (proc(5))."""
    found = _read(pid)
    return list(dict.fromkeys([*found, *_read(pid)])) if found else found


def _read(pid: int) -> list[int]:
    # by calls of the system alone: files as objects take twice as many, and after each of them a busy
    # program of several threads waits for its turn
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return found
    for thread in threads:
        with contextlib.suppress(OSError):
            descriptor = os.open(f"/proc/{pid}/task/{thread}/children", os.O_RDONLY)
            try:
                text = b"".join(iter(lambda: os.read(descriptor, 1 << 16), b""))  # noqa: B023
            finally:
                os.close(descriptor)
            found += map(int, text.split())
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
