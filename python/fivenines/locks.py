"""Who uses what: locks by flock(2), which the kernel frees with their owner, however that ends.

A lock file holds a line for each holder: who it is, in words for whoever comes second. The lock itself is the
kernel's; a line whose owner is gone means nothing. The descriptors are closed in children (PEP 446), so a
process that outlives its owner never holds its lock.
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

from fivenines.errors import FiveninesError, UsageError

# Told once, by whom the lock is held that one waits for.
Waiting = Callable[[str], None]


# How messages begin of whoever waits for a lock.
WAITING = "waiting for "


@dataclass(frozen=True)
class Holder:
    """A process that holds a lock: its command, and since when, on which terminal, of which machine."""

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
        """Whether it runs, as far as can be seen from this machine."""
        return self.host != platform.node() or Path(f"/proc/{self.pid}").exists()


class Lock:
    """A lock that is held, until `release` or the end of this process."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self._path = path
        self._stream = stream

    def release(self, remove: bool = False) -> None:
        """Give it up; whoever is the last to use it leaves an empty file, or with `remove` none."""
        with self._stream, suppress(OSError):
            # of several holders only the last one gets it alone
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._stream.truncate(0)
            if remove:
                self._path.unlink()


def take(path: Path, alone: bool = True, waiting: Waiting | None = None) -> Lock | None:
    """Take a lock, alone or together with others that do not want it alone.

    Args:
        path: the lock file; made, with its folder, where it is not there.
        alone: whether nobody else may hold it.
        waiting: told who holds it, before waiting for them; without it nothing is waited for.

    Returns:
        The lock; None where somebody else holds it and nothing is waited for.

    Raises:
        FiveninesError: the file cannot be made.
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
        stream.close()  # its last holder has removed it meanwhile
    if alone:
        stream.truncate(0)
    stream.write(json.dumps(asdict(_ourselves())) + "\n")
    stream.flush()
    return Lock(path, stream)


@contextmanager
def held(path: Path, what: str, advice: str, remove: bool = False) -> Iterator[None]:
    """Hold a lock alone; whoever comes second is refused.

    Args:
        path: the lock file.
        what: what it protects, as a message calls it.
        advice: what to do where it is held.
        remove: whether the file goes with the lock.

    Raises:
        UsageError: somebody else holds it; says who, and the advice.
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
    """Hold a lock alone; whoever comes second waits, and is told for whom."""
    lock = take(path, waiting=waiting)
    assert lock is not None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def shared(path: Path, waiting: Waiting) -> Iterator[None]:
    """Hold a lock together with others; waits for whoever holds it alone, and tells for whom.

    Where the file cannot be made, as in a cache that is read-only, nobody of us can want it alone.
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
    """The refusal of whoever comes second."""
    return UsageError(f"{what} is in use by {described(path)}: {advice}")


def require_free(path: Path, what: str, advice: str) -> None:
    """Refuse if a lock is held now.

    Raises:
        UsageError: somebody holds it; says who, and the advice.
    """
    if is_held(path):
        raise in_use(path, what, advice)


def is_held(path: Path) -> bool:
    """Whether somebody holds a lock now; leaves the file as it is, with what the dead have written."""
    if not path.exists():
        return False
    with _opened(path) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def active(path: Path) -> Holder | None:
    """Who of those in a lock file holds its lock now, by the kernel's own list; None if nobody does.

    For those who look often: unlike `is_held` it never takes the lock, so it is in nobody's way.
    Source: proc_locks(5).
    """
    with suppress(OSError):
        inode = path.stat().st_ino
        with Path("/proc/locks").open(encoding="ascii", errors="replace") as stream:
            rows = [line.split() for line in stream]
        pids = {row[4] for row in rows if row[1] == "FLOCK" and row[5].endswith(f":{inode}")}
        return next((one for one in holders(path) if str(one.pid) in pids), None)
    return None


def holders(path: Path) -> list[Holder]:
    """Those who have written themselves into a lock file and were not seen to leave, the first one first."""
    found = []
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError, TypeError):
                found.append(Holder(**json.loads(line)))
    return found


def described(path: Path) -> str:
    """Who holds a lock, in words."""
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
            f"{path.parent}: no lock can be made there: {error.strerror or error}"
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
