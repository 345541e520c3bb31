"""Start a first process (`fivenines-core init`) and read its PID from its lifeline.

The lifeline is a socket pair. The first process writes one byte when it is ready, and the kernel adds its
PID as we see it (unix(7), SCM_CREDENTIALS). It exits when our end closes, and so also when we are killed.
"""

import contextlib
import socket
import struct
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.waiting import is_ready
from fivenines.lab.processes.process import end_within, start_logged

_CREDENTIALS = struct.Struct("3i")


@dataclass
class FirstProcess:
    """The process 1 of a lab or host, its PID as seen from here, and our end of its lifeline."""

    pid: int
    waiter: subprocess.Popen[bytes]
    lifeline: socket.socket

    def end(self, timeout: float = 10.0) -> None:
        """Close the lifeline and wait until the kernel has ended all processes below."""
        self.lifeline.close()
        end_within(self.waiter, timeout)


def start(command: Sequence[str], log: Path, timeout: float = 10.0) -> FirstProcess:
    """Start `command --lifeline N` and wait until it reports that it is ready.

    Raises:
        FiveninesError: it ended or was not ready in time; the message has its last lines.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    with theirs:
        end = theirs.fileno()
        waiter = start_logged([*command, "--lifeline", str(end)], log, pass_fds=(end,))
    pid = _await_ready(ours, waiter, time.monotonic() + timeout)
    if pid is None:
        ours.close()
        with contextlib.suppress(ProcessLookupError):
            waiter.kill()
        waiter.wait()
        raise FiveninesError(
            f"the lab could not be set up: {_last_words(log) or 'no answer'}\n"
            "run `fivenines doctor` to list what this machine lacks"
        )
    return FirstProcess(pid, waiter, ours)


def _await_ready(ours: socket.socket, waiter: subprocess.Popen[bytes], deadline: float) -> int | None:
    while time.monotonic() < deadline:
        if not is_ready(0.1, [ours]):
            if waiter.poll() is not None:
                return None
            continue
        data, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
        if not data:
            return None
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                pid: int = _CREDENTIALS.unpack(payload[: _CREDENTIALS.size])[0]
                return pid
    return None


def _last_words(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return " ".join(line.strip() for line in lines[-4:] if line.strip())
