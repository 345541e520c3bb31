"""Read the lines of a log file as they are written."""

import threading
from collections.abc import Callable
from pathlib import Path

from fivenines.base.errors import brief
from fivenines.base.threads import Background
from fivenines.lab.processes.process import whole_lines

# Seconds between two reads, and so the largest delay of a line. Checking an unchanged file takes one call.
_LOOK = 0.005


class Tail:
    """Passes each whole line of a file to a callback once, in its own thread.

    Args:
        file: it may not exist yet, and may be truncated.
        callback: called with each line, without its end.
        failed: called with the reason if `callback` failed for a line.
    """

    def __init__(self, file: Path, callback: Callable[[str], None], failed: Callable[[str], None]) -> None:
        self._file = file
        self._callback = callback
        self._failed = failed
        self._position = 0
        # Inode and size of the file at the last read.
        self._seen: tuple[int, int] = (0, 0)
        self._over = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread = Background(target=self._follow)

    def start(self) -> None:
        """Begin to read, with the existing lines."""
        self._thread.start()

    def catch_up(self) -> None:
        """Pass on all whole lines that exist now."""
        with self._one_at_a_time:
            self._read()

    def skip(self) -> None:
        """Pass on all whole lines that exist now, and skip an incomplete last line.

        The process that wrote it has ended; the output of the next one begins with a whole line.
        """
        with self._one_at_a_time:
            self._read()
            if self._file.exists():
                self._position = self._file.stat().st_size

    def stop(self) -> None:
        """Pass on the remaining lines, and end."""
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
            # The file was truncated.
            self._position = 0
        self._seen = (now.st_ino, now.st_size)
        lines, self._position = whole_lines(self._file, self._position)
        for line in lines:
            try:
                self._callback(line.rstrip("\r"))
            except Exception as error:
                # Reading continues with the next line.
                self._failed(f"{line[:100]!r}: {brief(error)}")
