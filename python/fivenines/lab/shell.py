"""Commands that a person wrote into an experiment file, run by the machine's shell with a bound."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.process import tail

_LAST_LINES = 4


@dataclass(frozen=True)
class Done:
    """How a command ended; `code` None: it was still running when its time was up, and was killed."""

    code: int | None
    seconds: float
    last_lines: str

    @property
    def told(self) -> str:
        """In words, with the exit code and the last lines."""
        how = f"exit code {self.code}" if self.code is not None else "it did not end in time"
        said = "; ".join(line.strip() for line in self.last_lines.splitlines() if line.strip())
        return f"{how} after {self.seconds:.2f} s" + (f": {said}" if said else "")


def filled(command: str, values: Mapping[str, str]) -> str:
    """The command with `{node}` and the like replaced, each quoted for the shell.

    Other braces stay as they are: `${HOME}` and `{a,b}` are the shell's.
    """
    for name, value in values.items():
        command = command.replace("{" + name + "}", shlex.quote(value))
    return command


def run(command: str, log: Path, timeout: float, env: Mapping[str, str] | None = None) -> Done:
    """Run a command by `/bin/sh -c` to its end, its output added to a log file.

    Whatever it leaves running on purpose (a server that it started) stays: only what is left of the
    command itself when `timeout` seconds are over is killed, with its process group.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with log.open("ab") as output:
        output.write(f"$ {command}\n".encode())
        output.flush()
        before = output.tell()
        # a file, not a pipe: a server that is started in the background would keep a pipe open
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
    said = tail(log, _LAST_LINES) if log.stat().st_size > before else ""
    lines = [line for line in said.splitlines() if line != f"$ {command}"]
    return Done(code, round(seconds, 3), "\n".join(lines[-_LAST_LINES:]))


@contextmanager
def _ends_with_us(group: int) -> Iterator[None]:
    """Whoever kills us in the block kills a process group, too: somebody waits for our end of a pipe."""
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
    """As `run`; `what` is how messages call the command.

    Raises:
        FiveninesError: it failed, or did not end in time; with its exit code and its last lines.
    """
    done = run(command, log, timeout, env)
    if done.code != 0:
        raise FiveninesError(f"{what} failed: {done.told}")
    return done
