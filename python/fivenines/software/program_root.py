"""Files of a custom proxy or failover manager, from an image or an archive.

Such an engine is named `root:image:…` or `root:archive:…`. It has no database server.
"""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

from fivenines.base import paths
from fivenines.base.errors import FiveninesError, UsageError
from fivenines.lab.host import ENGINE, Root
from fivenines.software import unpacking
from fivenines.software.base import CachedEngine, EngineStatus, Report
from fivenines.software.trees import is_root

PREFIX = "root:"
_NAME = "name.json"


class ProgramRoot(CachedEngine):
    """A tree in the cache with a custom program; for `name` see the module."""

    def __init__(self, name: str) -> None:
        kind, _, self._where = name.removeprefix(PREFIX).partition(":")
        if not name.startswith(PREFIX) or kind not in ("image", "archive") or not self._where:
            raise UsageError(f"{name!r} is not a program's root: write root:image:… or root:archive:…")
        if kind == "archive" and not Path(self._where).is_absolute():
            raise UsageError(f"{name!r}: write the absolute path of the archive")
        self._kind: Literal["image", "archive"] = "image" if kind == "image" else "archive"
        # Class attributes of other engines are instance attributes here.
        self.name, self.family = name, "none"  # type: ignore[misc]
        self.description = f"custom program: {kind} {self._where}"  # type: ignore[misc]
        self._digest = ""

    @classmethod
    def of(cls, kind: Literal["image", "archive"], where: str) -> "ProgramRoot":
        """Create the root from an image's reference or an archive's path."""
        return cls(f"{PREFIX}{kind}:{where}")

    @property
    def cached(self) -> bool:
        """Whether the root is in the cache."""
        return self.folder.exists()

    def status(self) -> EngineStatus:
        status = super().status()
        receipt = self._receipt()
        changed = receipt is not None and self._stamp() not in ("", receipt.source.partition(" ")[2])
        if status.installed and changed:
            return replace(status, installed=False, detail="the archive has changed")
        return status

    def remove(self) -> None:
        if not self.cached:
            raise FiveninesError(f"{self.name} is not in the cache")
        super().remove()

    @property
    def folder(self) -> Path:
        return paths.cache() / "engines" / "roots" / self.file_name

    @property
    def file_name(self) -> str:
        words = re.sub(r"[^A-Za-z0-9.]+", "-", self._where.rpartition("/")[2])[:40]
        return f"{words}-{hashlib.sha256(self.name.encode()).hexdigest()[:12]}"

    def build(self, tree: Path, report: Report) -> str:
        self._digest = unpacking.unpack(self._kind, self._where, tree, report)
        # The folder's name does not contain the complete name of the root.
        (tree.parent / _NAME).write_text(json.dumps(self.name))
        return self._digest.removeprefix("sha256:")[:12]

    def source(self) -> str:
        return f"{self._digest} {self._stamp()}".strip()

    def _stamp(self) -> str:
        """Return size and time of an archive, to detect a changed file; empty without an archive."""
        file = Path(self._where)
        if self._kind == "image" or not file.is_file():
            return ""
        state = file.stat()
        return f"{state.st_size} {state.st_mtime_ns}"

    def server_version(self) -> str:
        return ""

    def root(self) -> Root:
        return root_of(self.tree)

    def program(self, name: str) -> str:
        raise FiveninesError(f"{self.name} has no database server")


def root_of(tree: Path) -> Root:
    """Return how a host mounts a folder: a whole root file system as its root, otherwise at `ENGINE`."""
    return Root(lower=tree) if is_root(tree) else Root(engine=tree)


def seen_at(root: Root) -> str:
    """Return the path of such a folder inside a host; empty if it is the root itself."""
    return "" if root.engine is None else str(ENGINE)


def program_roots() -> list[ProgramRoot]:
    """Return the program roots in the cache."""
    roots = []
    for receipt in sorted((paths.cache() / "engines" / "roots").glob(f"*/{_NAME}")):
        try:
            roots.append(ProgramRoot(str(json.loads(receipt.read_text()))))
        except (OSError, ValueError, UsageError):
            continue
    return roots
