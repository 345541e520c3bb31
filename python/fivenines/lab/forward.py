"""Ports on the machine's 127.0.0.1 that lead into a lab: `fivenines-core forward` on one of its hosts.

A socket belongs to the network that it was made in: those that listen are made here, and handed over to a
process in the lab, which accepts from the machine and connects in the lab. Nobody needs root for that.
"""

import contextlib
import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from fivenines.core import core_binary
from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.host import Host

LOOPBACK = "127.0.0.1"
"""The only address of the machine that leads into a lab."""

_DIAGNOSTICS = 4
"""NETLINK_SOCK_DIAG (sock_diag(7)): tells whose program connected."""

_TRIES = 20
"""A port that was free a moment ago may be somebody else's now."""


class Forwarder:
    """Relays connections from ports of the machine to addresses in the lab, for our own account alone.

    It ends with the host's network, so with its lab.

    Args:
        host: whose place in the lab's network clients of the machine have.
        targets: address:port in the lab, each gets a port.
        base: the port of the first one, the others follow; None: any that are free.
        log: what it says.

    Raises:
        UsageError: a port that is asked for is taken.
    """

    def __init__(self, host: Host, targets: Sequence[str], base: int | None, log: Path) -> None:
        with ExitStack() as ours:
            listeners = [
                ours.enter_context(_listener(None if base is None else base + number))
                for number in range(len(targets))
            ]
            self.ports: list[int] = [each.getsockname()[1] for each in listeners]
            """Of the targets, in their order."""
            asked = ours.enter_context(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAGNOSTICS))
            command = [str(core_binary()), "forward", f"--user={os.getuid()}"]
            command += [f"--diagnostics={asked.fileno()}"]
            command += [
                f"--endpoint={each.fileno()}={target}"
                for each, target in zip(listeners, targets, strict=True)
            ]
            with log.open("ab") as output:
                self._process = subprocess.Popen(
                    host.beside(command),
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    pass_fds=[each.fileno() for each in (*listeners, asked)],
                    start_new_session=True,
                )

    def doubt(self, number: int) -> None:
        """Say that the server of a target (from 0) may have ended: its port may have to refuse, too."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(f"{number}\n".encode())
            self._process.stdin.flush()

    @property
    def alive(self) -> bool:
        """Whether it still relays."""
        return self._process.poll() is None


def _listener(port: int | None) -> socket.socket:
    if port is not None:
        try:
            return socket.create_server((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else "there is no such port"
            raise UsageError(
                f"up: --port: {LOOPBACK}:{port} cannot be used: {reason}; choose another, or leave "
                "--port out for ports that are free"
            ) from None
    for _ in range(_TRIES):
        with socket.create_server((LOOPBACK, 0)) as free:
            found = free.getsockname()[1]
        # by its number: only then does it stay ours while it refuses connections
        with contextlib.suppress(OSError):
            return socket.create_server((LOOPBACK, found))
    raise FiveninesError(f"no port of {LOOPBACK} is free")
