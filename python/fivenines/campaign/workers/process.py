"""Workers on this machine: processes, each pinned to its own CPUs."""

import os
import platform
import signal
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from fivenines.campaign.workers.base import PATIENCE, Delivered, Order, WorkerLostError
from fivenines.campaign.workers.processors import allowed, shares
from fivenines.results import layout
from fivenines.trial.progress import Listener

if TYPE_CHECKING:
    from pathlib import Path


class ProcessWorker:
    """A worker process, started with the first order, and restarted after it was lost.

    Args:
        name: name in output and records.
        processors: CPUs of the worker and its trials.
        neighbours: number of other workers on this machine.
    """

    def __init__(self, name: str, processors: list[int], neighbours: int) -> None:
        self.name = name
        self.host = platform.node()
        self._words = [name, str(neighbours), *(str(processor) for processor in processors)]
        self._child: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None
        self._interrupted = False

    def carry_out(self, order: Order, listener: Listener) -> Delivered:
        """Run the order in the process, and pass its events to the listener."""
        connection = self._started()
        try:
            connection.send(order)
            while True:
                kind, message = connection.recv()
                if kind == "event":
                    listener(message)
                elif kind == "failed":
                    raise message
                else:
                    assert isinstance(message, Delivered)
                    return message
        except (EOFError, ConnectionError):
            code = self._end()
            _forget(order.folder, order.work.id)
            if self._interrupted:
                raise KeyboardInterrupt from None
            raise WorkerLostError(f"{self.name} ended during the trial ({_why(code)})") from None

    def host_available(self) -> bool:
        """Return True: the process is restarted."""
        return True

    def interrupt(self) -> None:
        """Cancel the current trial, and end the process."""
        self._interrupted = True
        if self._child is not None and self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)

    def close(self) -> None:
        """End the process."""
        self._end()

    def _started(self) -> "Connection[Any, Any]":
        if self._interrupted:
            raise KeyboardInterrupt
        if self._connection is None:
            ours, theirs = socket.socketpair()
            with theirs:
                end = theirs.fileno()
                program = [sys.executable, "-m", f"{__package__}.child", str(end)]
                # Ctrl-C is for the controller, which tells its workers
                self._child = subprocess.Popen(
                    [*program, *self._words],
                    pass_fds=(end,),
                    stdin=subprocess.DEVNULL,
                    # also what is hidden from libraries here, for users' commands
                    env=dict(os.environ),
                    start_new_session=True,
                )
            self._connection = Connection(ours.detach())
        return self._connection

    def _end(self) -> int:
        child, connection = self._child, self._connection
        self._child = self._connection = None
        if connection is not None:
            connection.close()
        if child is None:
            return 0
        try:
            return child.wait(PATIENCE)
        except BaseException:
            # labs end with the process that holds their lifelines
            child.kill()
            child.wait()
            raise


def on_this_machine(count: int) -> list[ProcessWorker]:
    """So many workers, with this machine's processors shared out among them."""
    given = shares(allowed(), count)
    return [
        ProcessWorker(f"worker {n}", processors, count - 1) for n, processors in enumerate(given, start=1)
    ]


def _forget(run: "Path", trial: str) -> None:
    from fivenines.lab.lab import remove_tree  # noqa: PLC0415

    remove_tree(layout.part_folder(run, trial))


def _why(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    return f"{signal.Signals(-code).name}: by hand, or by the kernel when memory ran out"
