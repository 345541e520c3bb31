"""The data folder of a host on another machine."""

from collections.abc import Callable
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.disks.data_folder import CommandFolder, DataFolder
from fivenines.lab.ssh.connection import Connection

_LONG = 3600.0


class RemoteFolder(CommandFolder):
    """A folder on another machine.

    Args:
        run: runs a command inside the host, with a text as its input.
        connection: connection to the machine.
        path: path of the folder on the machine.
        sent: copies one of our folders to the machine if needed, and returns its path there.
    """

    def __init__(
        self, run: Callable[..., str], connection: Connection, path: str, sent: Callable[[Path], str]
    ) -> None:
        super().__init__(run)
        self._connection, self._path, self._sent = connection, path, sent

    def fill(self, source: Path | DataFolder) -> None:
        self._connection.need(["find", self._path, "-mindepth", "1", "-delete"], timeout=_LONG)
        if isinstance(source, Path):
            cached = self._sent(source)
            copies = ["cp", "-a", "--reflink=auto", "--sparse=always", f"{cached}/.", self._path]
            self._connection.need(copies, timeout=_LONG)
            return
        assert isinstance(source, RemoteFolder)
        source.copy_to(self)

    def moved_to(self, connection: Connection) -> None:
        """Use another connection to the machine from now on."""
        self._connection = connection

    def copy_to(self, other: "RemoteFolder") -> None:
        """Copy all contents to another machine, through ours; no process may use either folder now."""
        reads = ["tar", "--create", "--numeric-owner", f"--directory={self._path}", "--file=-", "."]
        writes = [
            "tar",
            "--extract",
            "--numeric-owner",
            "--preserve-permissions",
            f"--directory={other._path}",
            "--file=-",
        ]
        self._connection.pass_on(reads, other._connection, writes, _LONG)

    def flush(self) -> None:
        done = self._connection.run(["sync", "-f", self._path], timeout=_LONG)
        if done.code != 0:
            raise FiveninesError(f"{self._connection.name}: sync failed: {done.last_words}")
