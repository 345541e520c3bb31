"""Lines of a log file as they are written."""

import threading
from collections.abc import Callable
from pathlib import Path

_LOOK = 0.005
"""Seconds between two looks: what a line is late at most. A look at a file that has not grown is one call."""

_MOST = 1 << 20
"""Bytes that are read at once."""


class Tail:
    """Tells of each whole line of a file once, in a thread of its own.

    Args:
        file: it may not be there yet, and may be written anew.
        tell: called with each line, without its end.
    """

    def __init__(self, file: Path, tell: Callable[[str], None]) -> None:
        self._file = file
        self._tell = tell
        self._position = 0
        self._rest = b""
        self._over = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def start(self) -> None:
        """Begin to read, with what is in it already."""
        self._thread.start()

    def catch_up(self) -> None:
        """Tell of all whole lines that are there now."""
        with self._one_at_a_time:
            while self._read():
                pass

    def stop(self) -> None:
        """Tell of what is left, and end."""
        self._over.set()
        self._thread.join()
        self.catch_up()

    def _follow(self) -> None:
        while not self._over.wait(_LOOK):
            self.catch_up()

    def _read(self) -> bool:
        """Read on, if there is more."""
        try:
            size = self._file.stat().st_size
        except FileNotFoundError:
            return False
        if size < self._position:
            # it was written anew
            self._position, self._rest = 0, b""
        if size == self._position:
            return False
        with self._file.open("rb") as log:
            log.seek(self._position)
            read = log.read(_MOST)
        self._position += len(read)
        *lines, self._rest = (self._rest + read).split(b"\n")
        for line in lines:
            self._tell(line.decode(errors="replace").rstrip("\r"))
        return bool(read)
