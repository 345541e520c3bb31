"""One SSH connection: commands, files that go there, sockets that lead there. For callers without async.

All connections of this process live in one thread with an event loop, whichever thread asks.
"""

import asyncio
import contextlib
import shlex
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fivenines.errors import FiveninesError
from fivenines.lab.ssh import login, piped
from fivenines.lab.ssh.inventory import MachineSettings
from fivenines.lab.ssh.login_shell import MARK, SUDO, after_mark, given, not_begun
from fivenines.paths import short_path

if TYPE_CHECKING:
    import asyncssh

T = TypeVar("T")

# Seconds until a short command must have ended, until the login shell must have begun with it, and until
# a shell that did not has said why.
_ANSWER, _BEGIN, _END = 120.0, 30.0, 5.0


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    output: str
    error: str

    @property
    def last_words(self) -> str:
        """The last line that it said."""
        said = (self.error or self.output).strip().splitlines()
        return said[-1] if said else f"exit code {self.code}"


class Connection:
    """A machine that we are logged in to.

    Raises:
        FiveninesError: it cannot be reached, or does not let us in; says why.
    """

    def __init__(self, name: str, machine: MachineSettings) -> None:
        self.name, self.machine = name, machine
        self.chatter = ""
        """What the login shell prints before a command."""
        self._told: list[str] = []
        self._log: Path | None = None
        self._loop = _loop()
        self._listeners: list[asyncssh.SSHListener] = []
        *self._jumps, self._ssh = self._await(login.connected(name, machine), _ANSWER)
        self.user: str = self._ssh.get_extra_info("username")
        self.ports: list[int] = [one.get_extra_info("port") for one in (*self._jumps, self._ssh)]
        """Of the SSH servers on the way."""

    @property
    def alive(self) -> bool:
        """Whether the connection stands."""
        return not self._ssh.is_closed()

    def run(
        self, command: Sequence[str], *, stdin: str = "", root: bool = True, timeout: float = _ANSWER
    ) -> Done:
        """Run a command there to its end, as root unless told otherwise.

        Raises:
            FiveninesError: the connection was lost, or it took longer than `timeout` seconds.
        """

        async def go() -> Done:
            # one that is given nothing reads an end at once, also where a start file reads first
            there = await self._begin(command, root=root, reads=bool(stdin))
            output, error = await there.communicate(stdin.encode())
            code = there.exit_status if there.exit_status is not None else 255
            return Done(code, after_mark(output), after_mark(error))

        return self._await(go(), timeout)

    async def _begin(
        self, command: Sequence[str], *, root: bool = True, reads: bool = True, log: Path | None = None
    ) -> "asyncssh.SSHClientProcess[bytes]":
        """Start a command there; it runs on return, and its output begins behind the mark.

        Raises:
            FiveninesError: the login shell, or sudo, did not run it; says what it printed.
        """
        sudo = root and self.user != "root"
        self._note((SUDO if sudo else "") + shlex.join(command))
        to_log = {} if log is None else {"stderr": str(log)}
        there = await self._ssh.create_process(
            given(command, sudo), encoding=None, request_pty=False, **to_log
        )
        if not reads:
            there.stdin.write_eof()
        try:
            before = await asyncio.wait_for(there.stdout.readuntil(MARK), _BEGIN)
            self.chatter = self.chatter or before.removesuffix(MARK).decode(errors="replace").strip()
            return there
        except asyncio.IncompleteReadError as error:
            output, error_output = error.partial, b""
            with contextlib.suppress(TimeoutError):
                rest, error_output = await asyncio.wait_for(there.communicate(), _END)
                output += rest
            # what comes before the mark must fit into the window of the channel
            ended = "printed too much" if MARK in output else f"ended ({_end_of(there)})"
            output = output.partition(MARK)[0]
        except TimeoutError:
            output, error_output = there.collect_output()
            ended = f"waited for {_BEGIN:g} s"
        there.close()
        said = error_output if log is None else log.read_bytes()
        raise not_begun(self.name, self.user, sudo, ended, output, said)

    def need(self, command: Sequence[str], *, stdin: str = "", timeout: float = _ANSWER) -> str:
        """As `run`, as root; its output.

        Raises:
            FiveninesError: it failed, too.
        """
        done = self.run(command, stdin=stdin, timeout=timeout)
        if done.code != 0:
            raise FiveninesError(f"{self.name}: {command[0]} failed: {done.last_words}")
        return done.output

    def number(self, command: Sequence[str], *, root: bool = True) -> int:
        """Return the number that a command prints.

        Raises:
            FiveninesError: it printed something else, too, as what a start file left running may do.
        """
        done = self.run(command, root=root)
        if not (text := done.output.strip()).isdigit():
            said = (text or done.error.strip())[:200]
            raise FiveninesError(
                f"{self.name}: {shlex.join(command)} printed {said!r} instead of a number. If part of it is "
                f"not its own, a program prints it that the login shell of {self.user} leaves running"
            )
        return int(text)

    def _note(self, line: str) -> None:
        self._told.append(line)
        if self._log is not None:
            self.log_to(self._log)

    def log_to(self, file: Path) -> None:
        """Write each command that the machine is given into a file here, those up to now, too."""
        self._log = file
        told, self._told = self._told, []
        with file.open("a") as log:
            log.writelines(f"{line}\n" for line in told)

    def start(self, command: Sequence[str], log: Path) -> "Remote":
        """Start a command as root, whose input stays open; what it says of errors goes to a log file here."""

        async def go() -> Remote:
            return Remote(await self._begin(command, log=log), log)

        return self._await(go(), _ANSWER)

    def feed(self, command: Sequence[str], source: Sequence[str], timeout: float) -> tuple[str, str]:
        """Let a command there read what one here writes; the output of the one there, and the digest of what
        it was given.

        Raises:
            FiveninesError: one of them failed.
        """

        async def go() -> tuple[str, str]:
            return await piped.fed(await self._begin(command), self.name, source)

        return self._await(go(), timeout)

    def fetch(self, command: Sequence[str], sink: Sequence[str], timeout: float) -> None:
        """Let a command here read what one there writes.

        Raises:
            FiveninesError: one of them failed.
        """

        async def go() -> None:
            await piped.fetched(await self._begin(command, reads=False), self.name, sink)

        self._await(go(), timeout)

    def pass_on(self, command: Sequence[str], to: "Connection", sink: Sequence[str], timeout: float) -> None:
        """Let a command on another machine read what one here writes.

        Raises:
            FiveninesError: one of them failed.
        """

        async def go() -> str:
            return await piped.passed(await self._begin(command, reads=False), await to._begin(sink))

        if said := self._await(go(), timeout):
            raise FiveninesError(f"{self.name} to {to.name}: files could not be copied: {said}")

    def lead(self, here: Path, there: str) -> None:
        """Let a unix socket here lead to one there."""

        async def go() -> None:
            with short_path(here.parent) as folder:
                listener = await self._ssh.forward_local_path(f"{folder}/{here.name}", there)
            self._listeners.append(listener)

        self._await(go(), _ANSWER)

    def close(self) -> None:
        """Hang up."""

        async def go() -> None:
            for listener in self._listeners:
                listener.close()
            for one in (self._ssh, *reversed(self._jumps)):
                one.close()
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
    """A command at work on the other machine."""

    def __init__(self, process: "asyncssh.SSHClientProcess[bytes]", log: Path) -> None:
        self._process, self._log = process, log
        self._loop = _loop()

    def line(self, timeout: float) -> str:
        """The next line of its output; empty where there will be none."""
        future = asyncio.run_coroutine_threadsafe(self._process.stdout.readline(), self._loop)
        try:
            return future.result(timeout).decode(errors="replace").strip()
        except TimeoutError:
            future.cancel()
            return ""

    def write(self, data: bytes) -> None:
        """Give it some input; nothing happens where it has ended."""

        def go() -> None:
            with contextlib.suppress(Exception):
                self._process.stdin.write(data)

        self._loop.call_soon_threadsafe(go)

    def end(self, timeout: float) -> None:
        """Let its input end, and wait until it has."""

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
        """The last lines that it said."""
        said = self._log.read_bytes() if self._log.exists() else b""
        return " ".join(after_mark(said).strip().splitlines()[-3:])


def _end_of(process: "asyncssh.SSHClientProcess[bytes]") -> str:
    if process.exit_signal is not None:
        return f"signal {process.exit_signal[0]}"
    return "its channel was closed" if process.exit_status is None else f"exit code {process.exit_status}"


_lock = threading.Lock()
_running: list[asyncio.AbstractEventLoop] = []


def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of all connections."""
    with _lock:
        if not _running:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="ssh", daemon=True).start()
            _running.append(loop)
        return _running[0]
