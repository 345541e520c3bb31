"""Read, write and replace files in the data folder of a host during deployment."""

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.bound import ends_with_us

_INSIDE = "/run/node/data"


class DataFolder(ABC):
    """The folder /run/node/data of a host. File names are relative to it."""

    def __init__(self) -> None:
        # Texts of the configuration files that were written last, by name.
        self.configuration: dict[str, str] = {}

    def write_configuration(self, name: str, text: str) -> None:
        """Write a file as `write_text` does, and remember it as a part of the server's configuration."""
        self.write_text(name, text)
        self.configuration[name] = text

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Return whether the file or folder exists."""

    @abstractmethod
    def read_text(self, name: str) -> str:
        """Return the text of a file; empty if it does not exist."""

    @abstractmethod
    def write_text(self, name: str, text: str) -> None:
        """Create a file with this text, or replace its text."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file if it exists."""

    @abstractmethod
    def close_to_others(self) -> None:
        """Restrict access to the owner, which some servers require."""

    @abstractmethod
    def fill(self, source: "Path | DataFolder") -> None:
        """Replace the contents with a copy of another folder. No process may use the folder now.

        Raises:
            FiveninesError: no space is left, or the copy failed.
        """

    def flush(self) -> None:
        """Flush all writes to the disk, if the folder has its own disk."""
        return


class CommandFolder(DataFolder):
    """A folder that only commands inside the host can access.

    Args:
        run: runs a command inside the host with a text as its input; returns its standard output.
    """

    def __init__(self, run: Callable[..., str]) -> None:
        super().__init__()
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
        super().__init__()
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
    """Copy a file or a folder; sparse regions stay sparse.

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
        raise FiveninesError(f"cannot copy {source} to {target}: {result.stderr.strip()[-300:]}")
