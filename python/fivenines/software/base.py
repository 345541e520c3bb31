"""An engine: a database server software and version, and where it comes from."""

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

from fivenines import locks, paths, space
from fivenines.errors import FiveninesError
from fivenines.lab.host import ENGINE, Root

# Progress of a pull: what happens, and the fraction done where it is known.
Report = Callable[[str, float | None], None]


def waiting(report: Report) -> Callable[[str], None]:
    """What tells that somebody else is waited for, and who."""
    return lambda who: report(f"{locks.WAITING}{who}", None)


# Whose servers an engine has, or stands beside; odbc: whatever a driver reaches; none: it is a program that
# asks servers of any of them.
Family = Literal["postgresql", "mariadb", "mysql", "ndb", "odbc", "none"]


@dataclass(frozen=True)
class EngineStatus:
    """What is in the cache, or on the machine."""

    installed: bool
    version: str = ""
    size_bytes: int = 0
    path: str = ""
    detail: str = ""


class Engine(ABC):
    """Where the programs of one database server come from."""

    name: ClassVar[str]
    description: ClassVar[str]
    family: ClassVar[Family]

    @property
    def file_name(self) -> str:
        """How files are called that belong to it: by default as it is."""
        return self.name

    @abstractmethod
    def status(self) -> EngineStatus:
        """Whether it is there, whole, and which version it is."""

    @abstractmethod
    def pull(self, report: Report) -> None:
        """Make it available; does nothing when it is there and whole."""

    @abstractmethod
    def remove(self) -> None:
        """Remove it from the cache."""

    @abstractmethod
    def root(self) -> Root:
        """What a host that runs this engine sees as its root."""

    @abstractmethod
    def program(self, name: str) -> str:
        """The path of one of its programs inside a host."""

    def file(self, *patterns: str) -> str:
        """The path inside a host of one of its files: the first that one of these patterns finds.

        Raises:
            FiveninesError: there is none.
        """
        root = self.root()
        folder, inside = (
            (root.engine, ENGINE) if root.engine is not None else (root.lower or Path("/"), Path("/"))
        )
        for pattern in patterns:
            for found in sorted(folder.glob(pattern)):
                return str(inside / found.relative_to(folder))
        raise FiveninesError(f"engine {self.name} has no {patterns[0].rpartition('/')[2]}")

    def next_to_server(self) -> dict[str, str]:
        """Where a host sees what the server reads beside itself, by the options that say so; by default
        nothing.

        Messages, character sets, plugins: for a server that is not where it was built for.
        """
        return {}

    def server_version(self) -> str:
        """The version of the database server in it; empty where that is not known."""
        return self.status().version

    def require(self, report: Report) -> EngineStatus:
        """Its status, after a pull where one is needed."""
        status = self.status()
        if not status.installed:
            self.pull(report)
            status = self.status()
        if not status.installed:
            raise FiveninesError(f"engine {self.name} is not available: {status.detail}")
        return status

    @contextmanager
    def used(self, report: Report) -> Iterator[EngineStatus]:
        """Its status, as `require`; until the end of the block nobody removes or replaces it."""
        yield self.require(report)


@dataclass(frozen=True)
class _Receipt:
    """Written last into a cached engine: what a whole one looks like."""

    version: str
    files: int
    size_bytes: int
    # What it was made of, where that is not what its name always means: a file, and its checksum.
    source: str = ""
    # The folder of somebody else whose files are used where they are; empty: they are in the cache.
    root: str = ""


class CachedEngine(Engine):
    """An engine that is built into a folder of the cache: whole, or not there at all."""

    # The beginning of the version that its name promises; empty: whichever there is.
    series: ClassVar[str] = ""

    @property
    def folder(self) -> Path:
        """The engine's folder in the cache."""
        return paths.cache() / "engines" / self.file_name

    @property
    def tree(self) -> Path:
        """Where its files are: in the cache, or in the folder that was named instead."""
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
            detail = "corrupt (files changed or missing): pull it again"
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
        """Build it anew, whatever is there."""
        with locks.one_at_a_time(self._lock("lock"), waiting(report)), self._unused("add it again"):
            self._build(report)

    def adopt(self, root: Path, report: Report) -> None:
        """Use the files of a folder of somebody else where they are, whatever was there before.

        Raises:
            FiveninesError: they are not this engine.
        """
        with locks.one_at_a_time(self._lock("lock"), waiting(report)), self._unused("add it again"):
            report(f"looking at {root}", None)
            sizes = _sizes(self.needed_in(root))
            part = self._empty_part()
            try:
                receipt = _Receipt(self.version_in(root), *sizes, f"the folder {root}", str(root))
                self._finish(part, receipt)
            finally:
                _remove(part)

    def needed_in(self, root: Path) -> list[Path]:
        """The files of this engine in a folder of somebody else that must stay as they are.

        Raises:
            FiveninesError: they are not there; most engines are used from the cache only.
        """
        raise FiveninesError(f"engine {self.name} cannot be used from a folder of your own: {root}")

    def version_in(self, root: Path) -> str:
        """The version of this engine in such a folder."""
        raise NotImplementedError

    @property
    def fetched(self) -> bool:
        """Whether it can be made now, without anybody handing anything over."""
        return True

    def _build(self, report: Report) -> None:
        part = self._empty_part()
        try:
            with space.told(part):
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
                # somebody may have taken it away before we held the lock
                receipt = self._receipt()
                if receipt is not None and receipt.version == status.version:
                    yield status
                    return

    def _lock(self, kind: str) -> Path:
        """`lock`: whoever builds it; `used.lock`: whoever needs it to stay as it is."""
        return self.folder.with_name(f"{self.folder.name}.{kind}")

    def _unused(self, then: str) -> AbstractContextManager[None]:
        advice = f"wait until that ends, then {then}"
        return locks.held(self._lock("used.lock"), f"the engine {self.name}", advice)

    @abstractmethod
    def build(self, tree: Path, report: Report) -> str:
        """Build the engine's files into `tree` (which does not exist yet); returns its version."""

    def source(self) -> str:
        """What was built, for the receipt; empty where the engine's name says it."""
        return ""

    def _other_series(self, version: str) -> str:
        if f"{version}.".startswith(f"{self.series}." if self.series else ""):
            return ""
        return f"the mirror had {version}, not {self.series}: results are of {version}"

    def _status_of_root(self, receipt: _Receipt) -> EngineStatus:
        root = Path(receipt.root)
        try:
            whole = _sizes(self.needed_in(root)) == (receipt.files, receipt.size_bytes)
            detail = "" if whole else "its programs are others now"
        except (FiveninesError, OSError) as error:
            whole, detail = False, str(error)
        if whole:
            detail = self._other_series(receipt.version)
        else:
            detail += f": `fivenines engines add {root}` again, or `engines remove {self.name}`"
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
    """Hosts in which programs change their user show a tree as their root: all of them read it there.

    On the machine the cache's folder is closed around it.
    """
    subprocess.run(["chmod", "--recursive", "go+rX", str(tree)], check=True)


def _remove(folder: Path) -> None:
    if folder.exists():
        for path, _, _ in os.walk(folder):
            Path(path).chmod(0o700)
        shutil.rmtree(folder)
