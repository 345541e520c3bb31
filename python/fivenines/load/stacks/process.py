"""A running program of a client stack; its lines are kept in a file as they come."""

import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.lab.processes.bound import ends_with_us
from fivenines.load.stacks.protocol import Conformance, Ready, Task, Transaction

# Seconds for the pool to open, and for the program to end after its input.
READY, ENDED = 180.0, 5.0

# Number of last lines of the error output that are kept.
_KEPT = 20


class RunningStack:
    """The program of a stack, which starts at once.

    Args:
        command: its command line.
        task: its task.
        lines: file of its lines.
    """

    def __init__(self, command: Sequence[str], task: Task, lines: Path) -> None:
        self.task, self.file = task, lines
        self.ready: Ready | None = None
        self.committed = 0
        # The last moment at which a transaction was committed; before the first, of readiness.
        self.last_commit_us = 0
        # Code and message of the last attempt that was not committed.
        self.last_failure = ""
        # The moment at which its output ended; None while it runs.
        self.gone_us: int | None = None
        self._last_of_workers: dict[int, int] = {}
        self._conformance = Conformance(task.workers)
        self._opened = threading.Event()
        self._errors: deque[str] = deque(maxlen=_KEPT)
        self._process = subprocess.Popen(
            [*ends_with_us("TERM"), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,
        )
        self._readers = [Background(target=self._read), Background(target=self._read_errors)]
        for reader in self._readers:
            reader.start()
        self._tell()

    def await_ready(self, seconds: float = READY) -> None:
        """Wait until the pool is open.

        Raises:
            FiveninesError: the program ended, writes something else first, or is not ready in time.
        """
        deadline = time.monotonic() + seconds
        while not self._opened.wait(0.05):
            if problems := self._conformance.problems:
                raise FiveninesError(f"stack {self.task.name}: {problems[0]}")
            if (code := self._process.poll()) is not None:
                self._join()
                raise FiveninesError(f"stack {self.task.name} ended with exit code {code}: {self.errors}")
            if time.monotonic() > deadline:
                raise FiveninesError(
                    f"stack {self.task.name} was not ready within {seconds:g} s: {self.errors}"
                )

    @property
    def pid(self) -> int:
        """Return the process id of the program, or of its wrapper."""
        return self._process.pid

    def all_since(self, moment_us: int) -> bool:
        """Return whether each worker has committed since a moment in us of CLOCK_MONOTONIC."""
        last = dict(self._last_of_workers)
        return len(last) >= self.task.workers and min(last.values()) >= moment_us

    @property
    def exit_code(self) -> int | None:
        """Return the exit code; None while it is running."""
        return self._process.poll()

    @property
    def errors(self) -> str:
        """Return the last line of its error output."""
        return self._errors[-1].strip() if self._errors else "no error output"

    def end(self) -> list[str]:
        """End the program; return what is wrong with its lines.

        A program that does not end in time is killed, which is a problem as well.
        """
        problems = []
        if (code := self.exit_code) is not None:
            problems.append(f"the program ended by itself with exit code {code}: {self.errors}")
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self._process.wait(ENDED)
        except subprocess.TimeoutExpired:
            problems.append(f"the program did not end within {ENDED:g} s of the end of its input")
            self._process.kill()
            self._process.wait()
        self._join()
        return [*problems, *self._conformance.finish()]

    def _tell(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(self.task.line() + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # `await_ready` says why it ended

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self.file.open("w") as kept:
            for text in self._process.stdout:
                kept.write(text)
                line = self._conformance.feed(text)
                if isinstance(line, Ready):
                    self.ready, self.last_commit_us = line, line.at_us
                    self._opened.set()
                elif isinstance(line, Transaction) and line.outcome == "committed":
                    self.committed += 1
                    self.last_commit_us = line.end_us
                    self._last_of_workers[line.worker] = line.end_us
                elif isinstance(line, Transaction):
                    self.last_failure = f"{line.code} at the stage {line.stage}: {line.message}"
        self.gone_us = time.monotonic_ns() // 1000

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for text in self._process.stderr:
            self._errors.append(text)

    def _join(self) -> None:
        for reader in self._readers:
            reader.join(ENDED)


def await_turn(running: Sequence[RunningStack]) -> None:
    """Wait until a further program may start: at most one for each CPU starts at the same time.

    Many that start together starve each other, and exceed the time-outs of their drivers for connecting.

    Raises:
        FiveninesError: a program did not become ready.
    """
    for program in running[: 1 - len(os.sched_getaffinity(0)) or None]:
        program.await_ready()
