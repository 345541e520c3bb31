"""Check that no password of a lab appears in process arguments or results. Every trial of the tests is
watched.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.servers.secrets import Passwords

# Seconds between two looks at processes that are new.
_LOOK = 0.1
# Number of looks between two scans of all processes, as exec may give a process new arguments. A full scan is
# expensive on a busy machine and is not part of a trial.
_ALL = 20


class Lookout:
    """Scan the arguments of all processes of the machine, from `watch` to the end of `looking_out`."""

    def __init__(self) -> None:
        self.secrets: list[bytes] = []
        self.seen: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def watch(self, passwords: Passwords) -> None:
        """Watch for these passwords, too, from now on."""
        self.secrets = [*self.secrets, *(value.encode() for value in vars(passwords).values())]
        if not self._thread.ident:
            self._thread.start()

    def end(self) -> None:
        """Stop scanning."""
        self._over.set()
        if self._thread.ident:
            self._thread.join()

    def _look(self) -> None:
        known: set[str] = set()
        fresh: set[str] = set()
        looks = 0
        while not self._over.wait(_LOOK):
            pids = {name for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208  (much cheaper)
            # New processes are scanned twice: at first a process may still be a copy of its parent.
            again, fresh = fresh, pids - known
            known = pids
            looks += 1
            for pid in pids if looks % _ALL == 0 else fresh | again:
                self._look_at(Path("/proc", pid, "cmdline"))

    def _look_at(self, entry: Path) -> None:
        try:
            words = entry.read_bytes()
        except OSError:
            return
        if any(secret in words for secret in self.secrets):
            self.seen.add(words.replace(b"\0", b" ").decode(errors="replace"))


@contextmanager
def looking_out(results: Path) -> Iterator[Lookout]:
    """Fail if a password appears in process arguments meanwhile or in a result file afterwards."""
    lookout = Lookout()
    try:
        yield lookout
    finally:
        lookout.end()
    assert lookout.seen == set(), "arguments with a password"
    files = (path for path in results.rglob("*") if path.is_file() and not path.is_symlink())
    leaking = [str(path) for path in files if _any(path, lookout.secrets)]
    assert leaking == [], "results with a password"


def _any(path: Path, secrets: list[bytes]) -> bool:
    data = path.read_bytes()
    return any(secret in data for secret in secrets)
