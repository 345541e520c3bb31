"""The data folder of a host, as whoever deploys it sees it: files are read, written and replaced."""

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from fivenines.errors import FiveninesError
from fivenines.lab.bound import ends_with_us

_INSIDE = "/run/node/data"


class DataFolder(ABC):
    """What lies in /run/node/data of a host. Names are those of files in it."""

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Whether there is such a file or folder."""

    @abstractmethod
    def read_text(self, name: str) -> str:
        """The text of a file; empty where there is none."""

    @abstractmethod
    def write_text(self, name: str, text: str) -> None:
        """Make a file with this text, or replace its text."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, where there is one."""

    @abstractmethod
    def close_to_others(self) -> None:
        """Let nobody but its owner look into the folder: some servers insist."""

    @abstractmethod
    def fill(self, source: "Path | DataFolder") -> None:
        """Put a copy of all that is in a folder in the place of what is there; nobody uses it now.

        Raises:
            FiveninesError: no space is left, or the copy failed.
        """

    def flush(self) -> None:
        """Let all that was written be on the disk, where that is the folder's own."""
        return


class AskedFolder(DataFolder):
    """A folder that only the host itself can look into.

    Args:
        run: runs a command inside the host, with a text for its input; its standard output.
    """

    def __init__(self, run: Callable[..., str]) -> None:
        self._run = run

    def exists(self, name: str) -> bool:
        return self._sh('test -e "$1" && echo yes || true', name).strip() == "yes"

    def read_text(self, name: str) -> str:
        return self._sh('test ! -e "$1" || cat "$1"', name)

    def write_text(self, name: str, text: str) -> None:
        self._sh('cat > "$1"', name, text)

    def remove(self, name: str) -> None:
        self._sh('rm -f "$1"', name)

    def close_to_others(self) -> None:
        self._sh("chmod 700 .", "")

    def _sh(self, script: str, name: str, text: str = "") -> str:
        return self._run(["sh", "-c", f"cd {_INSIDE} && {script}", "sh", name], stdin=text)


class Folder(DataFolder):
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self, name: str) -> bool:
        return (self.path / name).exists()

    def read_text(self, name: str) -> str:
        file = self.path / name
        return file.read_text() if file.exists() else ""

    def write_text(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def close_to_others(self) -> None:
        self.path.chmod(0o700)

    def fill(self, source: Path | DataFolder) -> None:
        if isinstance(source, DataFolder):
            assert isinstance(source, Folder)
            source = source.path
        self._empty()
        copy(f"{source}/.", self.path)

    def _empty(self) -> None:
        done = subprocess.run(
            ["find", str(self.path), "-mindepth", "1", "-delete"], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise FiveninesError(f"{self.path} could not be emptied: {done.stderr.strip()[-300:]}")


def copy(source: str, target: Path) -> None:
    """A copy of a file or a folder, without what is sparse in it.

    Raises:
        FiveninesError: no space is left, or the copy failed.
    """
    result = subprocess.run(
        [*ends_with_us(), "cp", "-a", "--reflink=auto", "--sparse=always", source, str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise FiveninesError(f"no copy to {target}: {result.stderr.strip()[-300:]}")
