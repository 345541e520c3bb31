"""An engine: database server software of one version, from one source."""

import json
import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, Literal

from fivenines.base import locks, paths, space
from fivenines.base.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root

# Callback for the progress of a pull: current action, and completed fraction if it is known.
Report = Callable[[str, float | None], None]


def waiting(report: Report) -> Callable[[str], None]:
    """Return a callback that reports which process holds a lock."""
    return lambda who: report(f"{locks.WAITING}{who}", None)


# Family of an engine's servers, or of the servers that it works with. odbc: any server with a driver; none:
# the engine is a client program.
Family = Literal["postgresql", "mariadb", "mysql", "ndb", "odbc", "none"]


@dataclass(frozen=True)
class EngineStatus:
    """The state of an engine in the cache or on the machine."""

    installed: bool
    version: str = ""
    size_bytes: int = 0
    path: str = ""
    detail: str = ""


class Engine(ABC):
    """A source of the programs of a database server."""

    name: ClassVar[str]
    description: ClassVar[str]
    family: ClassVar[Family]

    @property
    def file_name(self) -> str:
        """Return the name of files that belong to the engine, by default its name."""
        return self.name

    @abstractmethod
    def status(self) -> EngineStatus:
        """Return whether the engine is complete, and its version."""

    @abstractmethod
    def pull(self, report: Report) -> None:
        """Make the engine available; do nothing if it is complete."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the engine from the cache."""

    @abstractmethod
    def root(self) -> Root:
        """Return the root file system of a host that runs this engine."""

    @abstractmethod
    def program(self, name: str) -> str:
        """Return the path of a program inside a host."""

    def file(self, *patterns: str) -> str:
        """Return the path inside a host of the first file that matches one of these patterns.

        Raises:
            FiveninesError: no file matches.
        """
        root = self.root()
        folder, inside = (
            (root.engine, ENGINE) if root.engine is not None else (root.lower or Path("/"), Path("/"))
        )
        for pattern in patterns:
            for match in sorted(folder.glob(pattern)):
                return str(inside / match.relative_to(folder))
        raise FiveninesError(f"engine {self.name} has no {patterns[0].rpartition('/')[2]}")

    def next_to_server(self) -> dict[str, str]:
        """Return server options with the paths of its messages, character sets and plugins in a host.

        Only servers that were moved from their installation path need them; by default there are none.
        """
        return {}

    def server_version(self) -> str:
        """Return the version of the engine's database server; empty if it is unknown."""
        return self.status().version

    def require(self, report: Report) -> EngineStatus:
        """Return the engine's status; pull the engine if needed."""
        status = self.status()
        if not status.installed:
            self.pull(report)
            status = self.status()
        if not status.installed:
            raise FiveninesError(f"engine {self.name} is not available: {status.detail}")
        return status

    @contextmanager
    def used(self, report: Report) -> Iterator[EngineStatus]:
        """Yield the status as `require` does, and protect the engine from removal within the block."""
        yield self.require(report)


@dataclass(frozen=True)
class _Receipt:
    """The properties of a complete cached engine, written as its last file."""

    version: str
    files: int
    size_bytes: int
    # Source file and its checksum, unless the engine's name determines the source.
    source: str = ""
    # External folder whose files are used in place; empty: the files are in the cache.
    root: str = ""


class CachedEngine(Engine):
    """An engine that is built into a folder of the cache, atomically."""

    # Prefix of the version that the engine's name promises; empty: any version.
    series: ClassVar[str] = ""

    @property
    def folder(self) -> Path:
        """Return the engine's folder in the cache."""
        return paths.cache() / "engines" / self.file_name

    @property
    def tree(self) -> Path:
        """Return the folder with the engine's files, in the cache or external."""
        receipt = self._receipt()
        return Path(receipt.root) if receipt and receipt.root else self.folder / "tree"

    def status(self) -> EngineStatus:
        receipt = self._receipt()
        if receipt is None:
            detail = "not pulled yet" if not self.folder.exists() else "incomplete: pull it again"
            return EngineStatus(False, detail=detail, path=str(self.folder))
        if receipt.root:
            return self._status_of_root(receipt)
        files, size = _measure(self.folder / "tree")
        if (files, size) != (receipt.files, receipt.size_bytes):
            detail = "corrupt (files changed or are missing): pull it again"
            return EngineStatus(False, receipt.version, size, str(self.folder), detail)
        return EngineStatus(
            True, receipt.version, size, str(self.folder), self._other_series(receipt.version)
        )

    def pull(self, report: Report) -> None:
        with locks.one_at_a_time(self._lock("lock"), waiting(report)):
            if not self.status().installed:
                with self._unused("pull it again"):
                    self._build(report)

    def replace(self, report: Report) -> None:
        """Rebuild the engine, even if it is complete."""
        with locks.one_at_a_time(self._lock("lock"), waiting(report)), self._unused("add it again"):
            self._build(report)

    def adopt(self, root: Path, report: Report) -> None:
        """Use the files of an external folder in place, instead of the files used before.

        Raises:
            FiveninesError: the folder does not contain this engine.
        """
        with locks.one_at_a_time(self._lock("lock"), waiting(report)), self._unused("add it again"):
            report(f"examining {root}", None)
            sizes = _sizes(self.needed_in(root))
            part = self._empty_part()
            try:
                receipt = _Receipt(self.version_in(root), *sizes, f"the folder {root}", str(root))
                self._finish(part, receipt)
            finally:
                _remove(part)

    def needed_in(self, root: Path) -> list[Path]:
        """Return the engine's files in an external folder, which must not change.

        Raises:
            FiveninesError: the files are missing, or the engine does not support external folders.
        """
        raise FiveninesError(f"engine {self.name} cannot be used from an external folder: {root}")

    def version_in(self, root: Path) -> str:
        """Return the version of this engine in an external folder."""
        raise NotImplementedError

    @property
    def fetched(self) -> bool:
        """Whether the engine can be pulled now without a file from a user."""
        return True

    def _build(self, report: Report) -> None:
        part = self._empty_part()
        try:
            with space.reported(part):
                version = self.build(part / "tree", report)
                _open_to_its_users(part / "tree")
            files, size = _measure(part / "tree")
            self._finish(part, _Receipt(version, files, size, self.source()))
        finally:
            _remove(part)

    def _empty_part(self) -> Path:
        part = self.folder.with_name(f".{self.folder.name}.part")
        _remove(part)
        part.mkdir(parents=True)
        return part

    def _finish(self, part: Path, receipt: _Receipt) -> None:
        (part / "receipt.json").write_text(json.dumps(asdict(receipt)))
        _remove(self.folder)
        part.rename(self.folder)

    def remove(self) -> None:
        with self._unused("remove it"):
            _remove(self.folder)

    @contextmanager
    def used(self, report: Report) -> Iterator[EngineStatus]:
        while True:
            status = self.require(report)
            with locks.shared(self._lock("used.lock"), waiting(report)):
                # Another process may have removed the engine before this one got the lock.
                receipt = self._receipt()
                if receipt is not None and receipt.version == status.version:
                    yield status
                    return

    def _lock(self, kind: str) -> Path:
        """Return a lock file: `lock` is held during a build, `used.lock` while the engine is in use."""
        return self.folder.with_name(f"{self.folder.name}.{kind}")

    def _unused(self, then: str) -> AbstractContextManager[None]:
        advice = f"wait until that ends, then {then}"
        return locks.held(self._lock("used.lock"), f"the engine {self.name}", advice)

    @abstractmethod
    def build(self, tree: Path, report: Report) -> str:
        """Build the engine's files into `tree` (which does not exist yet) and return the version."""

    def source(self) -> str:
        """Return the source of the files for the receipt; empty if the engine's name determines it."""
        return ""

    def _other_series(self, version: str) -> str:
        if f"{version}.".startswith(f"{self.series}." if self.series else ""):
            return ""
        return f"the mirror had {version} instead of {self.series}: results are for {version}"

    def _status_of_root(self, receipt: _Receipt) -> EngineStatus:
        root = Path(receipt.root)
        try:
            whole = _sizes(self.needed_in(root)) == (receipt.files, receipt.size_bytes)
            detail = "" if whole else "its programs have changed"
        except (FiveninesError, OSError) as error:
            whole, detail = False, str(error)
        if whole:
            detail = self._other_series(receipt.version)
        else:
            detail += f": run `fivenines engines add {root}` again, or `engines remove {self.name}`"
        return EngineStatus(whole, receipt.version, receipt.size_bytes, receipt.root, detail)

    def _receipt(self) -> _Receipt | None:
        try:
            return _Receipt(**json.loads((self.folder / "receipt.json").read_text()))
        except (OSError, ValueError, TypeError):
            return None


def _sizes(files: Iterable[Path]) -> tuple[int, int]:
    each = [file.stat().st_size for file in files]
    return len(each), sum(each)


def _measure(tree: Path) -> tuple[int, int]:
    files, size = 0, 0
    for folder, _, names in os.walk(tree):
        for name in names:
            files, size = files + 1, size + (Path(folder) / name).lstat().st_size
    return files, size


def _open_to_its_users(tree: Path) -> None:
    """Make a tree readable to all users: hosts whose programs change their user use it as their root.

    On the machine, the cache's folder above it stays closed to other users.
    """
    subprocess.run(["chmod", "--recursive", "go+rX", str(tree)], check=True)


def _remove(folder: Path) -> None:
    if folder.exists():
        for path, _, _ in os.walk(folder):
            Path(path).chmod(0o700)
        shutil.rmtree(folder)
