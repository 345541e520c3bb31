"""Run shell commands of an experiment file on this machine, with a time limit."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.process import tail

_LAST_LINES = 4


@dataclass(frozen=True)
class Done:
    """The end of a command; `code` None: it exceeded its time limit and was killed."""

    code: int | None
    seconds: float
    last_lines: str

    @property
    def summary(self) -> str:
        """Return the exit code, the duration and the last lines, as a sentence."""
        how = f"exit code {self.code}" if self.code is not None else "killed at its time limit"
        output = "; ".join(line.strip() for line in self.last_lines.splitlines() if line.strip())
        return f"{how} after {self.seconds:.2f} s" + (f": {output}" if output else "")


def run(command: str, log: Path, timeout: float, env: Mapping[str, str] | None = None) -> Done:
    """Run a command with `/bin/sh -c` to its end and append its output to a log file.

    Processes that the command leaves in the background, such as a server, keep running. If the command
    itself exceeds `timeout` seconds, it is killed with its process group.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with log.open("ab") as output:
        output.write(f"$ {command}\n".encode())
        output.flush()
        before = output.tell()
        # A file instead of a pipe: a server that is started in the background would keep the pipe open.
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        code: int | None
        with _ends_with_us(process.pid):
            try:
                code = process.wait(timeout)
            except subprocess.TimeoutExpired:
                code = None
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    seconds = time.monotonic() - begun
    output_tail = tail(log, _LAST_LINES) if log.stat().st_size > before else ""
    lines = [line for line in output_tail.splitlines() if line != f"$ {command}"]
    return Done(code, round(seconds, 3), "\n".join(lines[-_LAST_LINES:]))


@contextmanager
def _ends_with_us(group: int) -> Iterator[None]:
    """Kill a process group if we are killed within the block: a guard process waits for our end of a pipe."""
    guard = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _; kill -s KILL -- "-$1"', "sh", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        guard.kill()
        guard.communicate()


def require(what: str, command: str, log: Path, timeout: float, env: Mapping[str, str]) -> Done:
    """Run a command as `run` does and require its success; `what` names the command in messages.

    Raises:
        FiveninesError: it failed or exceeded its time limit; with its exit code and its last lines.
    """
    done = run(command, log, timeout, env)
    if done.code != 0:
        raise FiveninesError(f"{what} failed: {done.summary}")
    return done
