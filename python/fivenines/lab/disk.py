"""A host's disk that can grow slow or full while its server runs; see `fivenines-core disk`.

Without privileges no device can be slowed and no file system made small. But the kernel can be told to
ask before some calls of a program (seccomp(2), user notification): the server itself is unchanged.
"""

import mmap
import struct
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, Protocol

from fivenines.core import core_binary
from fivenines.lab.host import NODE, Host

Calls = Literal["sync", "write"]
"""`sync` can be slow, `write` can be refused; each costs a little in normal times, too."""

_FIELDS = struct.Struct("=8Q")
_NORMAL, _SLOW, _FULL = 0, 1, 2
_PROGRAM, _CONTROL = "fivenines-core", "disk"


class FaultyDisk(Protocol):
    """A disk that can be broken while its server runs."""

    counts_refusals: bool
    """Whether it counts the writes that it refuses; else it says 1 while it is full."""

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command line that runs a command on this disk."""

    def slow(self, seconds: float) -> None:
        """Each flush to disk takes so much longer from now on."""

    def full(self) -> None:
        """From now on no file grows: ENOSPC."""

    def normal(self) -> None:
        """As it was."""

    def counts(self) -> tuple[int, int]:
        """How many flushes were delayed, or may have been, and how many writes refused, since its start."""


class Disk:
    """The disk below a host's data folder, for a server that was started by `wrap`."""

    counts_refusals = True

    def __init__(self, host: Host, calls: Collection[Calls]) -> None:
        self._folder = host.node / "run"
        self._calls = sorted(calls)

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command line that runs a command on this disk, which is normal again."""
        program = self._folder / _PROGRAM
        if not program.exists():
            # the engine's root knows nothing of us, but the host's own folder is in it. A process of its own
            # copies: a child that another thread forks meanwhile would hold our copy open, and nobody can
            # run a file that is open for writing
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
        """Each flush to disk takes so much longer from now on."""
        self._set(_SLOW, round(seconds * 1e6))

    def full(self) -> None:
        """From now on no file grows: ENOSPC."""
        self._set(_FULL, 0)

    def normal(self) -> None:
        """As it was; what is delayed goes on within 20 ms."""
        self._set(_NORMAL, 0)

    def counts(self) -> tuple[int, int]:
        """How many calls were delayed, and how many refused, since the server's start."""
        _, _, _, delayed, refused, *_ = _FIELDS.unpack(self._control.read_bytes())
        return delayed, refused

    @property
    def _control(self) -> Path:
        return self._folder / _CONTROL

    def _set(self, mode: int, delay: int) -> None:
        # through a mapping, as the other end has one: a write of the file would be one to the same pages,
        # but not number by number
        with self._control.open("r+b") as file, mmap.mmap(file.fileno(), _FIELDS.size) as shared:
            shared[8:16] = struct.pack("=Q", delay)
            shared[0:8] = struct.pack("=Q", mode)
