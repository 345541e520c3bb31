"""No password of a lab gets into arguments of processes or into results: every trial of tests is watched."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivenines.servers.secrets import Passwords

_LOOK = 0.1
"""Seconds between two looks at the arguments of all processes."""


class Lookout:
    """Looks at the arguments of all processes of the machine, from `watch` to the end of `looking_out`."""

    def __init__(self) -> None:
        self.secrets: list[bytes] = []
        self.seen: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def watch(self, passwords: Passwords) -> None:
        """Look out for these, too, from now on."""
        self.secrets = [*self.secrets, *(value.encode() for value in vars(passwords).values())]
        if not self._thread.ident:
            self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread.ident:
            self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(_LOOK):
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    words = entry.read_bytes()
                except OSError:
                    continue
                if any(secret in words for secret in self.secrets):
                    self.seen.add(words.replace(b"\0", b" ").decode(errors="replace"))


@contextmanager
def looking_out(results: Path) -> Iterator[Lookout]:
    """Fails if a password was seen in arguments meanwhile, or is in a file of the results afterwards."""
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
