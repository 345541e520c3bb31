"""Lock files by flock(2), which the kernel releases when their owner ends.

A lock file has a line that describes each holder, for messages to other processes. The lock itself is in
the kernel: a line whose process has ended has no meaning. Children close the descriptors (PEP 446), so a
child that outlives its parent never holds the lock.
"""

import fcntl
import json
import os
import platform
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from fivenines.base.errors import FiveninesError, UsageError

# Called once with the holder of the lock before waiting.
Waiting = Callable[[str], None]


# First words of messages about waiting for a lock.
WAITING = "waiting for "


@dataclass(frozen=True)
class Holder:
    """A process that holds a lock: its command, start, terminal and machine."""

    pid: int
    command: str
    since: str
    terminal: str
    host: str

    def __str__(self) -> str:
        where = f"{self.terminal} of {self.host}" if self.terminal else f"{self.host}, no terminal"
        return f"process {self.pid} (`{self.command}`, since {self.since}, {where})"

    @property
    def alive(self) -> bool:
        """Return whether the process runs; always True for processes of other machines."""
        return self.host != platform.node() or Path(f"/proc/{self.pid}").exists()


class Lock:
    """A lock held until `release` or the end of this process."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self._path = path
        self._stream = stream

    def release(self, remove: bool = False) -> None:
        """Release the lock; the last holder empties the file, or removes it with `remove`."""
        with self._stream, suppress(OSError):
            # Only the last of several holders gets it exclusively.
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._stream.truncate(0)
            if remove:
                self._path.unlink()


def take(path: Path, alone: bool = True, waiting: Waiting | None = None) -> Lock | None:
    """Acquire an exclusive or shared lock.

    Args:
        path: the lock file; created, with its folder, if it does not exist.
        alone: whether the lock is exclusive.
        waiting: called with the holder before waiting; without it the function does not wait.

    Returns:
        The lock; None if another process holds it and `waiting` is None.

    Raises:
        FiveninesError: the file cannot be created.
    """
    kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    while True:
        stream = _opened(path)
        try:
            fcntl.flock(stream, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting is None:
                stream.close()
                return None
            waiting(described(path))
            fcntl.flock(stream, kind)
        if _still_there(path, stream):
            break
        stream.close()  # its last holder has removed the file
    if alone:
        stream.truncate(0)
    stream.write(json.dumps(asdict(_ourselves())) + "\n")
    stream.flush()
    return Lock(path, stream)


@contextmanager
def held(path: Path, what: str, advice: str, remove: bool = False) -> Iterator[None]:
    """Hold an exclusive lock; fail if another process holds it.

    Args:
        path: the lock file.
        what: the protected resource, for messages.
        advice: what to do if the lock is held.
        remove: whether to remove the file at the end.

    Raises:
        UsageError: another process holds it; names the process and the advice.
    """
    lock = take(path)
    if lock is None:
        raise in_use(path, what, advice)
    try:
        yield
    finally:
        lock.release(remove)


@contextmanager
def one_at_a_time(path: Path, waiting: Waiting) -> Iterator[None]:
    """Hold an exclusive lock; wait if another process holds it, and report the holder."""
    lock = take(path, waiting=waiting)
    assert lock is not None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def shared(path: Path, waiting: Waiting) -> Iterator[None]:
    """Hold a shared lock; wait for an exclusive holder, and report it.

    In a read-only cache, the file cannot be created, and no process can hold it exclusively.
    """
    if not path.exists() and not os.access(_existing(path.parent), os.W_OK):
        yield
        return
    lock = take(path, alone=False, waiting=waiting)
    assert lock is not None
    try:
        yield
    finally:
        lock.release()


def in_use(path: Path, what: str, advice: str) -> UsageError:
    """Return the error for a lock that another process holds."""
    return UsageError(f"{what} is in use by {described(path)}: {advice}")


def require_free(path: Path, what: str, advice: str) -> None:
    """Refuse if a lock is held now.

    Raises:
        UsageError: a process holds it; names the process and the advice.
    """
    if is_held(path):
        raise in_use(path, what, advice)


def is_held(path: Path) -> bool:
    """Return whether a process holds a lock; does not change the file."""
    if not path.exists():
        return False
    with _opened(path) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def active(path: Path) -> Holder | None:
    """Return the process in a lock file that holds its lock, by the kernel's list; None if there is none.

    Suitable for frequent polling: unlike `is_held` it never acquires the lock.
    Source: proc_locks(5).
    """
    with suppress(OSError):
        inode = path.stat().st_ino
        with Path("/proc/locks").open(encoding="ascii", errors="replace") as stream:
            rows = [line.split() for line in stream]
        pids = {row[4] for row in rows if row[1] == "FLOCK" and row[5].endswith(f":{inode}")}
        return next((holder for holder in holders(path) if str(holder.pid) in pids), None)
    return None


def holders(path: Path) -> list[Holder]:
    """Return the processes listed in a lock file, in order; they may have ended."""
    found = []
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError):
                found.append(Holder(**json.loads(line)))
    return found


def described(path: Path) -> str:
    """Describe the holders of a lock."""
    found = [holder for holder in holders(path) if holder.alive]
    if not found:
        return "another process"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{found[0]}{more}"


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _opened(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+", encoding="utf-8")
    except OSError as error:
        raise FiveninesError(
            f"{path.parent}: cannot create a lock file: {error.strerror or error}"
        ) from error


def _still_there(path: Path, stream: IO[str]) -> bool:
    with suppress(OSError):
        there, ours = path.stat(), os.fstat(stream.fileno())
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
    return False


def _ourselves() -> Holder:
    words = [Path(sys.argv[0]).name, *sys.argv[1:]]
    if words[0] == "__main__.py":
        words[0] = Path(sys.argv[0]).parent.name
    command = shlex.join(words)
    return Holder(
        os.getpid(),
        command if len(command) < 120 else f"{command[:116]} ...",
        datetime.now().isoformat(sep=" ", timespec="seconds"),
        _terminal(),
        platform.node(),
    )


def _terminal() -> str:
    for descriptor in (0, 1, 2):
        with suppress(OSError):
            return os.ttyname(descriptor)
    return ""
