"""The process of a running load, and its output."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from fivenines.base.threads import Background
from fivenines.lab.processes.tree import below


class LoadProcess:
    """A load generator, which starts at once.

    Args:
        command: its command line.
        environment: its additional environment variables.
        errors: file of its error output.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], errors: Path) -> None:
        self._file = errors
        self._errors = errors.open("w+")
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, **environment},
            start_new_session=True,
        )
        self._reader: Background | None = None

    def listen(self, read_line: Callable[[str], None]) -> None:
        """Call a function with each line of its standard output, in a separate thread, from now on."""
        self._reader = Background(target=self._listen, args=(read_line,))
        self._reader.start()

    @property
    def pid(self) -> int:
        """Return the process id of the load, or of its wrapper."""
        return self._popen.pid

    @property
    def status(self) -> int | None:
        """Return the exit code; None while it is running."""
        return self._popen.poll()

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""
        return self._popen.poll() is not None

    @property
    def drained(self) -> bool:
        """Return whether it has ended and all of its output has been read."""
        return self.ended and not (self._reader is not None and self._reader.is_alive())

    def wait(self, timeout: float) -> int | None:
        """Wait until it has ended and all of its output has been read; return its exit code.

        Returns None if it is still running after `timeout` seconds.
        """
        try:
            status = self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        if self._reader is not None:
            self._reader.join(5.0)
        return status

    def finish(self) -> None:
        """Let it end as at the end of its time; returns at once."""
        for child in children(self._popen.pid):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGTERM)

    def stop(self, timeout: float) -> None:
        """Let it end early; kill it after `timeout` seconds."""
        self.finish()
        try:
            self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            for child in children(self._popen.pid):
                os.kill(child, signal.SIGKILL)
            self._popen.kill()

    def last_errors(self) -> str:
        """Return the end of its error output, or its exit code."""
        self._errors.flush()
        text = self._file.read_text(errors="replace").strip()
        return text[-500:] or f"exit code {self._popen.poll()}"

    def _listen(self, read_line: Callable[[str], None]) -> None:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            read_line(line)


def children(pid: int) -> list[int]:
    """Return the load's process ids: the children of its wrapper, or the process itself without one."""
    return [child.pid for child in below(pid)] or ([pid] if psutil.pid_exists(pid) else [])
