"""Files of a proxy or failover manager that a user brings: of an image, or of an archive.

Such an engine has one name, `root:image:…` or `root:archive:…`. It has no database server.
"""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

from fivenines import paths
from fivenines.errors import FiveninesError, UsageError
from fivenines.lab.host import ENGINE, Root
from fivenines.software import unpacking
from fivenines.software.base import CachedEngine, EngineStatus, Report
from fivenines.software.trees import is_root

PREFIX = "root:"
_NAME = "name.json"


class ProgramRoot(CachedEngine):
    """A tree in the cache with a program of the user's; `name` as the module says."""

    def __init__(self, name: str) -> None:
        kind, _, self._where = name.removeprefix(PREFIX).partition(":")
        if not name.startswith(PREFIX) or kind not in ("image", "archive") or not self._where:
            raise UsageError(f"{name!r} is no program's root: root:image:… or root:archive:…")
        if kind == "archive" and not Path(self._where).is_absolute():
            raise UsageError(f"{name!r}: write the whole path of the archive")
        self._kind: Literal["image", "archive"] = "image" if kind == "image" else "archive"
        # what is a class's own with other engines is here that of what was brought
        self.name, self.family = name, "none"  # type: ignore[misc]
        self.description = f"a program of yours: {kind} {self._where}"  # type: ignore[misc]
        self._digest = ""

    @classmethod
    def of(cls, kind: Literal["image", "archive"], where: str) -> "ProgramRoot":
        """Of an image's reference, or an archive's path."""
        return cls(f"{PREFIX}{kind}:{where}")

    @property
    def cached(self) -> bool:
        """Whether something of that name is in the cache."""
        return self.folder.exists()

    def status(self) -> EngineStatus:
        found = super().status()
        receipt = self._receipt()
        changed = receipt is not None and self._stamp() not in ("", receipt.source.partition(" ")[2])
        if found.installed and changed:
            return replace(found, installed=False, detail="the archive is another one now")
        return found

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
        # its folder's name is not enough to list it
        (tree.parent / _NAME).write_text(json.dumps(self.name))
        return self._digest.removeprefix("sha256:")[:12]

    def source(self) -> str:
        return f"{self._digest} {self._stamp()}".strip()

    def _stamp(self) -> str:
        """Size and time of an archive, by which another one in its place is noticed; empty: there is none."""
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
    """What a host sees of a folder: a whole root file system as its root, else a folder beside its own."""
    return Root(lower=tree) if is_root(tree) else Root(engine=tree)


def seen_at(root: Root) -> str:
    """Where a host sees such a folder: nothing where it is the root itself, or there is none."""
    return "" if root.engine is None else str(ENGINE)


def program_roots() -> list[ProgramRoot]:
    """Those in the cache."""
    found = []
    for receipt in sorted((paths.cache() / "engines" / "roots").glob(f"*/{_NAME}")):
        try:
            found.append(ProgramRoot(str(json.loads(receipt.read_text()))))
        except (OSError, ValueError, UsageError):
            continue
    return found
