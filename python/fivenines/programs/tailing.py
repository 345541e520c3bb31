"""Lines of a log file as they are written."""

import threading
from collections.abc import Callable
from pathlib import Path

from fivenines.errors import brief
from fivenines.lab.process import whole_lines

_LOOK = 0.005
"""Seconds between two looks: what a line is late at most. A look at a file that has not grown is one call."""


class Tail:
    """Tells of each whole line of a file once, in a thread of its own.

    Args:
        file: it may not be there yet, and may be written anew.
        tell: called with each line, without its end.
        failed: called with the reason if a line could not be told.
    """

    def __init__(self, file: Path, tell: Callable[[str], None], failed: Callable[[str], None]) -> None:
        self._file = file
        self._tell = tell
        self._failed = failed
        self._position = 0
        self._seen: tuple[int, int] = (0, 0)
        """Number and size of the file at the last look."""
        self._over = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def start(self) -> None:
        """Begin to read, with what is in it already."""
        self._thread.start()

    def catch_up(self) -> None:
        """Tell of all whole lines that are there now."""
        with self._one_at_a_time:
            self._read()

    def skip(self) -> None:
        """Tell of all whole lines that are there now, and pass over the beginning of another one.

        Whoever wrote it has ended; the next one shall begin with a line of its own.
        """
        with self._one_at_a_time:
            self._read()
            if self._file.exists():
                self._position = self._file.stat().st_size

    def stop(self) -> None:
        """Tell of what is left, and end."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self.catch_up()

    def _follow(self) -> None:
        while not self._over.wait(_LOOK):
            self.catch_up()

    def _read(self) -> None:
        try:
            now = self._file.stat()
        except FileNotFoundError:
            return
        if (now.st_ino, now.st_size) == self._seen:
            return
        if self._seen[0] not in (0, now.st_ino) or now.st_size < self._position:
            # it was written anew
            self._position = 0
        self._seen = (now.st_ino, now.st_size)
        lines, self._position = whole_lines(self._file, self._position)
        for line in lines:
            try:
                self._tell(line.rstrip("\r"))
            except Exception as error:
                # who reads on finds the next line
                self._failed(f"{line[:100]!r}: {brief(error)}")
