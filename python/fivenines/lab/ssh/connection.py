"""An SSH connection for synchronous callers: run commands, send files, forward sockets.

One thread with an event loop serves all connections of this process.
"""

import asyncio
import contextlib
import shlex
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fivenines.base.errors import FiveninesError
from fivenines.base.paths import short_path
from fivenines.base.threads import Background
from fivenines.lab.ssh import login, pipes
from fivenines.lab.ssh.inventory import MachineSettings
from fivenines.lab.ssh.login_shell import MARK, SUDO, after_mark, given, not_begun

if TYPE_CHECKING:
    import asyncssh

T = TypeVar("T")

# Time limits in seconds: for a short command, until the login shell starts it, and for the output of a shell
# that did not start it.
_ANSWER, _BEGIN, _END = 120.0, 30.0, 5.0


@dataclass(frozen=True)
class Done:
    """The end of a command."""

    code: int
    output: str
    error: str

    @property
    def last_words(self) -> str:
        """Return the last line of its output, or its exit code."""
        lines = (self.error or self.output).strip().splitlines()
        return lines[-1] if lines else f"exit code {self.code}"


class Connection:
    """A login session on a machine.

    Raises:
        FiveninesError: the machine cannot be reached or refuses the login; the message gives the reason.
    """

    def __init__(self, name: str, machine: MachineSettings) -> None:
        self.name, self.machine = name, machine
        # Output of the login shell before a command.
        self.chatter = ""
        self._commands: list[str] = []
        self._log: Path | None = None
        self._loop = _loop()
        self._listeners: list[asyncssh.SSHListener] = []
        *self._jumps, self._ssh = self._await(login.connected(name, machine), _ANSWER)
        self.user: str = self._ssh.get_extra_info("username")
        # Ports of the SSH servers, including jump hosts.
        self.ports: list[int] = [server.get_extra_info("port") for server in (*self._jumps, self._ssh)]

    @property
    def alive(self) -> bool:
        """Whether the connection is open."""
        return not self._ssh.is_closed()

    def run(
        self, command: Sequence[str], *, stdin: str = "", root: bool = True, timeout: float = _ANSWER
    ) -> Done:
        """Run a command there to its end, by default as root.

        Raises:
            FiveninesError: the connection was lost, or it took longer than `timeout` seconds.
        """

        async def go() -> Done:
            # Without input the command reads end-of-file at once, even if a start file reads first.
            remote = await self._begin(command, root=root, reads=bool(stdin))
            output, error = await remote.communicate(stdin.encode())
            code = remote.exit_status if remote.exit_status is not None else 255
            return Done(code, after_mark(output), after_mark(error))

        return self._await(go(), timeout)

    async def _begin(
        self, command: Sequence[str], *, root: bool = True, reads: bool = True, log: Path | None = None
    ) -> "asyncssh.SSHClientProcess[bytes]":
        """Start a command there and skip the output before the mark; the command runs on return.

        Raises:
            FiveninesError: the login shell or sudo did not run it; with its output.
        """
        sudo = root and self.user != "root"
        self._note((SUDO if sudo else "") + shlex.join(command))
        to_log = {} if log is None else {"stderr": str(log)}
        remote = await self._ssh.create_process(
            given(command, sudo), encoding=None, request_pty=False, **to_log
        )
        if not reads:
            remote.stdin.write_eof()
        try:
            before = await asyncio.wait_for(remote.stdout.readuntil(MARK), _BEGIN)
            self.chatter = self.chatter or before.removesuffix(MARK).decode(errors="replace").strip()
            return remote
        except asyncio.IncompleteReadError as error:
            output, error_output = error.partial, b""
            with contextlib.suppress(TimeoutError):
                rest, error_output = await asyncio.wait_for(remote.communicate(), _END)
                output += rest
            # The output before the mark must fit into the channel's window.
            ended = "printed too much" if MARK in output else f"ended ({_end_of(remote)})"
            output = output.partition(MARK)[0]
        except TimeoutError:
            output, error_output = remote.collect_output()
            ended = f"waited for {_BEGIN:g} s"
        remote.close()
        errors = error_output if log is None else log.read_bytes()
        raise not_begun(self.name, self.user, sudo, ended, output, errors)

    def need(self, command: Sequence[str], *, stdin: str = "", timeout: float = _ANSWER) -> str:
        """Run a command as root, require its success, and return its output.

        Raises:
            FiveninesError: the command failed, or as for `run`.
        """
        done = self.run(command, stdin=stdin, timeout=timeout)
        if done.code != 0:
            raise FiveninesError(f"{self.name}: {command[0]} failed: {done.last_words}")
        return done.output

    def number(self, command: Sequence[str], *, root: bool = True) -> int:
        """Return the number that a command prints.

        Raises:
            FiveninesError: it printed other text, for example of a program that a start file runs.
        """
        done = self.run(command, root=root)
        if not (text := done.output.strip()).isdigit():
            printed = (text or done.error.strip())[:200]
            raise FiveninesError(
                f"{self.name}: {shlex.join(command)} printed {printed!r} instead of a number. If other text "
                f"is mixed in, stop the program that the login shell of {self.user} leaves running"
            )
        return int(text)

    def _note(self, line: str) -> None:
        self._commands.append(line)
        if self._log is not None:
            self.log_to(self._log)

    def log_to(self, file: Path) -> None:
        """Log all commands, including earlier ones, to a file here."""
        self._log = file
        commands, self._commands = self._commands, []
        with file.open("a") as log:
            log.writelines(f"{line}\n" for line in commands)

    def start(self, command: Sequence[str], log: Path) -> "Remote":
        """Start a command as root with open input; its standard error goes to a log file here."""

        async def go() -> Remote:
            return Remote(await self._begin(command, log=log), log)

        return self._await(go(), _ANSWER)

    def feed(self, command: Sequence[str], source: Sequence[str], timeout: float) -> tuple[str, str]:
        """Pipe the output of a local command to a remote one; return its output and the data's digest.

        Raises:
            FiveninesError: a command failed.
        """

        async def go() -> tuple[str, str]:
            return await pipes.fed(await self._begin(command), self.name, source)

        return self._await(go(), timeout)

    def fetch(self, command: Sequence[str], sink: Sequence[str], timeout: float) -> None:
        """Pipe the output of a remote command to a local one.

        Raises:
            FiveninesError: a command failed.
        """

        async def go() -> None:
            await pipes.fetched(await self._begin(command, reads=False), self.name, sink)

        self._await(go(), timeout)

    def pass_on(self, command: Sequence[str], to: "Connection", sink: Sequence[str], timeout: float) -> None:
        """Pipe the output of a command on this machine to a command on another machine.

        Raises:
            FiveninesError: a command failed.
        """

        async def go() -> str:
            return await pipes.passed(await self._begin(command, reads=False), await to._begin(sink))

        if error := self._await(go(), timeout):
            raise FiveninesError(f"cannot copy files from {self.name} to {to.name}: {error}")

    def lead(self, here: Path, there: str) -> None:
        """Forward a unix socket here to one there."""

        async def go() -> None:
            with short_path(here.parent) as folder:
                listener = await self._ssh.forward_local_path(f"{folder}/{here.name}", there)
            self._listeners.append(listener)

        self._await(go(), _ANSWER)

    def close(self) -> None:
        """Close the connection."""

        async def go() -> None:
            for listener in self._listeners:
                listener.close()
            for connection in (self._ssh, *reversed(self._jumps)):
                connection.close()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ssh.wait_closed(), 5.0)

        with contextlib.suppress(FiveninesError):
            self._await(go(), 10.0)

    def _await(self, work: Coroutine[Any, Any, T], timeout: float) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout)
        except TimeoutError:
            future.cancel()
            raise FiveninesError(f"{self.name}: no answer over SSH within {timeout:g} s") from None
        except FiveninesError:
            raise
        except Exception as error:
            raise FiveninesError(
                f"{self.name}: the SSH connection failed: {error or type(error).__name__}"
            ) from error


class Remote:
    """A running command on the other machine."""

    def __init__(self, process: "asyncssh.SSHClientProcess[bytes]", log: Path) -> None:
        self._process, self._log = process, log
        self._loop = _loop()

    def line(self, timeout: float) -> str:
        """Return the next line of its output; empty at the end or after `timeout` seconds."""
        future = asyncio.run_coroutine_threadsafe(self._process.stdout.readline(), self._loop)
        try:
            return future.result(timeout).decode(errors="replace").strip()
        except TimeoutError:
            future.cancel()
            return ""

    def write(self, data: bytes) -> None:
        """Write to its input; ignored if it has ended."""

        def go() -> None:
            with contextlib.suppress(Exception):
                self._process.stdin.write(data)

        self._loop.call_soon_threadsafe(go)

    def end(self, timeout: float) -> None:
        """Close its input and wait until it has ended."""

        async def go() -> None:
            with contextlib.suppress(Exception):
                self._process.stdin.write_eof()
            await asyncio.wait_for(self._process.wait_closed(), timeout)

        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(go(), self._loop).result(timeout + 1.0)

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process.exit_status is not None or self._process.is_closing()

    def last_words(self) -> str:
        """Return the last lines of its standard error."""
        errors = self._log.read_bytes() if self._log.exists() else b""
        return " ".join(after_mark(errors).strip().splitlines()[-3:])


def _end_of(process: "asyncssh.SSHClientProcess[bytes]") -> str:
    if process.exit_signal is not None:
        return f"signal {process.exit_signal[0]}"
    return "its channel was closed" if process.exit_status is None else f"exit code {process.exit_status}"


_lock = threading.Lock()
_running: list[asyncio.AbstractEventLoop] = []


def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all connections."""
    with _lock:
        if not _running:
            loop = asyncio.new_event_loop()
            Background(target=loop.run_forever, name="ssh").start()
            _running.append(loop)
        return _running[0]
