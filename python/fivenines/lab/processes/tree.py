"""Find the processes below a process with the kernel's lists of children.

Some kernels have no lists (/proc/PID/task/TID/children, proc(5): CONFIG_PROC_CHILDREN). Then the parents of
all processes of the machine are read instead. This reads hundreds of files for a few processes and takes
seconds on a busy machine, as Python's threads wait for each other after each file.
"""

import contextlib
import os
from functools import cache
from pathlib import Path

import psutil


def below(pid: int) -> list[psutil.Process]:
    """Return all processes below this one, parents before children; empty if it has ended."""
    if not _has_lists():
        return _by_parents(pid, recursive=True)
    processes: dict[int, psutil.Process] = {}
    generation = [pid]
    while generation:
        pids = [child for parent in generation for child in _children(parent) if child not in processes]
        fresh = {child: process for child in pids if (process := _process(child)) is not None}
        processes |= fresh
        generation = list(fresh)
    return list(processes.values())


def children(pid: int) -> list[psutil.Process]:
    """Return the children of this process; empty if it has ended."""
    if not _has_lists():
        return _by_parents(pid, recursive=False)
    return [process for child in _children(pid) if (process := _process(child)) is not None]


@cache
def _has_lists() -> bool:
    return Path("/proc/thread-self/children").exists()


def _children(pid: int) -> list[int]:
    """Read the list of children twice: it can miss a child while another one ends (proc(5))."""
    pids = _read(pid)
    return list(dict.fromkeys([*pids, *_read(pid)])) if pids else pids


def _read(pid: int) -> list[int]:
    # Plain system calls: file objects need twice as many, and after each call a busy program with several
    # threads waits for the interpreter lock.
    pids: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208
    except OSError:
        return pids
    for thread in threads:
        with contextlib.suppress(OSError):
            descriptor = os.open(f"/proc/{pid}/task/{thread}/children", os.O_RDONLY)
            try:
                text = b"".join(iter(lambda: os.read(descriptor, 1 << 16), b""))  # noqa: B023
            finally:
                os.close(descriptor)
            pids += map(int, text.split())
    return pids


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def _by_parents(pid: int, recursive: bool) -> list[psutil.Process]:
    try:
        return list(psutil.Process(pid).children(recursive=recursive))
    except psutil.NoSuchProcess:
        return []
