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

from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.ssh.inventory import MachineSettings
from fivenines.paths import short_path

if TYPE_CHECKING:
    import asyncssh

T = TypeVar("T")

_CONNECT, _ANSWER = 15.0, 120.0
"""Seconds until a machine must have let us in, and until a short command must have ended."""

SUDO = "sudo -n -- env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "
"""Before each command, where the login is not root's: with a PATH that root's programs are in."""

_ALIVE = 3.0
"""Seconds between two questions whether the other end is there; the third without an answer ends it."""


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
        self._told: list[str] = []
        self._log: Path | None = None
        self._loop = _loop()
        self._listeners: list[asyncssh.SSHListener] = []
        self._ssh = self._await(_connected(name, machine), _CONNECT + 5)
        self.user = self._ssh.get_extra_info("username")
        self._sudo = "" if self.user == "root" else SUDO

    @property
    def alive(self) -> bool:
        """Whether the connection stands."""
        return not self._ssh.is_closed()

    def run(
        self,
        command: Sequence[str],
        *,
        stdin: str = "",
        root: bool = True,
        timeout: float = _ANSWER,
    ) -> Done:
        """Run a command there to its end, as root unless told otherwise.

        Raises:
            FiveninesError: the connection was lost, or it took longer than `timeout` seconds.
        """
        line = self.line(command, root)

        async def go() -> Done:
            done = await self._ssh.run(line, input=stdin, check=False, errors="replace")
            code = done.exit_status if done.exit_status is not None else 255
            return Done(code, str(done.stdout or ""), str(done.stderr or ""))

        return self._await(go(), timeout)

    def need(self, command: Sequence[str], *, stdin: str = "", timeout: float = _ANSWER) -> str:
        """As `run`, as root; its output.

        Raises:
            FiveninesError: it failed, too.
        """
        done = self.run(command, stdin=stdin, timeout=timeout)
        if done.code != 0:
            raise FiveninesError(f"{self.name}: {command[0]} failed: {done.last_words}")
        return done.output

    def line(self, command: Sequence[str], root: bool = True) -> str:
        """The command as the machine's shell is given it now."""
        line = (self._sudo if root else "") + shlex.join(command)
        self._told.append(line)
        if self._log is not None:
            self.log_to(self._log)
        return line

    def log_to(self, file: Path) -> None:
        """Write each command that the machine is given into a file here, those up to now, too."""
        self._log = file
        told, self._told = self._told, []
        with file.open("a") as log:
            log.writelines(f"{line}\n" for line in told)

    def start(self, command: Sequence[str], log: Path) -> "Remote":
        """Start a command as root, whose input stays open; what it says of errors goes to a log file here."""
        return self._await(_started(self._ssh, self.line(command), log), _ANSWER)

    def feed(
        self, command: Sequence[str], source: Sequence[str], timeout: float
    ) -> tuple[str, str]:
        """Let a command there read what one here writes; the output of the one there, and the digest of what
        it was given.

        Raises:
            FiveninesError: one of them failed.
        """
        return self._await(_fed(self._ssh, self.name, self.line(command), source), timeout)

    def fetch(self, command: Sequence[str], sink: Sequence[str], timeout: float) -> None:
        """Let a command here read what one there writes.

        Raises:
            FiveninesError: one of them failed.
        """
        self._await(_fetched(self._ssh, self.name, self.line(command), sink), timeout)

    def pass_on(
        self, command: Sequence[str], to: "Connection", sink: Sequence[str], timeout: float
    ) -> None:
        """Let a command on another machine read what one here writes.

        Raises:
            FiveninesError: one of them failed.
        """
        way = _passed(self._ssh, self.line(command), to._ssh, to.line(sink))
        if said := self._await(way, timeout):
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
            self._ssh.close()
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
        lines = (
            self._log.read_text(errors="replace").strip().splitlines() if self._log.exists() else []
        )
        return " ".join(lines[-3:])


def require_library() -> None:
    """Make sure that the library is there.

    Raises:
        UsageError: it is not; says how it is installed.
    """
    try:
        import asyncssh  # noqa: F401, PLC0415  (an extra: not everybody has it)
    except ImportError:
        raise UsageError(
            "hosts over SSH need the library asyncssh: pip install 'fivenines[ssh]'"
        ) from None


async def _connected(name: str, machine: MachineSettings) -> "asyncssh.SSHClientConnection":
    import asyncssh  # noqa: PLC0415

    given: dict[str, Any] = {"keepalive_interval": _ALIVE, "login_timeout": _CONNECT}
    if machine.user is not None:
        given["username"] = machine.user
    if machine.port is not None:
        given["port"] = machine.port
    if machine.key is not None:
        given["client_keys"] = [machine.key]
    if machine.known_hosts is not None:
        given["known_hosts"] = machine.known_hosts
    at = machine.ssh or str(machine.address)
    try:
        return await asyncio.wait_for(asyncssh.connect(at, **given), _CONNECT)
    except TimeoutError:
        raise FiveninesError(
            f"{name}: no answer from {at} over SSH within {_CONNECT:g} s"
        ) from None
    except asyncssh.HostKeyNotVerifiable:
        raise FiveninesError(
            f"{name}: the key of {at} is not known: log in once by `ssh {at}` and check it, or name the file "
            "that has it by `known_hosts` in the inventory"
        ) from None
    except asyncssh.PermissionDenied:
        who = machine.user or "this user"
        raise FiveninesError(
            f"{name}: {at} does not let {who} in: add the public key to its authorized_keys, or name "
            "the private one by `key` in the inventory"
        ) from None
    except (OSError, asyncssh.Error) as error:
        raise FiveninesError(f"{name}: {at} cannot be reached over SSH: {error}") from None


async def _started(ssh: "asyncssh.SSHClientConnection", line: str, log: Path) -> Remote:
    process = await ssh.create_process(line, encoding=None, stderr=str(log))
    return Remote(process, log)


async def _fed(
    ssh: "asyncssh.SSHClientConnection", name: str, line: str, source: Sequence[str]
) -> tuple[str, str]:
    import hashlib  # noqa: PLC0415

    digest = hashlib.sha256()
    here = await asyncio.create_subprocess_exec(
        *source, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, limit=_PIECE
    )
    assert here.stdout is not None
    async with ssh.create_process(line, encoding=None) as there:
        try:
            while piece := await here.stdout.read(_PIECE):
                digest.update(piece)
                there.stdin.write(piece)
                await there.stdin.drain()
            there.stdin.write_eof()
        except (BrokenPipeError, ConnectionError):
            here.kill()
        output, error = await there.communicate()
        code = await here.wait()
        status = there.exit_status
    said = (error or b"").decode(errors="replace").strip().splitlines()[-1:]
    if status != 0:
        raise FiveninesError(
            f"{name}: files could not be sent: {''.join(said) or f'exit code {status}'}"
        )
    if code != 0:
        raise FiveninesError(f"{name}: files could not be sent: {source[0]} ended with {code}")
    return (output or b"").decode(errors="replace"), digest.hexdigest()


async def _fetched(
    ssh: "asyncssh.SSHClientConnection", name: str, line: str, sink: Sequence[str]
) -> None:
    here = await asyncio.create_subprocess_exec(*sink, stdin=asyncio.subprocess.PIPE)
    assert here.stdin is not None
    async with ssh.create_process(line, encoding=None) as there:
        while piece := await there.stdout.read(_PIECE):
            here.stdin.write(piece)
            await here.stdin.drain()
        here.stdin.close()
        error = await there.stderr.read()
        await there.wait()
        status, code = there.exit_status, await here.wait()
    if status != 0 or code != 0:
        said = (error or b"").decode(errors="replace").strip().splitlines()[-1:]
        raise FiveninesError(
            f"{name}: files could not be fetched: {''.join(said) or (status, code)}"
        )


async def _passed(
    one: "asyncssh.SSHClientConnection", line: str, other: "asyncssh.SSHClientConnection", sink: str
) -> str:
    """What went wrong; empty where nothing did."""
    async with (
        one.create_process(line, encoding=None) as source,
        other.create_process(sink, encoding=None) as target,
    ):
        while piece := await source.stdout.read(_PIECE):
            target.stdin.write(piece)
            await target.stdin.drain()
        target.stdin.write_eof()
        said = [await source.stderr.read(), await target.stderr.read()]
        await source.wait()
        await target.wait()
        failed = source.exit_status != 0 or target.exit_status != 0
    return b" ".join(said).decode(errors="replace").strip() or "it failed" if failed else ""


_PIECE = 1 << 18

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
