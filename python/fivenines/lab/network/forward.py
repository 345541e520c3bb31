"""Forward ports of the machine's 127.0.0.1 into a lab: `fivenines-core forward` on one of its hosts.

A socket belongs to the network namespace in which it was created. The listening sockets are created here and
passed to a process in the lab, which accepts on the machine and connects in the lab. This needs no root.
"""

import contextlib
import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from fivenines.base.core import core_binary
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.host import Host

# The only address of the machine that forwards into a lab.
LOOPBACK = "127.0.0.1"

# NETLINK_SOCK_DIAG (sock_diag(7)) reports the user id of a connecting program.
_DIAGNOSTICS = 4

# Attempts to bind a free port: another process can take it between two calls.
_TRIES = 20


class Forwarder:
    """Relay connections from ports of the machine to addresses in the lab, for our account only.

    The relay ends with the host's network, and so with its lab.

    Args:
        host: host with the network that the connections come from.
        targets: address:port in the lab; each gets a port.
        base: port of the first target, the others follow; None: free ports.
        log: log file of the relay.

    Raises:
        UsageError: a requested port is in use.
    """

    def __init__(self, host: Host, targets: Sequence[str], base: int | None, log: Path) -> None:
        with ExitStack() as ours:
            listeners = [
                ours.enter_context(_listener(None if base is None else base + number))
                for number in range(len(targets))
            ]
            # The ports of the targets, in their order.
            self.ports: list[int] = [each.getsockname()[1] for each in listeners]
            diagnostics = ours.enter_context(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAGNOSTICS))
            command = [str(core_binary()), "forward", f"--user={os.getuid()}"]
            command += [f"--diagnostics={diagnostics.fileno()}"]
            command += [
                f"--endpoint={each.fileno()}={target}"
                for each, target in zip(listeners, targets, strict=True)
            ]
            with log.open("ab") as output:
                self._process = subprocess.Popen(
                    host.commands.outside(command),
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    pass_fds=[each.fileno() for each in (*listeners, diagnostics)],
                    start_new_session=True,
                )

    def doubt(self, number: int) -> None:
        """Report that the server of a target (from 0) may have ended, so that its port can refuse."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(f"{number}\n".encode())
            self._process.stdin.flush()

    @property
    def alive(self) -> bool:
        """Whether the relay runs."""
        return self._process.poll() is None


def _listener(port: int | None) -> socket.socket:
    if port is not None:
        try:
            return socket.create_server((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a valid port number"
            raise UsageError(
                f"up: --port: cannot listen at {LOOPBACK}:{port}: {reason}; choose another port, or omit "
                "--port to use free ports"
            ) from None
    for _ in range(_TRIES):
        with socket.create_server((LOOPBACK, 0)) as free:
            number = free.getsockname()[1]
        # Only a socket that was bound by number keeps its port while it refuses connections.
        with contextlib.suppress(OSError):
            return socket.create_server((LOOPBACK, number))
    raise FiveninesError(f"no free port at {LOOPBACK}")
