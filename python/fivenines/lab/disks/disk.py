"""Delay flushes or refuse writes of a server while it runs; see `fivenines-core disk`.

Slowing a device or limiting a file system needs privileges. Instead, the kernel notifies fivenines of some
system calls of the server (seccomp(2), user notification). The server itself is unchanged.
"""

import mmap
import struct
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, Protocol

from fivenines.base.core import core_binary
from fivenines.lab.host import NODE, Host

# Intercepted calls: `sync` can be delayed, `write` can be refused. Interception adds a small overhead.
Calls = Literal["sync", "write"]

_FIELDS = struct.Struct("=8Q")
_NORMAL, _SLOW, _FULL = 0, 1, 2
_PROGRAM, _CONTROL = "fivenines-core", "disk"


class FaultyDisk(Protocol):
    """A disk that supports faults while its server runs."""

    # Whether the disk counts refused writes. Otherwise the count is 1 while the disk is full.
    counts_refusals: bool

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a command on this disk."""

    def slow(self, seconds: float) -> None:
        """Delay each flush by `seconds` from now on."""

    def full(self) -> None:
        """Refuse writes that extend a file (ENOSPC) from now on."""

    def normal(self) -> None:
        """End all disk faults."""

    def counts(self) -> tuple[int, int]:
        """Return the number of flushes (possibly delayed) and of refused writes since the start."""


class Disk:
    """The disk below a host's data folder, for a server started with `wrap`."""

    counts_refusals = True

    def __init__(self, host: Host, calls: Collection[Calls]) -> None:
        self._folder = host.node / "run"
        self._calls = sorted(calls)

    def wrap(self, command: Sequence[str]) -> list[str]:
        """End all disk faults and return the command line that runs a command on this disk."""
        program = self._folder / _PROGRAM
        if not program.exists():
            # The engine's root does not contain our program, but it contains the host's folder. A separate
            # process makes the copy: a child that another thread forks meanwhile would inherit the open
            # file, and a file that is open for writing cannot be executed (ETXTBSY).
            subprocess.run(["cp", str(core_binary()), str(program)], check=True)
        self._control.write_bytes(bytes(_FIELDS.size))
        return [
            str(NODE / "run" / _PROGRAM),
            "disk",
            "--control",
            str(NODE / "run" / _CONTROL),
            "--calls",
            ",".join(self._calls),
            "--folder",
            str(NODE / "data"),
            "--",
            *command,
        ]

    def slow(self, seconds: float) -> None:
        """Delay each flush by `seconds` from now on."""
        self._set(_SLOW, round(seconds * 1e6))

    def full(self) -> None:
        """Refuse writes that extend a file (ENOSPC) from now on."""
        self._set(_FULL, 0)

    def normal(self) -> None:
        """End all disk faults; delayed flushes continue within 20 ms."""
        self._set(_NORMAL, 0)

    def counts(self) -> tuple[int, int]:
        """Return the number of delayed and of refused calls since the server's start."""
        _, _, _, delayed, refused, *_ = _FIELDS.unpack(self._control.read_bytes())
        return delayed, refused

    @property
    def _control(self) -> Path:
        return self._folder / _CONTROL

    def _set(self, mode: int, delay: int) -> None:
        # A mapping writes each number at once. A write to the file would reach the same pages, but could
        # be seen partially.
        with self._control.open("r+b") as file, mmap.mmap(file.fileno(), _FIELDS.size) as shared:
            shared[8:16] = struct.pack("=Q", delay)
            shared[0:8] = struct.pack("=Q", mode)
